import type { DialectCapabilities, DialectProfile } from "../dialect-profile.ts";
import { SQLITE_FUNCTIONS } from "../functions/sqlite.ts";
import { SQLITE_DOCUMENTS } from "./sqlite-documents.ts";
import { SQLITE_SYNTAX } from "./sqlite-syntax.ts";
import { SQLITE_VALUES } from "./sqlite-values.ts";

/** SQLite with the functions of `sqliteDialect`. */
export const SQLITE_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
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

/** SQLite through another dialect. */
export const BARE_SQLITE_PROFILE: DialectProfile = Object.freeze({ ...SQLITE_PROFILE, hasOwnFunctions: false });
