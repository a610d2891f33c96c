import { protocolError } from "../errors/odata-error.ts";

/** The largest offset that a token can hold: it is a signed 32-bit integer. */
export const MAX_SKIP_TOKEN_OFFSET = 0x7fff_ffff;

/** Base64 of exactly four octets: the last digit holds two bits only. */
const TOKEN = /^[A-Za-z0-9+/]{5}[AQgw]==$/;

/**
 * Writes an offset as `$skiptoken`: Base64 of a 4-byte little-endian integer.
 * @param offset rows to skip, 0 to MAX_SKIP_TOKEN_OFFSET
 * @see specification, Collection read, `$skiptoken`
 */
export function writeSkipToken(offset: number): string {
  return btoa(String.fromCharCode(offset & 0xff, (offset >> 8) & 0xff, (offset >> 16) & 0xff, (offset >> 24) & 0xff));
}

/**
 * Reads the offset of a `$skiptoken`.
 * @param token the decoded text of the option; a blank stands for a plus sign that was not percent-encoded
 * @throws ODataError `InvalidSkipToken` for all but Base64 of a non-negative 4-byte integer
 */
export function readSkipToken(token: string): number {
  const text = token.replaceAll(" ", "+");
  if (TOKEN.test(text)) {
    const octets = atob(text);
    const offset =
      octets.charCodeAt(0) | (octets.charCodeAt(1) << 8) | (octets.charCodeAt(2) << 16) | (octets.charCodeAt(3) << 24);
    if (offset >= 0) return offset;
  }
  throw protocolError(
    "InvalidSkipToken",
    "$skiptoken is not one that this service issued: follow @odata.nextLink as it stands, or use $skip.",
    { target: "$skiptoken" },
  );
}
