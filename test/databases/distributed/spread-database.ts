import { randomBytes } from "node:crypto";
import process from "node:process";
import { CompiledQuery, Kysely, sql } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";

/** How the rows of a table are spread. */
export interface Spread {
  readonly table: string;
  /** The columns and the key, in SQL. */
  readonly columns: string;
  /** The column that decides the machine of a row, and a table that it is co-located with; absent: a reference table. */
  readonly by?: string;
  readonly with?: string;
}

/** A database whose tables are in parts. */
export interface SpreadEngine {
  readonly title: string;
  /** Whether it rejects the statements that Citus rejects. */
  readonly isCitus: boolean;
  readonly open: () => Promise<OpenDatabase>;
  readonly create: (db: AnyDatabase, spread: Spread) => Promise<void>;
  /** Returns how many parts of a table a statement asks, from its plan. */
  readonly partsOf: (db: AnyDatabase, statement: Statement) => Promise<number>;
}

/** A statement with its values. */
type Statement = Pick<CompiledQuery, "sql" | "parameters">;

/** Returns the statements of a query: over `pg`, several may be one batch in place of a text. */
export function commandsOf(query: Statement): readonly Statement[] {
  const text: unknown = query.sql;
  if (typeof text !== "object" || text === null || !("commands" in text)) return [query];
  return text.commands as readonly Statement[];
}

/** The parts of each table. */
const PARTS = 8;

/** A table that is partitioned by the hash of a column: PostgreSQL leaves out partitions as Citus leaves out shards. */
async function createPartitions(db: AnyDatabase, { table, columns, by }: Spread): Promise<void> {
  const partition = by === undefined ? sql`` : sql` partition by hash (${sql.id(by)})`;
  await sql`create table ${sql.id(table)} (${sql.raw(columns)})${partition}`.execute(db);
  if (by === undefined) return;
  for (let part = 0; part < PARTS; part += 1) {
    const name = sql.id(`${table}_${String(part)}`);
    const values = sql`with (modulus ${sql.lit(PARTS)}, remainder ${sql.lit(part)})`;
    await sql`create table ${name} partition of ${sql.id(table)} for values ${values}`.execute(db);
  }
}

async function createShards(db: AnyDatabase, { table, columns, by, with: partner }: Spread): Promise<void> {
  // Connections that place tables as tests create them may be left of another file: they know such statements by their beginning.
  await sql`/* placed below */ create table ${sql.id(table)} (${sql.raw(columns)})`.execute(db);
  const place =
    by === undefined
      ? sql`create_reference_table(${table})`
      : sql`create_distributed_table(${table}, ${by}, colocate_with => ${partner ?? "none"})`;
  await sql`select ${place}`.execute(db);
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

async function planOf(db: AnyDatabase, { sql: text, parameters }: Statement): Promise<Json> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(`explain (format json) ${text}`, [...parameters]));
  return rows as unknown as Json;
}

/** All values of a member, wherever it is. */
function valuesOf(name: string, json: Json): readonly Json[] {
  if (typeof json === "string" && json.startsWith("[")) return valuesOf(name, JSON.parse(json) as Json);
  if (typeof json !== "object" || json === null) return [];
  if (Array.isArray(json)) return json.flatMap((item: Json) => valuesOf(name, item));
  return Object.entries(json).flatMap(([key, value]: readonly [string, Json]) =>
    key === name ? [value] : valuesOf(name, value),
  );
}

async function partitionsOf(db: AnyDatabase, statement: Statement): Promise<number> {
  const scanned = new Set(valuesOf("Relation Name", await planOf(db, statement)).map(String));
  const perTable = new Map<string, number>();
  for (const name of scanned) {
    const [, table] = /^(.*)_\d$/.exec(name) ?? [];
    if (table !== undefined) perTable.set(table, (perTable.get(table) ?? 0) + 1);
  }
  return Math.max(0, ...perTable.values());
}

async function tasksOf(db: AnyDatabase, statement: Statement): Promise<number> {
  return Math.max(0, ...valuesOf("Task Count", await planOf(db, statement)).map(Number));
}

/** A schema on a server of Citus. */
async function openCitus(url: string): Promise<OpenDatabase> {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  const pool = new Pool({ connectionString: url, max: 4, options: `-c search_path=${schema}` });
  pool.on("error", () => undefined);
  const db: AnyDatabase = new Kysely({ dialect: postgresDialect({ pool }) });
  await sql`create schema ${sql.id(schema)}`.execute(db);
  return {
    db,
    close: async () => {
      await sql`drop schema ${sql.id(schema)} cascade`.execute(db);
      await db.destroy();
    },
  };
}

const url = process.env["DISTRIBUTED_URL"];

/** PostgreSQL with partitions, or the server of Citus whose URL is in DISTRIBUTED_URL. */
export const SPREAD_ENGINES: readonly SpreadEngine[] =
  url === undefined
    ? ENGINES.filter(({ name }) => name === "postgres").map(({ title, open }) => ({
        title: `${title} with partitions`,
        isCitus: false,
        open,
        create: createPartitions,
        partsOf: partitionsOf,
      }))
    : [{ title: "Citus", isCitus: true, open: () => openCitus(url), create: createShards, partsOf: tasksOf }];
