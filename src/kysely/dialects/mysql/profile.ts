import type { DialectCapabilities, DialectProfile } from "../dialect-profile.ts";
import { MY_CATALOGUE } from "./catalogue.ts";
import { MY_DOCUMENTS } from "./documents.ts";
import { MY_FUNCTIONS } from "./functions.ts";
import { MY_SYNTAX } from "./syntax.ts";
import { MY_VALUES } from "./values.ts";

/** MariaDB from version 10.6 on. */
export const MY_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "MariaDB",
  functions: MY_FUNCTIONS,
  values: MY_VALUES,
  syntax: MY_SYNTAX,
  documents: MY_DOCUMENTS,
  catalogue: MY_CATALOGUE,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "window",
    correlatedSubqueries: true,
    listsWhole: false,
    joins: true,
  }),
  maxParameters: 65_535,
  transactionIsolation: "serializable",
  hasOwnFunctions: true,
});
