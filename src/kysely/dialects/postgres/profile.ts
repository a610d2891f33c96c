import { PostgresAdapter } from "kysely";
import type { DialectCapabilities } from "../dialect-capabilities.ts";
import type { DialectProfile } from "../dialect-profile.ts";
import { PG_CATALOGUE, PG_SPREAD_CATALOGUE } from "./catalogue.ts";
import { PG_DOCUMENTS } from "./documents.ts";
import { PG_FAULTS } from "./faults.ts";
import { PG_FUNCTIONS, PG_SPREAD_FUNCTIONS } from "./functions.ts";
import { PG_JSON_SYNTAX } from "./json.ts";
import { PG_STREAMING } from "./streaming.ts";
import { PG_SPREAD_SYNTAX, PG_SYNTAX, PG_WRITES } from "./syntax.ts";
import { PG_SPREAD_VALUES, PG_VALUES } from "./values.ts";

/** PostgreSQL from version 14 on. */
export const PG_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "PostgreSQL",
  // Also by name, because the application may use another copy of Kysely.
  isSpokenBy: (adapter) => adapter instanceof PostgresAdapter || /postgres|pglite/i.test(adapter.constructor.name),
  functions: PG_FUNCTIONS,
  values: PG_VALUES,
  syntax: PG_SYNTAX,
  documents: PG_DOCUMENTS,
  json: PG_JSON_SYNTAX,
  writes: PG_WRITES,
  catalogue: PG_CATALOGUE,
  faults: PG_FAULTS,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "lateral",
    correlatedSubqueries: true,
    listsWhole: true,
    searchesLists: true,
    excludedRows: "computed",
    countsWithPage: true,
    joins: true,
    bindsKeys: false,
    returnsAnything: true,
    readsInWrites: true,
    locksByCondition: true,
  }),
  maxParameters: 65_535,
  streaming: PG_STREAMING,
  positions: true,
  transactionIsolation: "repeatable read",
  // PGlite has no connections.
  mayEndProcess: (adapter) => !/pglite/i.test(adapter.constructor.name),
  whenDistributed: {
    functions: PG_SPREAD_FUNCTIONS,
    values: PG_SPREAD_VALUES,
    syntax: PG_SPREAD_SYNTAX,
    catalogue: PG_SPREAD_CATALOGUE,
  },
});
