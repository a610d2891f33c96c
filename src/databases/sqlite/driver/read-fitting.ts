import type { SQLInputValue } from "node:sqlite";
import { bytesOfRow, ByteCount } from "../../../base/byte-count.ts";
import { keptPer } from "../../../base/memo.ts";
import type { StatementFacts } from "../../connection/statement-facts.ts";
import type { PreparedStatement } from "./prepared-statement.ts";
import { TOO_BIG } from "./sqlite-text-functions.ts";

type Rows = readonly (readonly unknown[])[];

/** The bytes that the rows of a statement may have, and the facts by which they are counted. */
export interface Room {
  readonly left: number;
  /** The most rows of the statement; infinite if its limit is unknown. */
  readonly rows: number;
  readonly row: NonNullable<StatementFacts["row"]>;
}

/** Returns the room of a statement; undefined if its rows are not counted. */
export function roomOf(
  bytes: ByteCount | undefined,
  values: readonly unknown[],
  { row, limits = [] }: Partial<Pick<StatementFacts, "row" | "limits">> = {},
): Room | undefined {
  if (bytes === undefined || bytes.most === Infinity || row === undefined) return undefined;
  const rows = limits.length === 0 ? Infinity : limits.reduce((sum, place) => sum + Number(values[place]), 0);
  return { left: bytes.left, rows, row };
}

/** Cells of fewer bytes need no count: a page of them is read as fast as without one. */
const LEAST_CELL = 512;

/** Rows of so many bytes are always read: a sort meets those of later pages, too. */
const LEAST_ROW = 1e6;

/** Whether a statement has read a longer cell. */
const known = keptPer((_statement: PreparedStatement<"arrays">) => ({ hasLongCells: false }));

/** The rows of a statement that fit. */
export interface FittingRows {
  readonly rows: Rows;
  readonly used: number;
  readonly isOver: boolean;
}

/** Receives rows as they are read; null: the statement begins again, and those before do not count. */
export type SendPart = (rows: Rows | null) => void;

/** Bytes of rows that are sent at once: a message takes twice its memory while it is written, in addition to its rows. */
const PART = 2e6;

/** Sends many rows in parts. @returns the last ones, which are not sent */
function sendAllBut(rows: Rows, used: number, sendPart: SendPart | undefined): Rows {
  if (sendPart === undefined || used <= 2 * PART) return rows;
  const size = Math.ceil((rows.length * PART) / used);
  let at = 0;
  for (; at + size < rows.length; at += size) sendPart(rows.slice(at, at + size));
  return rows.slice(at);
}

/**
 * Reads the rows that fit. If all cells are so short that every page of them fits, none is counted one by one.
 * @throws errors of the statement
 */
function readFitting(
  statement: PreparedStatement<"arrays">,
  values: readonly SQLInputValue[],
  { room: { left, rows: most, row }, sendPart }: { readonly room: Room; readonly sendPart?: SendPart | undefined },
  { within, longest, isPossible }: LengthLimit,
): FittingRows {
  const cell = Math.floor((left / most - row.besides) / row.width);
  const facts = known(statement);
  if (isPossible && cell >= LEAST_CELL && !facts.hasLongCells) {
    try {
      const rows = within(cell, () => statement.select(values));
      const used = sampled(rows, row.besides);
      return { rows: sendAllBut(rows, used, sendPart), used, isOver: false };
    } catch (error) {
      if (!isTooLong(error)) throw error;
      facts.hasLongCells = true;
    }
  }
  let bytes = new ByteCount(left);
  let rows: (readonly unknown[])[] = [];
  let sent = 0;
  const begin = () => {
    if (sent > 0) sendPart?.(null);
    bytes = new ByteCount(left);
    rows = [];
    sent = 0;
    return (cells: readonly unknown[]): boolean => {
      if (!bytes.take(bytesOfRow(cells, row.besides))) return false;
      rows.push(cells);
      if (sendPart === undefined || bytes.used - sent < PART) return true;
      sendPart(rows);
      sent = bytes.used;
      rows = [];
      return true;
    };
  };
  const longestRow = Math.max(2 * left, LEAST_ROW);
  try {
    within(longestRow, () => statement.visit(values, begin));
    return { rows, used: bytes.used, isOver: bytes.isOver };
  } catch (error) {
    if (!isTooLong(error) || longestRow > longest) throw error;
    return { rows, used: bytes.used, isOver: true };
  }
}

/** How a connection limits the length of values. */
export interface LengthLimit {
  /** Runs a read that fails if it meets a value of more bytes. */
  readonly within: <T>(most: number, read: () => T) => T;
  /** The bytes to which the connection limits values anyway. */
  readonly longest: number;
  /** Whether it can: Node.js 22 cannot. */
  readonly isPossible: boolean;
}

/** Reads values of any length. */
export const NO_LIMIT: LengthLimit = Object.freeze<LengthLimit>({
  within: (_most, read) => read(),
  longest: Infinity,
  isPossible: false,
});

/** The rows to read. */
export interface WantedRows {
  readonly isFirst: boolean;
  /** Absent: the rows are not counted. */
  readonly room?: Room | undefined;
  /** Receives rows of a large result before its end; absent: the result has all. */
  readonly sendPart?: SendPart;
}

/** Reads all rows, or the first, as far as they fit. The first one alone is not counted. @throws errors of the statement */
export function readWithin(
  statement: PreparedStatement<"arrays">,
  values: readonly SQLInputValue[],
  { isFirst, room, sendPart }: WantedRows,
  limit: LengthLimit,
): FittingRows {
  if (!isFirst && room !== undefined) return readFitting(statement, values, { room, sendPart }, limit);
  const rows = limit.within(mostOf(room), () => {
    if (!isFirst) return statement.select(values);
    const row = statement.selectFirst(values);
    return row === undefined ? [] : [row];
  });
  return { rows, used: 0, isOver: false };
}

/** Returns the longest value that a first row may have: a page as JSON is read as rows if it does not fit. */
function mostOf(room: Room | undefined): number {
  if (room === undefined) return Infinity;
  return room.row.besides === 0 ? room.left : 2 * room.left;
}

/** Whether a statement met a value that is longer than the limit of its connection. @see https://sqlite.org/rescode.html#toobig */
export function isTooLong(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === TOO_BIG;
}

/** Estimates the bytes of rows by three of them. */
function sampled(rows: Rows, besides: number): number {
  const { length } = rows;
  if (length === 0) return 0;
  const places = [0, length >> 1, length - 1];
  const bytes = places.reduce((sum, at) => sum + bytesOfRow(rows[at] ?? [], besides), 0);
  return Math.ceil((bytes * length) / places.length);
}
