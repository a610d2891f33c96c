import { protocolError } from "../../base/errors/odata-error.ts";

/** The page size that a request wants. */
interface PagingRequest {
  /** `$top`; undefined when omitted. */
  readonly top: number | undefined;
  /** The preference `maxpagesize`; undefined when not sent. */
  readonly maxPageSize: number | undefined;
}

/** The size of a page, and whether a next link may follow it. */
export interface PagePlan {
  /** Maximum number of rows of the page; undefined: all. */
  readonly size: number | undefined;
  /** Maximum number of rows to read: one more than `size` if that row shows whether a next page exists. */
  readonly readSize: number | undefined;
  /** Whether a next link is written if there are more than `size` rows; never with an explicit `$top`. */
  readonly linked: boolean;
  /** The page size for Preference-Applied; undefined if the preference was not applied. */
  readonly appliedPageSize: number | undefined;
}

/**
 * Decides on the size of a page. An explicit `$top` is applied as given, or refused. Without `$top` the size is the smaller
 * of MaxTop and the preference.
 * @param maxTop the limit of the entity set; null: none
 * @throws ODataError `InvalidQueryOption` for a `$top` above MaxTop
 * @see docs/reference/paging.md
 */
export function planPaging(request: PagingRequest, maxTop: number | null): PagePlan {
  const { top, maxPageSize } = request;
  if (top !== undefined) {
    if (maxTop !== null && top > maxTop) {
      throw protocolError(
        "InvalidQueryOption",
        `$top must not exceed ${String(maxTop)} here: request at most ${String(maxTop)}, or omit $top and follow @odata.nextLink.`,
        { target: "$top" },
      );
    }
    return { size: top, readSize: top, linked: false, appliedPageSize: undefined };
  }
  const size = maxTop === null ? maxPageSize : Math.min(maxTop, maxPageSize ?? maxTop);
  if (size === undefined) return { size: undefined, readSize: undefined, linked: false, appliedPageSize: undefined };
  return { size, readSize: size + 1, linked: true, appliedPageSize: maxPageSize === undefined ? undefined : size };
}

/** A page of at most so many entities is read and written at once. */
export const SHORT_PAGE = 1000;

/** Whether a page may be too long to be read and written at once. */
export function mayBeLong({ size }: PagePlan): boolean {
  return size === undefined || size > SHORT_PAGE;
}

/** The largest offset in a token, which is a signed 32-bit integer. */
export const MAX_SKIP_TOKEN_OFFSET = 0x7fff_ffff;

/** Base64 of exactly four octets, whose last digit has only two bits. */
const TOKEN = /^[A-Za-z0-9+/]{5}[AQgw]==$/;

/**
 * Writes an offset as `$skiptoken`: Base64 of a 4-byte little-endian integer.
 * @param offset rows to skip, 0 to MAX_SKIP_TOKEN_OFFSET
 * @see docs/reference/paging.md
 */
export function writeSkipToken(offset: number): string {
  return btoa(String.fromCharCode(offset & 0xff, (offset >> 8) & 0xff, (offset >> 16) & 0xff, (offset >> 24) & 0xff));
}

/**
 * Reads the offset of a `$skiptoken`.
 * @param token the decoded text of the option; a blank is a plus sign that was not percent-encoded
 * @throws ODataError `InvalidSkipToken` unless it is Base64 of a non-negative 4-byte integer
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
    "This service did not issue the $skiptoken: follow @odata.nextLink unchanged, or use $skip.",
    { target: "$skiptoken" },
  );
}
