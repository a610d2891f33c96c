/** One room of src/: a folder, its floor, and the other rooms that it may import. */
export interface Room {
  readonly floor: number;
  readonly mayImport: readonly string[];
  /** Modules from outside the package: `node:` means every built-in module of Node.js. */
  readonly packages?: readonly string[];
}

/** Folders of src/ whose folders are rooms, each on its own floor. */
export const WINGS: readonly string[] = ["tools"];

/** The rooms up to the request pipeline. No floor above imports a side wing (kysely, openapi, explorer, tools). */
const LOWER: Readonly<Record<string, Room>> = {
  base: { floor: 1, mayImport: [] },
  errors: { floor: 1, mayImport: [] },
  json: { floor: 1, mayImport: ["errors"] },
  edm: { floor: 2, mayImport: ["errors", "json", "base"] },
  http: { floor: 2, mayImport: ["errors", "json", "base"] },
  "tools/introspect": { floor: 2, mayImport: ["errors", "base"] },
  syntax: { floor: 3, mayImport: ["edm", "errors", "json", "base"] },
  query: { floor: 3, mayImport: ["edm", "errors", "json", "base"] },
  binder: { floor: 4, mayImport: ["syntax", "query", "edm", "errors", "json", "base"] },
  definition: { floor: 4, mayImport: ["query", "edm", "errors", "json", "base"] },
  csdl: { floor: 4, mayImport: ["query", "edm", "errors"] },
  payload: { floor: 4, mayImport: ["query", "edm", "errors", "json", "base"], packages: ["#cryptography"] },
  annotations: {
    floor: 5,
    mayImport: ["definition", "query", "edm", "errors", "base"],
    packages: ["#vocabularies"],
  },
  memory: { floor: 5, mayImport: ["definition", "query", "edm", "errors", "json", "base"] },
  plan: { floor: 5, mayImport: ["definition", "query", "edm", "errors", "base"] },
  execution: { floor: 6, mayImport: ["plan", "memory", "definition", "query", "edm", "errors", "base"] },
};

/** Only the SQL wing imports the catalogues of databases. */
const LOWER_ROOMS = Object.keys(LOWER).filter((room) => room !== "tools/introspect");

/** The rooms that SQL and the drivers of databases share, and the drivers. Only the SQL wing imports them. */
const DATABASES: Readonly<Record<string, Room>> = {
  cells: { floor: 3, mayImport: ["edm", "json", "base"] },
  connection: { floor: 4, mayImport: ["tools/introspect", "query", "errors", "base"], packages: ["kysely"] },
  engines: {
    floor: 5,
    mayImport: ["connection", "cells", "query", "edm", "errors", "base"],
    packages: [
      "kysely",
      "node:buffer",
      "node:events",
      "node:sqlite",
      "node:process",
      "node:timers",
      "node:fs",
      "node:path",
      "node:worker_threads",
      "node:v8",
    ],
  },
};

/**
 * The rooms of src/ and what each may import, type imports included: the wall itself.
 * ARCHITECTURE.md shows the same table; a test compares the two.
 */
export const FLOORS: Readonly<Record<string, Room>> = {
  ...LOWER,
  ...DATABASES,
  sql: {
    floor: 6,
    mayImport: [
      "engines",
      "connection",
      "cells",
      "definition",
      "query",
      "tools/introspect",
      "edm",
      "errors",
      "json",
      "base",
    ],
    packages: ["kysely"],
  },
  "tools/schema": {
    floor: 7,
    mayImport: ["sql", "connection", "definition", "query", "tools/introspect", "edm", "errors", "base"],
    packages: ["kysely"],
  },
  kysely: {
    floor: 8,
    mayImport: ["tools/schema", "sql", "connection", "definition", "edm", "errors"],
  },
  openapi: {
    floor: 5,
    mayImport: ["definition", "query", "edm", "errors", "base"],
    packages: ["node:process", "node:module", "node:fs"],
  },
  explorer: {
    floor: 7,
    mayImport: ["execution", "definition", "errors", "base"],
    packages: ["node:fs"],
  },
  "tools/declarations": {
    floor: 9,
    mayImport: ["kysely", "sql", "connection", "definition", "tools/introspect", "edm", "errors", "base"],
    packages: ["kysely"],
  },
  sets: {
    floor: 7,
    mayImport: ["execution", "plan", "memory", "payload", "definition", "query", "edm", "json", "errors", "base"],
  },
  batch: {
    floor: 8,
    mayImport: ["sets", "definition", "http", "edm", "json", "errors", "base"],
  },
  endpoints: { floor: 8, mayImport: [...LOWER_ROOMS.filter((room) => room !== "syntax"), "sets"] },
  service: { floor: 9, mayImport: [...LOWER_ROOMS, "sets", "batch", "endpoints"] },
  adapters: {
    floor: 10,
    mayImport: ["service", "definition", "http", "errors", "base"],
    packages: ["node:", "fastify", "hono"],
  },
  "tools/cli": {
    floor: 11,
    mayImport: ["errors", "base"],
    packages: [
      "node:",
      "odatakit",
      "odatakit/node",
      "odatakit/kysely",
      "odatakit/sqlite",
      "odatakit/mariadb",
      "odatakit/postgres",
      "odatakit/openapi",
      "odatakit/explorer",
      "odatakit/check",
      "odatakit/introspect",
      "#diff3",
      "kysely",
      "pg",
      "mysql2",
      "jose",
    ],
  },
};

/**
 * The floors within a room, by folders and files below its folder, from the ground up: each may import those below it, and
 * entries of the same line do not import one another. `docs/explanations/inside-the-rooms.md` shows the same tables.
 */
export const INNER_FLOORS: Readonly<Record<string, ReadonlyArray<readonly string[]>>> = {
  definition: [
    ["option-table.ts", "names.ts", "logger.ts", "service-profile.ts"],
    ["types"],
    ["handlers.ts", "context.ts"],
    ["sets"],
    ["model"],
    ["startup"],
  ],
  execution: [["entities"], ["rules"], ["reads"], ["writes"]],
  sql: [
    ["statement"],
    ["columns"],
    ["forms"],
    ["dialects/sqlite", "dialects/postgres", "dialects/mysql", "translate"],
    ["read"],
    ["write"],
  ],
};

/**
 * The folders of `explorer/src`, from the ground up, and what each may import: folders of the page, rooms of `src`, packages.
 * Each screen is a folder, and imports no other screen. `explorer/README.md` shows the same table.
 */
export const EXPLORER_FLOORS: Readonly<Record<string, readonly string[]>> = {
  model: [],
  format: ["model"],
  query: ["model", "format", "src/language/syntax", "src/edm"],
  client: [],
  state: ["client", "query", "model", "preact", "@preact/signals"],
  copy: ["query"],
  parts: ["state", "client", "query", "format", "model", "preact"],
  screens: ["parts", "copy", "state", "client", "query", "format", "model", "preact", "@preact/signals"],
  app: [
    "screens",
    "parts",
    "copy",
    "state",
    "client",
    "query",
    "format",
    "model",
    "src/payload",
    "preact",
    "@preact/signals",
  ],
};
