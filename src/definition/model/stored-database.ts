import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { ServerRole } from "../../language/query/reading.ts";
import type { Awaitable } from "../handlers.ts";
import type { EntitySetDefinition, ServiceDefinition } from "./service-definition.ts";

/** The database rows of a handler of the framework. */
export interface StoredRows {
  /** The same object for all rows of one connection, so that the catalogue is read only once. */
  readonly database: StoredDatabase;
}

/** A handler of the framework over a database. */
export interface StoredHandler {
  readonly stored?: StoredRows | undefined;
  /** Finds its rows in the database of a tenant. */
  readonly storedBy?: object | undefined;
  /** Whether it leaves a cell that cannot be read if it gets the null that a response showed; absent: it refuses the null. */
  readonly keepsUnreadable?: true | undefined;
}

/** An entity set and its rows. */
export interface StoredSet {
  readonly set: EntitySetDefinition;
  readonly rows: StoredRows;
}

/** The additional findings of a thorough comparison, besides differences. */
export interface ExamineOptions {
  /** Whether tables and views that no set declares are findings. */
  readonly undeclared: boolean;
}

/** A database that can be compared with the declarations of a service. */
export interface StoredDatabase {
  /**
   * Compares entity sets with the catalogue.
   * @throws ODataError `ServiceUnavailable` when the database cannot be reached
   */
  findDifferences(sets: readonly StoredSet[], service: ServiceDefinition): Awaitable<readonly SchemaFinding[]>;
  /** As `findDifferences`, with the findings that the whole catalogue and samples of rows show. */
  examine(
    sets: readonly StoredSet[],
    service: ServiceDefinition,
    options: ExamineOptions,
  ): Awaitable<readonly SchemaFinding[]>;
  /** Estimates the rows of a table, with at most some 10,000 entries of an index. @returns null if nothing is known */
  estimateRows(rows: StoredRows): Awaitable<RowEstimate | null>;
  /** The primary first. */
  readonly servers: readonly DatabaseServer[];
}

/** A number of rows. */
export interface RowEstimate {
  readonly count: number;
  /** `least`: there are more rows, which were not counted. */
  readonly kind: "exact" | "estimate" | "least";
}

/** A server of a database. */
export interface DatabaseServer {
  /** The name of the product, for messages. */
  readonly dialect: string;
  readonly role: ServerRole;
  /** Reads one row without a table; joins a read in progress. Rejects with any error if the server cannot be reached. */
  reach(): Promise<unknown>;
}
