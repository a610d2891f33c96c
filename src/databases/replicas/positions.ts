import type { Position } from "../../language/query/reading.ts";
import type { Row } from "../../language/query/row-shape.ts";

/** A statement that reads no data of the application, and is hidden from it. */
export interface PositionRead {
  readonly statement: {
    readonly sql: string;
    readonly table: undefined;
    readonly width: number;
    readonly isInternal: true;
  };
  readonly parameters: readonly unknown[];
}

/** The identity of a cluster, which a primary shares with its replicas. */
const CLUSTER = "(select system_identifier from pg_control_system())::text";

/** Selects the identity of a cluster. */
export const CLUSTER_READ: PositionRead = read(`select ${CLUSTER} as c0`, 1);

/**
 * Selects the position of a primary. Only the position of inserts is after the last commit with every value of
 * `synchronous_commit`: the positions of writes and flushes may not contain it yet.
 * @see https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP
 */
export const POSITION_READ: PositionRead = read(
  `select ${CLUSTER} as c0, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as c1, current_setting('wal_block_size') as c2, pg_size_bytes(current_setting('wal_segment_size'))::text as c3`,
  4,
);

/** Selects the state of a replica. */
export const REPLAY_READ: PositionRead = read(
  `select ${CLUSTER} as c0, pg_is_in_recovery()::integer::text as c1, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as c2, extract(epoch from pg_postmaster_start_time())::text as c3`,
  4,
);

function read(sql: string, width: number): PositionRead {
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
