import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { textOf, type CatalogueSteps } from "../introspect/catalogue-steps.ts";
import type { DatabaseKind, DatabaseSchema, ObjectName, SchemaObject } from "../introspect/database-schema.ts";
import type { WantedTable } from "../introspect/schema.ts";
import { readMysqlDatabase } from "../mariadb/introspect/mysql-database.ts";
import { readPostgresDatabase } from "../postgres/introspect/postgres-database.ts";
import { readSqliteDatabase } from "../sqlite/introspect/sqlite-database.ts";

/** A whole database, and the objects in it that names in statements refer to. */
export interface WantedObjects {
  readonly database: DatabaseSchema;
  /** By `WantedTable.text`, without objects that the catalogue does not list, such as temporary tables. */
  readonly objects: ReadonlyMap<string, SchemaObject>;
}

/** Reads a whole database, and finds the objects of declarations in it. */
export function* readWantedObjects(kind: DatabaseKind, wanted: readonly WantedTable[]): CatalogueSteps<WantedObjects> {
  switch (kind) {
    case "postgres": {
      const database = yield* readPostgresDatabase();
      return { database, objects: matched(database, yield* postgresNames(wanted), String) };
    }
    case "mysql": {
      const [[own] = []] = yield { sql: "select database() as c0", parameters: [], width: 1 };
      const named = namedSchemas(wanted, own === null ? [] : [textOf(own)]);
      const database = yield* readMysqlDatabase(named.length === 0 ? {} : { schemas: named });
      return { database, objects: matched(database, statedNames(database, wanted), toLowerCase) };
    }
    case "sqlite": {
      const database = yield* readSqliteDatabase({ schemas: namedSchemas(wanted, ["main"]) });
      return { database, objects: matched(database, statedNames(database, wanted), toLowerCase) };
    }
  }
}

/** PostgreSQL finds objects by the schemas of the session. */
const PG_NAMES = `select w.name as c0, n.nspname::text as c1, c.relname::text as c2
  from json_array_elements_text($1::json) as w(name) join pg_class c on c.oid = to_regclass(w.name)::oid
  join pg_namespace n on n.oid = c.relnamespace`;

type Names = ReadonlyMap<string, ObjectName>;

function* postgresNames(wanted: readonly WantedTable[]): CatalogueSteps<Names> {
  const parameters = [JSON.stringify(wanted.map(({ text }) => text))];
  const rows = yield { sql: PG_NAMES, parameters, width: 3 };
  return new Map(rows.map(([text, schema, name]) => [textOf(text), { schema: textOf(schema), name: textOf(name) }]));
}

function statedNames({ defaultSchema }: DatabaseSchema, wanted: readonly WantedTable[]): Names {
  return new Map(
    wanted.map(({ text, names }) => [text, { schema: names.at(-2) ?? defaultSchema, name: names.at(-1) ?? "" }]),
  );
}

function namedSchemas(wanted: readonly WantedTable[], own: readonly string[]): readonly string[] {
  return [...new Set([...own, ...wanted.flatMap(({ names }) => names.slice(-2, -1))])];
}

/** Prefers an object with exactly the name to one whose name is the same after `simplify`. */
function matched(
  { objects }: DatabaseSchema,
  names: Names,
  simplify: (name: string) => string,
): WantedObjects["objects"] {
  const keyOf = ({ schema, name }: ObjectName): string => JSON.stringify([schema, name]);
  const similar = new Map(objects.map((object) => [simplify(keyOf(object)), object]));
  const exact = new Map(objects.map((object) => [keyOf(object), object]));
  const found = Array.from(names, ([text, name]) => {
    const object = exact.get(keyOf(name)) ?? similar.get(simplify(keyOf(name)));
    return object === undefined ? [] : [[text, object] as const];
  });
  return new Map(found.flat());
}

function toLowerCase(name: string): string {
  return name.toLowerCase();
}

/** Finds the tables and views that no set and no navigation declares. */
export function undeclaredObjects({ database, objects }: WantedObjects): readonly SchemaFinding[] {
  const declared = new Set(objects.values());
  return database.objects
    .filter((object) => object.omission === null && !declared.has(object))
    .map(({ kind, schema, name }): SchemaFinding => {
      const table = schema === database.defaultSchema ? name : `${schema}.${name}`;
      return {
        code: "C14",
        severity: "info",
        set: table,
        table,
        message: `The ${kind} \`${table}\` belongs to no entity set.`,
        fix: "Declare an entity set over it, such as with `odatakit pull`, or leave it out on purpose.",
      };
    });
}
