import type { ConfigurationFault } from "./configuration-error.ts";

/** Where the declarations of a service and the catalogue of its database differ. */
export interface SchemaFinding extends ConfigurationFault {
  readonly set: string;
  readonly code: SchemaFindingCode;
  /** An error keeps the service from starting; a warning goes to the log. */
  readonly severity: "error" | "warning";
}

/** The kinds of findings. */
export type SchemaFindingCode =
  /** The catalogue, or the pool of connections, cannot be reached. */
  | "C00"
  /** A table is missing. */
  | "C01"
  /** A column is missing. */
  | "C02"
  /** A column has a type, labels or a default that the storage form cannot read or write. */
  | "C03"
  /** A column may be null, and its property may not. */
  | "C04"
  /** The time zone of the session decides what a column holds. */
  | "C05"
  /** A key is not unique. */
  | "C06"
  /** A navigation has no index. */
  | "C10"
  /** A sort or filter has no index. */
  | "C11";
