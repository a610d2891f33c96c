import type { DialectCapabilities, DialectProfile } from "../dialect-profile.ts";
import { SQLITE_CATALOGUE } from "./catalogue.ts";
import { SQLITE_DOCUMENTS } from "./documents.ts";
import { SQLITE_FUNCTIONS } from "./functions.ts";
import { SQLITE_SCANNING_SYNTAX, SQLITE_SYNTAX } from "./syntax.ts";
import { SQLITE_VALUES } from "./values.ts";

/** Whatever the number of keys: joins by an index that the database makes for the statement, and lists that are read once. */
const SCANNING_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "SQLite",
  functions: SQLITE_FUNCTIONS,
  values: SQLITE_VALUES,
  syntax: SQLITE_SCANNING_SYNTAX,
  documents: SQLITE_DOCUMENTS,
  catalogue: SQLITE_CATALOGUE,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "window",
    correlatedSubqueries: false,
    listsWhole: true,
    joins: true,
  }),
  maxParameters: 32_766,
  hasOwnFunctions: true,
});

/** SQLite with the functions of `sqliteDialect`. */
export const SQLITE_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  ...SCANNING_PROFILE,
  syntax: SQLITE_SYNTAX,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "correlated",
    correlatedSubqueries: true,
    listsWhole: true,
    joins: true,
  }),
  whenScanning: SCANNING_PROFILE,
});

/** SQLite through another dialect. */
export const BARE_SQLITE_PROFILE: DialectProfile = Object.freeze({
  ...SQLITE_PROFILE,
  hasOwnFunctions: false,
  whenScanning: Object.freeze({ ...SCANNING_PROFILE, hasOwnFunctions: false }),
});
