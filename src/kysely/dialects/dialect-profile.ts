import type { FunctionName } from "../../query/functions.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { TranslateCall } from "../functions/translate-call.ts";
import type { DialectCatalogue } from "../schema/stored-type-table.ts";
import type { DialectSyntax } from "./dialect-syntax.ts";
import type { DialectValues } from "./dialect-values.ts";
import type { DocumentSyntax } from "./document-syntax.ts";

/** What one kind of database can do, and how it says it. */
export interface DialectProfile {
  /** For messages. */
  readonly name: "SQLite" | "PostgreSQL" | "MariaDB";
  /** One SQL form per canonical function. */
  readonly functions: Readonly<Record<FunctionName, TranslateCall>>;
  readonly values: DialectValues;
  readonly syntax: DialectSyntax;
  readonly documents: DocumentSyntax;
  readonly capabilities: DialectCapabilities;
  /** What the schema check knows of it. */
  readonly catalogue: DialectCatalogue;
  /** Most values that one statement may bind. */
  readonly maxParameters: number;
  /**
   * The isolation of transactions that handlers open: the weakest in which nobody overwrites what another transaction has
   * changed since it was read. Absent: every transaction of the database is isolated so.
   */
  readonly transactionIsolation?: "repeatable read" | "serializable" | undefined;
  /** Whether there are the functions that `sqliteDialect` adds to its connections. */
  readonly hasOwnFunctions: boolean;
  /**
   * Keeps lost connections from ending the process, where the driver of the database does not do so itself.
   * @returns false where the connections cannot be reached
   */
  readonly guardConnections?: ((db: AnyKysely) => Promise<boolean>) | undefined;
  /**
   * What is written instead where no index serves a subquery or a join, so that the database would read all related rows
   * once for each row; absent for a database that finds a better way by itself.
   */
  readonly whenScanning?: DialectProfile | undefined;
}

/** Which forms of a statement a database takes. A distributed one takes few. */
export interface DialectCapabilities {
  /**
   * How the first rows of each of many parents are found: `correlated`: by a subquery per parent with a limit of its
   * own, `key in (select … limit n)`; `lateral`: `cross join lateral (… limit n)`; `window`: by `row_number()`.
   */
  readonly topPerParent: "correlated" | "lateral" | "window";
  /** Whether a subquery may look at the row around it (`exists`, counts). Otherwise: `key in (select …)`. */
  readonly correlatedSubqueries: boolean;
  /** Whether `key in (select …)` may read the whole list, also where few keys are asked for, which `exists` does not. */
  readonly listsWhole: boolean;
  /** Whether single-valued navigations may be joined, in expansions and in orders. Otherwise: by keys, one by one. */
  readonly joins: boolean;
}

/** What is taken by databases that are spread over machines, such as Citus: each part of a statement asks them all. */
export const DISTRIBUTED_CAPABILITIES: DialectCapabilities = Object.freeze<DialectCapabilities>({
  topPerParent: "window",
  correlatedSubqueries: false,
  listsWhole: false,
  joins: false,
});
