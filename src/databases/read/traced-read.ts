import type { Position } from "../../language/query/reading.ts";
import type { Row } from "../../language/query/row-shape.ts";
import type { StatementFacts } from "../connection/statement-facts.ts";
import { beginStatement, type Explainer, type RunningStatement } from "../statement/parameter-slot.ts";
import type { RowStatement, Statement } from "./compile-statement.ts";

/** The parts of a statement that running it requires. Without a width, its columns may have any names. */
export interface ReadRows extends Pick<Statement, "sql" | "table"> {
  readonly facts?: StatementFacts | undefined;
  readonly width?: RowStatement["width"] | undefined;
  /** The members of entities as JSON: the only row has their number as third cell. */
  readonly members?: readonly unknown[];
  /** Whether it is hidden from the application: its statement is reported otherwise, or it reads no data. */
  readonly isInternal?: true;
}

/** A statement to read, with its values. */
export interface Read {
  readonly statement: ReadRows;
  readonly parameters: readonly unknown[];
}

/** Begins to trace a statement. @returns undefined if tracing is off */
export function beginRead(
  read: ReadRows,
  parameters: readonly unknown[],
  explainer: Explainer,
): RunningStatement | undefined {
  return read.isInternal === true ? undefined : beginStatement(read, parameters, explainer);
}

/**
 * Returns the number of rows that were read, or of entities in the only row of a page as JSON.
 * @param isMany whether the result is a list of rows, not the first one
 */
export function countOf(
  { members }: ReadRows,
  found: readonly Row[] | Row | undefined,
  isMany: boolean = true,
): number {
  if (found === undefined) return 0;
  const [first, { length }] = isMany ? [(found as readonly Row[])[0], found] : [found, [found]];
  return members === undefined || first === undefined ? length : Number(first[2]);
}

/** Returns the number in the only cell of a row. */
export function toNumber(row: Row | undefined): number {
  return Number(row?.[0]);
}

/** The identity of a cluster, which a primary shares with its replicas. */
const CLUSTER = "(select system_identifier from pg_control_system())::text";

/** Selects the identity of a cluster. */
export const CLUSTER_READ: Read = read(`select ${CLUSTER} as c0`, 1);

/**
 * Selects the position of a primary. Only the position of inserts is after the last commit with every value of
 * `synchronous_commit`: the positions of writes and flushes may not contain it yet.
 * @see https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP
 */
export const POSITION_READ: Read = read(
  `select ${CLUSTER} as c0, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as c1, current_setting('wal_block_size') as c2, pg_size_bytes(current_setting('wal_segment_size'))::text as c3`,
  4,
);

/** Selects the state of a replica. */
export const REPLAY_READ: Read = read(
  `select ${CLUSTER} as c0, pg_is_in_recovery()::integer::text as c1, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as c2, extract(epoch from pg_postmaster_start_time())::text as c3`,
  4,
);

function read(sql: string, width: number): Read {
  return Object.freeze({
    statement: Object.freeze({ sql, table: undefined, width, isInternal: true }),
    parameters: [],
  });
}

/** The state of a replica. */
export interface Replay {
  readonly cluster: string;
  /** Whether it replays the changes of a primary: false once it was promoted. */
  readonly isStandby: boolean;
  /** The replica shows every change before this position; null without replay. */
  readonly offset: bigint | null;
  /** Identifies the run of the server. */
  readonly started: string;
}

/** Returns the identity of a cluster. */
export function toCluster(row: Row | undefined): string {
  return textOf(row, 0);
}

/** Returns the position of a primary. */
export function toPosition(row: Row | undefined): Position {
  const offset = endOfRecord(BigInt(textOf(row, 1)), BigInt(textOf(row, 2)), BigInt(textOf(row, 3)));
  return { cluster: textOf(row, 0), offset };
}

/** Returns the state of a replica. */
export function toReplay(row: Row | undefined): Replay {
  return {
    cluster: textOf(row, 0),
    isStandby: textOf(row, 1) === "1",
    offset: (row?.[2] ?? null) === null ? null : BigInt(textOf(row, 2)),
    started: textOf(row, 3),
  };
}

function textOf(row: Row | undefined, index: number): string {
  const cell = row?.[index];
  if (typeof cell !== "string") throw new Error("The database did not tell its position.");
  return cell;
}

/** The bytes of the header of a page of the write-ahead log, and of the first page of a segment. */
const SHORT_HEADER = 24n;
const LONG_HEADER = 40n;

/**
 * Returns the end of the last record before the position of inserts. After a full page this is the start of the next one,
 * but the position of inserts is after its header, which a replica reaches only with the next record.
 * @param block the bytes of a page
 * @param segment the bytes of a segment
 */
export function endOfRecord(inserted: bigint, block: bigint, segment: bigint): bigint {
  const isFirst = inserted % segment < block;
  const header = isFirst ? LONG_HEADER : SHORT_HEADER;
  return inserted % block === header ? inserted - header : inserted;
}
