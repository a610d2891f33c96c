import type { ConfigurationFault } from "./configuration-error.ts";

/** A difference between the declarations of a service and the catalogue of its database. */
export interface SchemaFinding extends ConfigurationFault {
  readonly set: string;
  readonly code: SchemaFindingCode;
  /** An error prevents the service from starting; a warning is logged. `checkDatabase` also finds information. */
  readonly severity: "error" | "warning" | "info";
}

/** The kinds of findings. */
export type SchemaFindingCode =
  /** The catalogue, or the pool of connections, cannot be reached. */
  | "C00"
  /** A table is missing, or the user of the connection may not read it. */
  | "C01"
  /** A column is missing, or the user of the connection may not read it. */
  | "C02"
  /** A column has a type, labels or a default that the storage form cannot read or write. */
  | "C03"
  /** A column is nullable, but its property is not; or clients may write null into a column that rejects it. */
  | "C04"
  /** The values of a column depend on the time zone of the session. */
  | "C05"
  /** A key is not unique. */
  | "C06"
  /** A column allows longer or shorter values than its property. */
  | "C07"
  /** Rows cannot be inserted: a column without a property needs a value, or the database computes a written column. */
  | "C08"
  /** An index compares strings otherwise than filters and sorts do. */
  | "C09"
  /** A navigation has no index. */
  | "C10"
  /** A sort or filter has no index. */
  | "C11"
  /** Rows contain values that cannot be read. */
  | "C12"
  /** Row-level security does not apply to the user of the connection. */
  | "C13"
  /** Declarations and database differ without an effect on responses: constraints, comments, undeclared tables. */
  | "C14"
  /** The sessions of the database shorten numbers. */
  | "C15"
  /** Rows contain texts in another form than their values have, which comparisons miss. */
  | "C16"
  /** Two properties are written to one column, which has two names. */
  | "C17"
  /** A distributed database stores a table otherwise than declared. */
  | "C18";
