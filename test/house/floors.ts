/** One room of src/: a folder, its floor, and what it may import of the other rooms. */
export interface Room {
  readonly floor: number;
  /** What is in it, for the page. */
  readonly content: string;
  /** Other rooms, or parts of them. */
  readonly mayImport: readonly string[];
  /** Modules from outside the package: `node:` means every built-in module of Node.js. */
  readonly packages?: readonly string[];
  /** The floors within the room, from the ground up. Parts of the same line do not import one another. */
  readonly parts?: ReadonlyArray<readonly Part[]>;
}

/** A part of a room: a folder or a file, or `.` for the files that stand in the room itself. */
export interface Part {
  readonly name: string;
  /** What it may import of the other rooms, if that is less than its room may. */
  readonly mayImport?: readonly string[];
  /** The packages that it may import, if they are other ones than those of its room. */
  readonly packages?: readonly string[];
}

/** Folders of src/ whose folders are rooms, each on its own floor. */
export const WINGS: readonly string[] = ["hosts", "tools"];

const NO_PACKAGES: readonly string[] = [];

/** A part that may import all that its room may. */
const part = (name: string): Part => ({ name });

const DATABASES: Room = {
  floor: 5,
  content: "the executor over SQL; a folder for each database, with its driver, dialect and catalogue",
  mayImport: ["definition", "language/query", "edm", "base"],
  packages: ["kysely"],
  parts: [
    [
      { name: "introspect", mayImport: ["base"], packages: NO_PACKAGES },
      { name: "cells", mayImport: ["edm", "base"], packages: NO_PACKAGES },
    ],
    [{ name: "placement/catalogue", mayImport: ["base"], packages: NO_PACKAGES }],
    [
      { name: "sqlite/introspect", mayImport: ["base"], packages: NO_PACKAGES },
      { name: "postgres/introspect", mayImport: ["base"], packages: NO_PACKAGES },
      { name: "mariadb/introspect", mayImport: ["base"], packages: NO_PACKAGES },
      { name: "connection", mayImport: ["language/query", "edm", "base"] },
    ],
    [
      {
        name: "sqlite/driver",
        mayImport: ["language/query", "edm", "base"],
        packages: ["kysely", "node:fs", "node:path", "node:sqlite", "node:timers", "node:v8", "node:worker_threads"],
      },
      { name: "postgres/driver", mayImport: ["language/query", "edm", "base"] },
      {
        name: "mariadb/driver",
        mayImport: ["language/query", "edm", "base"],
        packages: ["kysely", "node:buffer", "node:events"],
      },
    ],
    [part("statement")],
    [part("columns")],
    [part("forms")],
    [{ name: "placement", packages: NO_PACKAGES }],
    [part("sqlite/dialect"), part("postgres/dialect"), part("mariadb/dialect"), part("translate")],
    [{ name: "kinds", packages: ["kysely"] }],
    [{ name: "replicas", packages: NO_PACKAGES }],
    [part("read")],
    [part("write"), part("schema")],
    [{ name: "kysely", mayImport: ["definition", "edm", "base"], packages: NO_PACKAGES }],
  ],
};

const SERVICE: Room = {
  floor: 6,
  content: "the pipeline of a request on one screen, its routes and errors; one file for each kind of request",
  mayImport: ["engine", "payload", "definition", "language", "http", "edm", "base"],
  parts: [
    [{ name: "sets", mayImport: ["engine", "payload", "definition", "language/query", "edm", "base"] }],
    [
      { name: "batch", mayImport: ["definition", "http", "edm", "base"] },
      {
        name: "endpoints",
        mayImport: ["engine", "payload", "definition", "language/binder", "language/query", "http", "edm", "base"],
      },
    ],
    [part(".")],
  ],
};

const COMMAND: Room = {
  floor: 8,
  content: "the command `odatakit`; uses the package as applications do",
  mayImport: ["base"],
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
};

/**
 * The rooms of src/ and what each may import, type imports included: the wall itself. `npm test -- test/house/architecture -u`
 * writes the page docs/explanations/rooms.md from it.
 */
export const FLOORS: Readonly<Record<string, Room>> = {
  base: {
    floor: 1,
    content: "errors, lossless JSON, small functions; nothing of OData but its error",
    mayImport: [],
    parts: [[part("."), part("errors")], [part("json")]],
  },
  edm: { floor: 2, content: "the entity data model: types, values, literals", mayImport: ["base"] },
  http: { floor: 2, content: "facts of HTTP and of the headers of the protocol; knows no model", mayImport: ["base"] },
  language: {
    floor: 3,
    content: "URL text → syntax tree → bound query, or a 4xx; the interface of a source of rows",
    mayImport: ["edm", "base"],
    parts: [[part("syntax"), part("query")], [part("binder")]],
  },
  definition: {
    floor: 4,
    content: "the declarations of an application, checked and frozen at startup; annotations",
    mayImport: ["language/query", "edm", "base"],
    parts: [
      [part("option-table.ts"), part("names.ts"), part("logger.ts"), part("service-profile.ts")],
      [part("types")],
      [part("handlers.ts"), part("context.ts")],
      [part("sets")],
      [part("model")],
      [part("startup")],
      [{ name: "annotations", packages: ["#vocabularies"] }],
    ],
  },
  payload: {
    floor: 4,
    content: "entities → JSON, URLs, ETags, context URLs; bodies → values; model → CSDL",
    mayImport: ["language/query", "edm", "base"],
    packages: ["#cryptography"],
    parts: [[part("."), { name: "csdl", mayImport: ["language/query", "edm"], packages: NO_PACKAGES }]],
  },
  engine: {
    floor: 5,
    content: "plans, the executor in memory, rules, and the calls of handlers that read and write",
    mayImport: ["definition", "language/query", "edm", "base"],
    parts: [[part("plan"), part("memory")], [part("entities")], [part("rules")], [part("reads")], [part("writes")]],
  },
  databases: DATABASES,
  "hosts/openapi": {
    floor: 5,
    content: "services → OpenAPI 3.1, and the routes that serve it",
    mayImport: ["definition", "language/query", "edm", "base"],
    packages: ["node:process", "node:module", "node:fs"],
  },
  service: SERVICE,
  "hosts/explorer": {
    floor: 6,
    content: "the route of the explorer: its page, facts about the service, traces of requests",
    mayImport: ["engine", "definition", "base"],
    packages: ["node:fs"],
  },
  "tools/declarations": {
    floor: 6,
    content: "the catalogue of a database → declarations, as data and live",
    mayImport: ["databases", "definition", "edm", "base"],
    packages: ["kysely"],
  },
  "hosts/adapters": {
    floor: 7,
    content: "`node:http` with timeouts and compression, Express, Fastify, Hono",
    mayImport: ["service", "definition", "http", "edm", "base"],
    packages: ["node:", "fastify", "hono"],
  },
  "tools/cli": COMMAND,
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
  screens: [
    "parts",
    "copy",
    "state",
    "client",
    "query",
    "format",
    "model",
    "preact",
    "@preact/signals",
    "d3-scale",
    "@dagrejs/dagre",
    "@codemirror",
  ],
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
