import type { Command } from "../command.ts";
import { DATABASE_OPTIONS, SHARED_OPTIONS } from "../database-options.ts";
import { runServe } from "./run-serve.ts";
import { SERVE_OPTIONS } from "./serve-options.ts";

/** `odatakit serve`: a complete service over a database, without code. */
export const serveCommand: Command = {
  name: "serve",
  summary: "serve a database as OData, read-only unless --write is given",
  positionals: "<db>",
  maxPositionals: 1,
  options: {
    ...SERVE_OPTIONS,
    ...DATABASE_OPTIONS,
    quiet: { type: "boolean", value: null, default: null, inFile: false, summary: "print nothing but problems" },
    json: {
      type: "boolean",
      value: null,
      default: null,
      inFile: false,
      summary: 'print one JSON object per line, first {"url","explorer","pid"}',
    },
    open: { type: "boolean", value: null, default: null, inFile: false, summary: "open the explorer in the browser" },
    ...SHARED_OPTIONS,
  },
  examples: [
    ["odatakit serve ./shop.db", "every table of a SQLite file, for this machine"],
    ["odatakit serve postgres://app@db/shop --schema sales", "one schema of PostgreSQL"],
    ["ODATAKIT_API_KEYS=… odatakit serve ./shop.db --host 0.0.0.0 --auth key", "for other machines, with API keys"],
  ],
  run: runServe,
};
