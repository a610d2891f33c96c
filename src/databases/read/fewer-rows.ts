import { CompiledQuery } from "kysely";
import { type ByteCount, fitting } from "../../base/byte-count.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { SourceQuery } from "../../language/query/source.ts";
import type { ReadRowsResult } from "../connection/array-reader.ts";
import { OwnTransaction } from "../connection/limited-query.ts";
import type { Patience } from "../connection/patient-reader.ts";
import type { Database } from "../forms/database.ts";
import { tooLargeStatement } from "../kinds/database-fault.ts";
import type { ReadRows } from "./traced-read.ts";

/** The share of the rows that is read next, and the most rows that it is a share of. */
const SHARE = 4;
const MOST_SHARED = 1024;

/** Returns the count of a read whose rows the database may refuse: a refusal would end a transaction of the application. */
export function refusableBytes({
  bytes,
  transaction,
}: Pick<SourceQuery, "bytes" | "transaction">): ByteCount | undefined {
  return transaction === undefined || transaction instanceof OwnTransaction ? bytes : undefined;
}

/**
 * Returns the number of rows to read if the database has refused one of more: the page ends before it. Their bytes count again.
 * @returns undefined if fewer cannot help
 */
export function fewerRows(
  query: Pick<SourceQuery, "top" | "bytes" | "transaction">,
  isRefused: boolean,
): number | undefined {
  const { top = MOST_SHARED } = query;
  const bytes = refusableBytes(query);
  if (!isRefused || top <= 1 || bytes === undefined) return undefined;
  bytes.give(0);
  const { rowsThatFit = 0 } = bytes;
  bytes.rowsThatFit = undefined;
  if (rowsThatFit > 0 && rowsThatFit < top) return rowsThatFit;
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

/**
 * Returns the rows that fit into the bytes of a request.
 * @throws ODataError if rows that the request does not count were not kept as a whole
 */
export function fittingRows(
  { rows, isCut, seen = 0 }: ReadRowsResult,
  facts: ReadRows["facts"],
  { bytes }: Patience,
): readonly Row[] {
  if (bytes === undefined || facts?.row === undefined) {
    if (isCut) throw tooLargeStatement();
    return rows;
  }
  const kept = fitting(rows, bytes, facts.row.besides);
  if (isCut && !bytes.isOver) bytes.merge(0, true);
  if (isCut && kept.length === 0) bytes.rowsThatFit = Math.floor(seen / CHARACTERS_PER_BYTE);
  return kept;
}

/** Cells may have more characters than bytes as JSON: hexadecimal digits have half as many again. */
export const CHARACTERS_PER_BYTE = 1.5;

/** Runs statements through Kysely. */
export interface Executor {
  executeQuery(query: CompiledQuery): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * Runs a statement in a transaction of this service, which continues after a refusal. Its statements only read, so they share one
 * savepoint: each would remain until the end.
 * @throws the error of the statement
 */
export async function keeping(
  connection: Executor,
  query: CompiledQuery,
  transaction: OwnTransaction,
  { rowGuard }: Database["values"],
): ReturnType<Executor["executeQuery"]> {
  if (rowGuard?.endsTransaction !== true) return connection.executeQuery(query);
  if (!transaction.hasSavepoint) {
    transaction.hasSavepoint = true;
    await connection.executeQuery(CompiledQuery.raw("savepoint odatakit_rows"));
  }
  try {
    return await connection.executeQuery(query);
  } catch (error) {
    if (error instanceof Error && rowGuard.isRefused(error)) {
      await connection.executeQuery(CompiledQuery.raw("rollback to savepoint odatakit_rows"));
    }
    throw error;
  }
}
