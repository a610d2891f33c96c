import { protocolError } from "../errors/odata-error.ts";

/** The version in every response. */
export const ODATA_VERSION = "4.0";

/** The greatest major version that is read. */
const MAX_MAJOR = 999_999_999;

/**
 * Checks the OData-MaxVersion header. Blanks around the version and text after a semicolon are ignored.
 * @throws ODataError `UnsupportedODataVersion` if it is below 4.0 or malformed
 * @see OData Protocol 4.0, section 8.2.7
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
      ? `OData-MaxVersion is below 4.0. This service uses OData 4.0: send 4.0 or higher, or omit the header.`
      : `OData-MaxVersion is malformed. Send it as major.minor, such as 4.0.`,
    { target: "OData-MaxVersion" },
  );
}

function isNumber(text: string | undefined): boolean {
  return /^\d+$/.test(text?.trim() ?? "");
}

/**
 * Checks that the OData-Version header of a request is 4.0. Blanks around it and text after a semicolon are ignored.
 * @param isLater whether the request has a format of OData 4.01, so that its version is accepted too
 * @throws ODataError `UnsupportedODataVersion` for any other value
 * @see OData Protocol 4.0, section 8.1.5
 */
export function checkRequestVersion(header: string | undefined, isLater: () => boolean = () => false): void {
  if (header === undefined || header === ODATA_VERSION) return;
  const [version = ""] = header.split(";", 1);
  if (version.trim() === ODATA_VERSION || (version.trim() === "4.01" && isLater())) return;
  throw protocolError(
    "UnsupportedODataVersion",
    "OData-Version is not 4.0. This service reads requests in OData 4.0: send 4.0, or omit the header.",
    { target: "OData-Version" },
  );
}
