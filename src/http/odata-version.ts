import { protocolError } from "../errors/odata-error.ts";

/** The version that every response carries. */
export const ODATA_VERSION = "4.0";

/** A greater major version is no version. */
const MAX_MAJOR = 999_999_999;

/**
 * Checks the OData-MaxVersion header: major.minor, blanks tolerated, text after a semicolon ignored.
 * @param header the value of the header; undefined when absent
 * @throws ODataError `UnsupportedODataVersion` when it is below 4.0 or cannot be read
 * @see specification, Cross-cutting request rules, 1
 */
export function checkMaxVersion(header: string | undefined): void {
  if (header === undefined || header === ODATA_VERSION) return;
  const semicolon = header.indexOf(";");
  const [major, minor, ...rest] = (semicolon < 0 ? header : header.slice(0, semicolon)).split(".", 3);
  const readable = rest.length === 0 && isNumber(major) && isNumber(minor) && Number(major) <= MAX_MAJOR;
  if (readable && Number(major) >= 4) return;
  throw protocolError(
    "UnsupportedODataVersion",
    readable
      ? `OData-MaxVersion is below 4.0: this service answers in OData 4.0, so send 4.0 or higher, or leave the header out.`
      : `OData-MaxVersion cannot be read: send it as major.minor, such as 4.0.`,
    { target: "OData-MaxVersion" },
  );
}

function isNumber(text: string | undefined): boolean {
  return /^\d+$/.test(text?.trim() ?? "");
}

/**
 * Checks the OData-Version header of a request: 4.0, blanks tolerated, text after a semicolon ignored.
 * @param header the value of the header; undefined when absent
 * @throws ODataError `UnsupportedODataVersion` for any other value
 * @see OData Protocol 4.0, section 8.1.5
 */
export function checkRequestVersion(header: string | undefined): void {
  if (header === undefined || header === ODATA_VERSION) return;
  const [version = ""] = header.split(";", 1);
  if (version.trim() === ODATA_VERSION) return;
  throw protocolError(
    "UnsupportedODataVersion",
    "OData-Version is not 4.0: this service reads requests in OData 4.0, so send 4.0, or leave the header out.",
    { target: "OData-Version" },
  );
}
