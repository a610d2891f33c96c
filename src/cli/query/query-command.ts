import type { Command } from "../command.ts";
import { DATABASE_OPTIONS } from "../database-options.ts";
import { SHARED_OPTIONS } from "../shared-options.ts";
import { runQuery } from "./run-query.ts";

const flag = { type: "boolean", value: null, default: null, inFile: false } as const;

/** `odatakit query`: one request without a server. */
export const queryCommand: Command = {
  name: "query",
  summary: "send one request to a service over a database, and print the response",
  positionals: '<db> "Orders?$top=3"',
  maxPositionals: 2,
  options: {
    sql: { ...flag, summary: "print each statement, with its rows and milliseconds" },
    plan: { ...flag, summary: "print the plan of each statement too" },
    ...DATABASE_OPTIONS,
    ...SHARED_OPTIONS,
  },
  examples: [
    [`odatakit query ./shop.db 'Orders?$top=3'`, "three orders"],
    [`odatakit query ./shop.db 'Orders?$expand=Customer' --sql --plan`, "the statements of an expansion"],
  ],
  run: runQuery,
};
