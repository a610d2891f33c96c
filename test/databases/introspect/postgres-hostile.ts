import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { runUndone } from "../../../src/databases/connection/undone-statements.ts";
import { runSteps, type RunQuery } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaObject } from "../../../src/databases/introspect/database-schema.ts";
import { readPostgresDatabase } from "../../../src/databases/postgres/introspect/postgres-database.ts";
import { EMBEDDED, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

/** PostgreSQL in this process. */
export const PGLITE = EMBEDDED.find(({ title }) => title === "PGlite");

/** Runs statements of a script one after another. */
export async function runScript(db: AnyDatabase, text: string): Promise<void> {
  for (const statement of text.split(/;\n/)) {
    if (statement.trim() !== "") await sql.raw(statement).execute(db);
  }
}

/** Opens a database with names, types, keys and views that break assumptions. */
export async function openHostile(): Promise<OpenDatabase> {
  const opened = await PGLITE?.open();
  if (opened === undefined) throw new Error("There is no PGlite in this run.");
  await runScript(
    opened.db,
    await readFile(new URL("../../fixtures/databases/hostile.postgres.sql", import.meta.url), "utf8"),
  );
  return {
    db: opened.db,
    close: async () => {
      await runScript(opened.db, 'reset role;\ndrop schema "Ünï côde" cascade;\ndrop schema sales cascade;\n');
      await runScript(opened.db, "drop schema public cascade;\ncreate schema public;\n");
      await opened.close();
    },
  };
}

/** Runs statements of a catalogue reader. */
export function runOver(db: AnyDatabase): RunQuery {
  return async (query) => {
    const { sql: text, width } = query;
    if (query.undone !== undefined) return runUndone(db, query);
    const { rows } = await sql.raw<Readonly<Record<string, unknown>>>(text).execute(db);
    if (width === undefined) return rows.map((row) => Object.values(row));
    return rows.map((row) => Array.from({ length: width }, (_, place) => row[`c${String(place)}`]));
  };
}

/** Reads all schemas, or some. */
export async function readSchema(db: AnyDatabase, schemas?: readonly string[]): Promise<DatabaseSchema> {
  return runSteps(readPostgresDatabase({ schemas }), runOver(db));
}

/** Returns an object by its name, with the schema if it is not `public`. */
export function objectOf({ objects }: DatabaseSchema, name: string): SchemaObject {
  const found = objects.find((each) => (each.schema === "public" ? "" : `${each.schema}.`) + each.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}
