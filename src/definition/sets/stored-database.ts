import type { SchemaFinding } from "../../errors/schema-finding.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../service-definition.ts";
import type { Awaitable } from "./handlers.ts";

/** The rows of a database behind a handler that the framework made. */
export interface StoredRows {
  /** One object for all rows of one connection, so that the catalogue is read once for all of them. */
  readonly database: StoredDatabase;
}

/** What a handler over a database knows of it. */
export interface StoredHandler {
  readonly stored?: StoredRows | undefined;
}

/** An entity set and its rows. */
export interface StoredSet {
  readonly set: EntitySetDefinition;
  readonly rows: StoredRows;
}

/** A database that can be compared with the declarations of a service. */
export interface StoredDatabase {
  /**
   * Compares entity sets with the catalogue.
   * @throws ODataError `ServiceUnavailable` when the database cannot be reached
   */
  findDifferences(sets: readonly StoredSet[], service: ServiceDefinition): Awaitable<readonly SchemaFinding[]>;
}
