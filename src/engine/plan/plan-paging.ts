import { protocolError } from "../../base/errors/odata-error.ts";

/** The page size that a request wants. */
interface PagingRequest {
  /** `$top`; undefined when omitted. */
  readonly top: number | undefined;
  /** The preference `maxpagesize`; undefined when not sent. */
  readonly preferred: number | undefined;
}

/** The limits of a page; null: none. */
interface PagingLimits {
  /** The limit of the entity set, which an explicit `$top` must not exceed. */
  readonly maxTop: number | null;
  /** The limit of the service, which divides longer pages. */
  readonly maxPageSize: number | null;
}

/** The size of a page, and whether a next link may follow it. */
export interface PagePlan {
  /** Maximum number of rows of the page; undefined: all. */
  readonly size: number | undefined;
  /** Maximum number of rows to read: one more than `size` if that row shows whether a next page exists. */
  readonly readSize: number | undefined;
  /** Whether a next link is written if there are more than `size` rows. */
  readonly linked: boolean;
  /** Whether the limit of the service divides the page. */
  readonly isDivided: boolean;
  /** The page size for Preference-Applied; undefined if the preference was not applied. */
  readonly appliedPageSize: number | undefined;
}

/** The plan of a read without pages: all rows, or the first ones. @param size the most rows; undefined: all */
export function wholePage(size: number | undefined): PagePlan {
  return { size, readSize: size, linked: false, isDivided: false, appliedPageSize: undefined };
}

/**
 * Decides on the size of a page. An explicit `$top` is applied as given, or refused. Without `$top` the size is the smaller of
 * MaxTop and the preference. The limit of the service divides any longer page, into pages of the preference if that is smaller.
 * @throws ODataError `InvalidQueryOption` for a `$top` above MaxTop
 * @see docs/reference/paging.md
 */
export function planPaging({ top, preferred }: PagingRequest, { maxTop, maxPageSize }: PagingLimits): PagePlan {
  if (top !== undefined && maxTop !== null && top > maxTop) {
    throw protocolError(
      "InvalidQueryOption",
      `$top must not exceed ${String(maxTop)} here: request at most ${String(maxTop)}, or omit $top and follow @odata.nextLink.`,
      { target: "$top" },
    );
  }
  const wanted = top ?? Math.min(maxTop ?? Infinity, preferred ?? Infinity);
  const isDivided = maxPageSize !== null && wanted > maxPageSize;
  const size = isDivided ? Math.min(maxPageSize, preferred ?? Infinity) : wanted;
  if (size === Infinity) return wholePage(undefined);
  if (top !== undefined && !isDivided) return wholePage(size);
  const appliedPageSize = preferred === undefined ? undefined : size;
  return { size, readSize: size + 1, linked: true, isDivided, appliedPageSize };
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
