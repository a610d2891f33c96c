import type { DialectCapabilities, DialectProfile } from "../dialect-profile.ts";
import { PG_CATALOGUE } from "./catalogue.ts";
import { PG_DOCUMENTS } from "./documents.ts";
import { PG_FUNCTIONS } from "./functions.ts";
import { guardPool } from "./pool.ts";
import { PG_SYNTAX } from "./syntax.ts";
import { PG_VALUES } from "./values.ts";

/** PostgreSQL from version 14 on. */
export const PG_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "PostgreSQL",
  functions: PG_FUNCTIONS,
  values: PG_VALUES,
  syntax: PG_SYNTAX,
  documents: PG_DOCUMENTS,
  catalogue: PG_CATALOGUE,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "lateral",
    correlatedSubqueries: true,
    listsWhole: true,
    joins: true,
  }),
  maxParameters: 65_535,
  transactionIsolation: "repeatable read",
  hasOwnFunctions: true,
  guardConnections: guardPool,
});
