import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { required } from "../../../src/base/required.ts";
import { runSteps, type RunQuery } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema, ObjectColumn, SchemaObject } from "../../../src/databases/introspect/database-schema.ts";
import { readSqliteDatabase } from "../../../src/databases/sqlite/introspect/sqlite-database.ts";
import { EMBEDDED, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { statementsOf } from "../../fixtures/databases/load.ts";

export const SQLITE = required(
  EMBEDDED.find(({ name }) => name === "sqlite"),
  "Each run has SQLite.",
);

/** Opens a database with names, types, keys, views and cells that break assumptions. */
export async function openHostile(): Promise<OpenDatabase> {
  const opened = await SQLITE.open();
  const script = await readFile(new URL("../../fixtures/databases/hostile.sqlite.sql", import.meta.url), "utf8");
  await runAll(opened.db, script);
  return opened;
}

/** Runs the statements of a script without a check of foreign keys. */
export async function runAll(db: AnyDatabase, script: string): Promise<void> {
  await sql`pragma foreign_keys = off`.execute(db);
  for (const statement of statementsOf(script)) await sql.raw(statement).execute(db);
}

/** Runs statements of a catalogue reader, and passes each to a listener. */
export function runOver(db: AnyDatabase, listen: (text: string) => void = () => undefined): RunQuery {
  return async ({ sql: text, parameters, width = 0 }) => {
    listen(text);
    const parts = parameters.length === 0 ? [text] : text.split("?");
    const query = parts.map((part, at) =>
      at < parameters.length ? sql`${sql.raw(part)}${parameters[at]}` : sql.raw(part),
    );
    const { rows } = await sql
      .join(query, sql``)
      .$castTo<Readonly<Record<string, unknown>>>()
      .execute(db);
    return rows.map((row) => Array.from({ length: width }, (_, place) => row[`c${String(place)}`]));
  };
}

/** Reads the main schema, or some. */
export async function readSchema(db: AnyDatabase, schemas?: readonly string[]): Promise<DatabaseSchema> {
  return runSteps(readSqliteDatabase({ schemas }), runOver(db));
}

/** Returns an object by its name. */
export function objectOf({ objects }: DatabaseSchema, name: string): SchemaObject {
  return required(
    objects.find((each) => each.name === name),
    `There is no ${name}.`,
  );
}

/** Returns a column by the names of its object and its own. */
export function columnOf(schema: DatabaseSchema, object: string, name: string): ObjectColumn {
  return required(
    objectOf(schema, object).columns.find((column) => column.name === name),
    `There is no ${object}.${name}.`,
  );
}
