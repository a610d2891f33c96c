/** The kinds of faults that a database reports. */
export type FaultKind =
  | "unique"
  | "foreignKey"
  | "notNull"
  | "check"
  | "value"
  | "rounded"
  /** A character that no text of the database can contain. */
  | "character"
  /** A conflict with another transaction, which has ended this one. A retry may succeed. */
  | "contention"
  /** Another connection holds the lock of the whole database. A retry may succeed. */
  | "locked"
  /** The statement does not fit the tables any more, or the connection has lost it. A retry may succeed. */
  | "outdated"
  | "unavailable";

/** The fields that errors of drivers may have. */
export interface DriverError extends Error {
  readonly constraint?: unknown;
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly errcode?: unknown;
  /** The function of PostgreSQL that reports the error. */
  readonly routine?: unknown;
}

/**
 * The errors of one kind of database, except violated constraints, which `base/errors/violated-constraint` knows for handlers, too.
 * Their codes do not depend on the driver.
 */
export interface DialectFaults {
  /** Returns the kind of an error; null for other databases, and for errors that neither client nor retry can resolve. */
  readonly kindOf: (error: DriverError) => FaultKind | null;
  readonly isTooLarge: (error: DriverError) => boolean;
  /** Whether `DialectValues.failsForText` has failed the statement. */
  readonly isTextTooLong: (error: DriverError) => boolean;
  /** Whether the database does not support a statement, as those on several machines may not. Absent if it supports all of them. */
  readonly isUnsupported?: (error: DriverError) => boolean;
  /** By error code: why an expression cannot be evaluated for a row. */
  readonly unevaluable: ReadonlyMap<unknown, string>;
  /** The codes for a statement that exceeds the time limit of the database. */
  readonly timeouts: ReadonlySet<unknown>;
}
