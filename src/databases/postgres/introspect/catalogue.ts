import { type CatalogueSteps, textOf } from "../../introspect/catalogue-steps.ts";
import type { DatabaseCatalogue } from "../../introspect/database-catalogue.ts";
import { quoteName } from "../../introspect/quote-name.ts";
import type { WantedTable } from "../../introspect/schema.ts";
import { matched, type Names } from "../../introspect/wanted-objects.ts";
import { readPostgresCatalogue, readPostgresTexts } from "./postgres-catalogue.ts";
import { readPostgresDatabase } from "./postgres-database.ts";
import { checkRowSecurity } from "./row-security.ts";

/** What is in a database of PostgreSQL. */
export const PG_TABLES: DatabaseCatalogue = Object.freeze<DatabaseCatalogue>({
  kind: "postgres",
  quote: '"',
  ignoresCase: false,
  read: readPostgresCatalogue,
  readTexts: readPostgresTexts,
  readAll: readPostgresDatabase,
  *readWanted(wanted) {
    const database = yield* readPostgresDatabase();
    return matched(database, yield* namesOf(wanted), String);
  },
  estimate: ({ text }) => ({
    sql: `select reltuples::float8::bigint::text as c0 from pg_class
      where oid = to_regclass($1)::oid and relkind in ('r', 'p') and not relrowsecurity`,
    parameters: [text],
    width: 1,
  }),
  triggered: `select distinct n.nspname::text as c0, c.relname::text as c1 from pg_trigger t
    join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and t.tgtype & 7 = 7`,
  accountOf: (user) => quoteName(user, PG_TABLES),
  fillsIn: () => false,
  setsDefaults: true,
  indexes: { namesIndexes: true, nullsAreLast: true, textCollation: "C", unindexedTypes: ["json", "jsonb", "xml"] },
  texts: {
    serves: (_column, { collation }) => collation === "C" || collation === "POSIX",
    statedSet: () => "",
    fix: ({ text }, { name, nullable }) =>
      `create index on ${text} (${quoteName(name, PG_TABLES)} collate "C"${nullable ? " nulls first" : ""})`,
  },
  examine: checkRowSecurity,
});

/** PostgreSQL finds objects by the schemas of the session. */
const NAMES = `select w.name as c0, n.nspname::text as c1, c.relname::text as c2
  from json_array_elements_text($1::json) as w(name) join pg_class c on c.oid = to_regclass(w.name)::oid
  join pg_namespace n on n.oid = c.relnamespace`;

function* namesOf(wanted: readonly WantedTable[]): CatalogueSteps<Names> {
  const parameters = [JSON.stringify(wanted.map(({ text }) => text))];
  const rows = yield { sql: NAMES, parameters, width: 3 };
  return new Map(rows.map(([text, schema, name]) => [textOf(text), { schema: textOf(schema), name: textOf(name) }]));
}
