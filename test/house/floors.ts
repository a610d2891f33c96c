/** One room of src/: a folder, the floor it stands on and the rooms that it may import beside itself. */
export interface Room {
  readonly floor: number;
  readonly mayImport: readonly string[];
  /** Modules from outside the package: `node:` stands for every built-in module of Node.js. */
  readonly packages?: readonly string[];
}

/** The rooms up to the request pipeline. A side wing (kysely, openapi) is for none of the floors above to import. */
const LOWER: Readonly<Record<string, Room>> = {
  errors: { floor: 1, mayImport: [] },
  json: { floor: 1, mayImport: ["errors"] },
  edm: { floor: 2, mayImport: ["errors", "json"] },
  http: { floor: 2, mayImport: ["errors", "json"] },
  introspect: { floor: 2, mayImport: ["errors"] },
  syntax: { floor: 3, mayImport: ["edm", "errors", "json"] },
  query: { floor: 3, mayImport: ["edm", "errors", "json"] },
  binder: { floor: 4, mayImport: ["syntax", "query", "edm", "errors", "json"] },
  definition: { floor: 4, mayImport: ["query", "edm", "errors", "json"] },
  csdl: { floor: 4, mayImport: ["query", "edm", "errors"] },
  payload: { floor: 4, mayImport: ["query", "edm", "errors", "json"], packages: ["#cryptography"] },
  memory: { floor: 5, mayImport: ["definition", "query", "edm", "errors", "json"] },
  plan: { floor: 5, mayImport: ["definition", "query", "edm", "errors"] },
  execution: { floor: 6, mayImport: ["plan", "memory", "definition", "query", "edm", "errors"] },
};

/** The catalogues of databases are for the SQL wing. */
const LOWER_ROOMS = Object.keys(LOWER).filter((room) => room !== "introspect");

/**
 * The rooms of src/ and what each may import, type imports included: the wall itself.
 * ARCHITECTURE.md shows the same table; a test holds the two together.
 */
export const FLOORS: Readonly<Record<string, Room>> = {
  ...LOWER,
  kysely: {
    floor: 5,
    mayImport: ["definition", "query", "introspect", "edm", "errors", "json"],
    packages: ["kysely", "node:events", "node:sqlite", "node:process", "node:timers/promises"],
  },
  openapi: {
    floor: 5,
    mayImport: ["definition", "query", "edm", "errors"],
    packages: ["node:process", "node:module", "node:fs"],
  },
  sets: {
    floor: 7,
    mayImport: ["execution", "plan", "memory", "payload", "definition", "query", "edm", "json", "errors"],
  },
  endpoints: { floor: 8, mayImport: [...LOWER_ROOMS.filter((room) => room !== "syntax"), "sets"] },
  service: { floor: 9, mayImport: [...LOWER_ROOMS, "sets", "endpoints"] },
  adapters: { floor: 10, mayImport: ["service", "definition", "http", "errors"], packages: ["node:"] },
};
