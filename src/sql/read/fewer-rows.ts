import type { ByteCount } from "../../base/byte-count.ts";
import type { SourceQuery } from "../../query/source.ts";

/** The share of the rows that is read next, and the most rows that it is a share of. */
const SHARE = 4;
const MOST_SHARED = 1024;

/**
 * Returns the number of rows to read if the database has refused one of more: the page ends before it. Their bytes count again.
 * @returns undefined if fewer cannot help
 */
export function fewerRows(
  { top = MOST_SHARED, bytes, transaction }: Pick<SourceQuery, "top" | "bytes" | "transaction">,
  isRefused: boolean,
): number | undefined {
  if (!isRefused || top <= 1 || bytes === undefined || transaction !== undefined) return undefined;
  bytes.give(0);
  return Math.ceil(Math.min(top, MOST_SHARED) / SHARE);
}

/** Returns whether a page of fewer rows ends before a row that was refused, and notes it. @param length the number of its rows */
export function endsEarly(
  bytes: ByteCount | undefined,
  isCut: boolean | undefined,
  length: number,
  top: number,
): boolean {
  if (isCut !== true && length < top) return false;
  bytes?.merge(0, true);
  return true;
}
