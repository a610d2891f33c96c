/** When a commit waits for the disk. @see https://sqlite.org/pragma.html#pragma_synchronous */
export type Synchronous = "off" | "normal" | "full" | "extra";

/** Whether a writable file gets a write-ahead log, which it keeps, or stays as it is. */
export type JournalMode = "wal" | "keep";

/** The settings of a database. */
export interface SqliteSettings {
  readonly file: string;
  readonly readonly: boolean;
  /** Milliseconds to wait for a lock of another process. */
  readonly busyTimeout: number;
  readonly synchronous: Synchronous;
  readonly journalMode: JournalMode;
  /** The maximum number of prepared statements per connection and form of rows. */
  readonly statements: number;
  /** The most threads that run long reads; 0 for none. */
  readonly readerThreads: number;
  /** The most long reads that wait for a thread. */
  readonly maxQueuedQueries: number;
}
