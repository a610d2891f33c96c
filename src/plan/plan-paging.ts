import { protocolError } from "../errors/odata-error.ts";

/** What a request says about the size of the page. */
export interface PagingRequest {
  /** `$top`; undefined when omitted. */
  readonly top: number | undefined;
  /** The preference `maxpagesize`; undefined when not sent. */
  readonly maxPageSize: number | undefined;
}

/** How many rows a page has, and whether a link follows it. */
export interface PagePlan {
  /** Most rows of the page; undefined: all. */
  readonly size: number | undefined;
  /** Most rows to read: one more than the page where that row tells whether a next page exists. */
  readonly readSize: number | undefined;
  /** Whether more rows than `size` give a next link. Never with an explicit `$top`. */
  readonly linked: boolean;
  /** The page size that the client's preference led to, for Preference-Applied; undefined when it was not applied. */
  readonly appliedPageSize: number | undefined;
}

/**
 * Decides the size of a page. An explicit `$top` is served as it is or refused; without one the page is the smaller of
 * MaxTop and the preference.
 * @param maxTop the cap of the entity set; null: none
 * @throws ODataError `InvalidQueryOption` for a `$top` above MaxTop
 * @see specification, Collection read, `$top` and rule 3; decisions, Reading
 */
export function planPaging(request: PagingRequest, maxTop: number | null): PagePlan {
  const { top, maxPageSize } = request;
  if (top !== undefined) {
    if (maxTop !== null && top > maxTop) {
      throw protocolError(
        "InvalidQueryOption",
        `$top must not be above ${String(maxTop)} here: ask for at most ${String(maxTop)}, or leave $top out and follow @odata.nextLink.`,
        { target: "$top" },
      );
    }
    return { size: top, readSize: top, linked: false, appliedPageSize: undefined };
  }
  const size = maxTop === null ? maxPageSize : Math.min(maxTop, maxPageSize ?? maxTop);
  if (size === undefined) return { size: undefined, readSize: undefined, linked: false, appliedPageSize: undefined };
  return { size, readSize: size + 1, linked: true, appliedPageSize: maxPageSize === undefined ? undefined : size };
}

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
