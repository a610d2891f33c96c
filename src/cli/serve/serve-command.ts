import type { Command } from "../command.ts";
import { DATABASE_OPTIONS } from "../database-options.ts";
import { NO_INSTALL } from "../shared-options.ts";
import { runServe } from "./run-serve.ts";

const inFile = { default: null, inFile: true } as const;

/** `odatakit serve`: a complete service over a database, without code. */
export const serveCommand: Command = {
  name: "serve",
  summary: "serve a database as OData, read-only unless --write is given",
  positionals: "<db>",
  maxPositionals: 1,
  options: {
    host: { ...inFile, type: "string", value: "<address>", default: "127.0.0.1", summary: "where to listen" },
    port: {
      ...inFile,
      type: "string",
      value: "<port>",
      default: "3000, or the next free one up to 3009",
      summary: "the TCP port; 0 lets the system choose",
    },
    prefix: { ...inFile, type: "string", value: "<path>", default: "/odata", summary: "the path of the service" },
    ...DATABASE_OPTIONS,
    profile: {
      ...inFile,
      type: "string",
      value: "standard|specification",
      default: "standard",
      summary: "whose rules decide where the standard leaves a choice",
    },
    "max-top": { ...inFile, type: "string", value: "<rows>", default: "1000", summary: "the most entities of a page" },
    timeout: {
      ...inFile,
      type: "string",
      value: "<time>",
      default: "10s",
      summary: "how long a statement may run, such as 500ms, 10s or 2m",
    },
    pool: {
      ...inFile,
      type: "string",
      value: "<connections>",
      default: "5",
      summary: "the most connections to a server",
    },
    paging: {
      ...inFile,
      type: "string",
      value: "keyset|offset",
      default: "keyset",
      summary: "how next links find the next page; keyset uses ODATAKIT_SECRET",
    },
    write: {
      ...inFile,
      type: "list",
      value: "<Set,Set>",
      isValueOptional: true,
      summary: "let requests write these sets, or all with a primary key; needs --auth",
    },
    auth: {
      ...inFile,
      type: "string",
      value: "key|basic",
      summary: "ask for an API key of ODATAKIT_API_KEYS, or a user of ODATAKIT_USERS_FILE",
    },
    anonymous: {
      ...inFile,
      type: "boolean",
      value: null,
      summary: "let everybody read, although --host is reachable for others",
    },
    "trust-proxy": {
      ...inFile,
      type: "boolean",
      value: null,
      summary: "believe the Forwarded headers of a proxy in front",
    },
    cors: { ...inFile, type: "list", value: "<origin>", summary: "let pages of this origin read responses" },
    "no-openapi": { ...inFile, type: "boolean", value: null, summary: "do not serve openapi.json" },
    watch: {
      ...inFile,
      type: "string",
      value: "<interval>|off",
      default: "10s, or off if others reach --host",
      summary: "how often to look for changes of the schema",
    },
    quiet: { type: "boolean", value: null, default: null, inFile: false, summary: "print nothing but problems" },
    json: {
      type: "boolean",
      value: null,
      default: null,
      inFile: false,
      summary: 'print one JSON object per line, first {"url","pid"}',
    },
    ...NO_INSTALL,
  },
  examples: [
    ["odatakit serve ./shop.db", "every table of a SQLite file, for this machine"],
    ["odatakit serve postgres://app@db/shop --schema sales", "one schema of PostgreSQL"],
    ["ODATAKIT_API_KEYS=… odatakit serve ./shop.db --host 0.0.0.0 --auth key", "for other machines, with API keys"],
  ],
  run: runServe,
};
