import type { DialectCapabilities, DialectProfile } from "../dialect-profile.ts";
import { PG_FUNCTIONS } from "../functions/postgres.ts";
import { PG_CATALOGUE } from "./postgres-catalogue.ts";
import { PG_DOCUMENTS } from "./postgres-documents.ts";
import { guardPool } from "./postgres-pool.ts";
import { PG_SYNTAX } from "./postgres-syntax.ts";
import { PG_VALUES } from "./postgres-values.ts";

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
