import { MysqlAdapter } from "kysely";
import type { DialectCapabilities } from "../dialect-capabilities.ts";
import type { DialectProfile } from "../dialect-profile.ts";
import { MY_CATALOGUE } from "./catalogue.ts";
import { MY_DOCUMENTS } from "./documents.ts";
import { MY_FAULTS } from "./faults.ts";
import { MY_FUNCTIONS } from "./functions.ts";
import { MY_STREAMING } from "./streaming.ts";
import { MY_SYNTAX, MY_WRITES } from "./syntax.ts";
import { MY_TEXT_MEMORY } from "./text-memory.ts";
import { MY_VALUES } from "./values.ts";

/** MariaDB from version 10.6 on. */
export const MY_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "MariaDB",
  // Also by name, because the application may use another copy of Kysely.
  isSpokenBy: (adapter) => adapter instanceof MysqlAdapter || /mysql|mariadb/i.test(adapter.constructor.name),
  functions: MY_FUNCTIONS,
  values: MY_VALUES,
  syntax: MY_SYNTAX,
  documents: MY_DOCUMENTS,
  writes: MY_WRITES,
  catalogue: MY_CATALOGUE,
  faults: MY_FAULTS,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "window",
    correlatedSubqueries: true,
    listsWhole: false,
    searchesLists: false,
    excludedRows: "skipped",
    countsWithPage: true,
    joins: true,
    bindsKeys: false,
    returnsAnything: true,
    readsInWrites: true,
    locksByCondition: true,
  }),
  maxParameters: 65_535,
  textMemory: MY_TEXT_MEMORY,
  streaming: MY_STREAMING,
  transactionIsolation: "serializable",
});
