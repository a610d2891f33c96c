import type { SQLInputValue } from "node:sqlite";
import { ODataError } from "../../../base/errors/odata-error.ts";
import type { SqliteSettings } from "./prepared-statement.ts";
import type { FittingRows, Room } from "./read-fitting.ts";

/** The data with which a reader thread starts. */
export interface ThreadData {
  readonly settings: SqliteSettings;
  /** One Int32: the number of the statement whose result is not needed any longer. */
  readonly cancelled: SharedArrayBuffer;
}

/** A statement for a reader thread. */
export interface ReadRequest {
  /** Unique within the thread. */
  readonly id: number;
  /** The guarded text. */
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
  /** Whether only the first row is wanted. */
  readonly isFirst: boolean;
  /** Absent: the rows are not counted. */
  readonly room?: Room | undefined;
  /** In milliseconds; null: no limit. */
  readonly timeout: number | null;
  /** The rest of the timeout. */
  readonly remaining: number;
  /** The number of the snapshot to read; absent: the last committed rows. */
  readonly snapshot?: number | undefined;
}

/** Ends a snapshot. It has no result. */
export interface SnapshotEnd {
  /** Its number. */
  readonly ends: number;
}

/** The rows of a statement, or its error. */
export type ReadOutcome = FittingRows | { readonly error: SentError };

/** Rows of a statement that are sent before the message at its end, which has the others. Null: it begins again. */
export interface ReadPart {
  readonly id: number;
  readonly part: FittingRows["rows"] | null;
}

/** The message at the end of a statement. */
export type ReadResult = ReadOutcome & {
  readonly id: number;
  /** Whether the thread keeps so much memory that it should be replaced. */
  readonly isLarge: boolean;
};

/** The fields of an error that survive the way between threads. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const FIELDS = ["code", "errcode", "errstr", "status"] as const;

/** Converts an error to a message. */
export function sendError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), fields: {} };
  const fields = FIELDS.flatMap((name): readonly (readonly [string, unknown])[] => {
    const value: unknown = Reflect.get(error, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { name: error.name, message: error.message, fields: Object.fromEntries(fields) };
}

/** Converts a message to the error. */
export function receiveError({ name, message, fields }: SentError): Error {
  const { status, code } = fields;
  if (name === "ODataError") return new ODataError(Number(status), String(code), message);
  return Object.assign(new Error(message), fields);
}
