import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { runSteps, type RunQuery } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseSchema, SchemaObject } from "../../../src/databases/introspect/database-schema.ts";
import { readMysqlDatabase } from "../../../src/databases/mariadb/introspect/mysql-database.ts";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { statementsOf } from "../../fixtures/databases/load.ts";

/** MariaDB; absent in a run without its server. */
export const MARIADB = ENGINES.find(({ name }) => name === "mariadb");

/** Opens a database with names, types, keys and views that break assumptions. */
export async function openHostile(): Promise<OpenDatabase> {
  const opened = await MARIADB?.open();
  if (opened === undefined) throw new Error("There is no MariaDB in this run.");
  const script = await readFile(new URL("../../fixtures/databases/hostile.mysql.sql", import.meta.url), "utf8");
  // The mode belongs to the connection.
  await opened.db.connection().execute(async (db) => {
    for (const statement of statementsOf(script)) await sql.raw(statement).execute(db);
    await sql`set sql_mode = default`.execute(db);
  });
  return opened;
}

/** Runs statements of a catalogue reader. */
export function runOver(db: AnyDatabase): RunQuery {
  return async ({ sql: text, parameters, width = 0 }) => {
    const texts = text.split("?");
    const query = texts.map((part, at) =>
      at < parameters.length ? sql`${sql.raw(part)}${parameters[at]}` : sql.raw(part),
    );
    const { rows } = await sql
      .join(query, sql``)
      .$castTo<Readonly<Record<string, unknown>>>()
      .execute(db);
    return rows.map((row) => Array.from({ length: width }, (_, place) => row[`c${String(place)}`]));
  };
}

/** Reads the database of the connection, or some. */
export async function readSchema(db: AnyDatabase, schemas?: readonly string[]): Promise<DatabaseSchema> {
  return runSteps(readMysqlDatabase({ schemas }), runOver(db));
}

/** Returns an object by its name. */
export function objectOf({ objects }: DatabaseSchema, name: string): SchemaObject {
  const found = objects.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}
