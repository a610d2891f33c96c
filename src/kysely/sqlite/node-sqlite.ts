import process from "node:process";

/** The module `node:sqlite`, as far as it is used. */
export type NodeSqlite = Pick<typeof import("node:sqlite"), "DatabaseSync">;

/** The part of `process` that looks up built-in modules; Node.js has it from 20.16 on. */
export interface BuiltinModules {
  getBuiltinModule?(name: "node:sqlite"): NodeSqlite | undefined;
  readonly version: string;
}

/**
 * The SQLite that is built into Node.js, looked up when it is first needed: a static import would end a program on an
 * older Node.js with a message that names no remedy.
 * @throws Error when this runtime has none
 */
export function loadNodeSqlite(runtime: BuiltinModules = process): NodeSqlite {
  const sqlite = runtime.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new Error(
      `sqliteDialect needs the module node:sqlite, which Node.js has from 22.18 on; this is ${runtime.version}.`,
    );
  }
  return sqlite;
}
