import type { SQLInputValue } from "node:sqlite";
import type { ChangedRows } from "./changed-rows.ts";
import type { SentError } from "./reader-messages.ts";
import type { SqliteSettings } from "./sqlite-settings.ts";

/** The data with which a writer thread starts. */
export interface WriterData {
  readonly writerSettings: SqliteSettings;
}

/** What a writer thread does next. */
export type WriteStep =
  /** SQL without rows, such as `commit`. */
  | { readonly command: string }
  /** A statement, which changes rows unless it selects them. */
  | { readonly sql: string; readonly values: readonly SQLInputValue[]; readonly selects: boolean }
  /** Reads the next rows of a statement, fewer at its end. The first request with the number of a cursor opens it. */
  | { readonly sql: string; readonly values: readonly SQLInputValue[]; readonly cursor: number; readonly rows: number }
  /** Closes a cursor, unless it has ended. */
  | { readonly closes: number }
  /** Closes the connection: the thread ends afterwards. */
  | { readonly ends: true };

/** A step with a number that is unique within the thread. */
export type WriteRequest = WriteStep & { readonly id: number };

/** The message at the end of a step: the effect of a statement, or null for other steps. */
export type WriteResult = {
  readonly id: number;
  /** Whether the thread keeps so much memory that it should be replaced. */
  readonly isLarge: boolean;
  /** Whether a transaction is open. */
  readonly isTransaction: boolean;
} & ({ readonly changed: ChangedRows | null } | { readonly error: SentError });
