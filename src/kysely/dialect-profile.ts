import { SqliteAdapter } from "kysely";
import type { FunctionName } from "../query/functions.ts";
import type { DialectSyntax } from "./dialects/dialect-syntax.ts";
import type { DialectValues } from "./dialects/dialect-values.ts";
import type { DocumentSyntax } from "./dialects/document-syntax.ts";
import { SQLITE_DOCUMENTS } from "./dialects/sqlite-documents.ts";
import { SQLITE_SYNTAX } from "./dialects/sqlite-syntax.ts";
import { SQLITE_VALUES } from "./dialects/sqlite-values.ts";
import { SQLITE_FUNCTIONS } from "./functions/sqlite.ts";
import type { TranslateCall } from "./functions/translate-call.ts";
import { SynchronousSqliteAdapter } from "./sqlite-adapter.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/** What one kind of database can do, and how it says it. */
export interface DialectProfile {
  /** For messages. */
  readonly name: "SQLite" | "PostgreSQL" | "MySQL";
  /** One SQL form per canonical function. */
  readonly functions: Readonly<Record<FunctionName, TranslateCall>>;
  readonly values: DialectValues;
  readonly syntax: DialectSyntax;
  readonly documents: DocumentSyntax;
  readonly capabilities: DialectCapabilities;
  /** Most values that one statement may bind. */
  readonly maxParameters: number;
  /** Whether there are the functions that `sqliteDialect` adds to its connections. */
  readonly hasOwnFunctions: boolean;
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
  /** Whether single-valued navigations may be joined, in expansions and in orders. Otherwise: by keys, one by one. */
  readonly joins: boolean;
}

const SQLITE: DialectProfile = Object.freeze<DialectProfile>({
  name: "SQLite",
  functions: SQLITE_FUNCTIONS,
  values: SQLITE_VALUES,
  syntax: SQLITE_SYNTAX,
  documents: SQLITE_DOCUMENTS,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "correlated",
    correlatedSubqueries: true,
    joins: true,
  }),
  maxParameters: 32_766,
  hasOwnFunctions: true,
});
const BARE_SQLITE: DialectProfile = Object.freeze({ ...SQLITE, hasOwnFunctions: false });

/** The profile of the database behind a Kysely instance; null where there is none. */
export function dialectProfile(db: AnyKysely): DialectProfile | null {
  const { adapter } = db.getExecutor();
  if (adapter instanceof SynchronousSqliteAdapter) return SQLITE;
  // By name as well: an application may have a copy of Kysely of its own.
  return adapter instanceof SqliteAdapter || /sqlite/i.test(adapter.constructor.name) ? BARE_SQLITE : null;
}

/** The name of the dialect that a Kysely instance speaks, for messages. */
export function dialectName(db: AnyKysely): string {
  return db.getExecutor().adapter.constructor.name.replace(/Adapter$/, "");
}
