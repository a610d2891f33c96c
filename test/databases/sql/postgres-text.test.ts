import {
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
} from "kysely";
import { ConfigurationError, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { withoutTimeLimit } from "./without-time-limit.ts";

const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string(),
  note: edm.string().nullable(),
  price: edm.decimal(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  ratio: edm.double(),
});

const POSTGRES: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (instance) => new PostgresIntrospector(instance),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const MYSQL: Dialect = {
  createAdapter: () => new MysqlAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (instance) => new MysqlIntrospector(instance),
  createQueryCompiler: () => new MysqlQueryCompiler(),
};

/** The text of the statement of a query. */
async function statementOf(dialect: Dialect, query: string): Promise<string> {
  const texts: string[] = [];
  const db = new Kysely<never>({
    dialect,
    log: (event) => {
      texts.push(event.query.sql);
    },
  });
  const service = odataService({
    schemaCheck: false,
    entitySets: [sqlEntitySet(Product, { db, table: "products", operations: ["read"] })],
  });
  const response = await service.fetch(new Request(`http://service.example/Products?$select=Id&${query}`));
  expect(response.status, await response.text()).toBe(200);
  await db.destroy();
  expect(texts).toHaveLength(1);
  return texts[0] ?? "";
}

/** The rows that meet the other clauses, the limit included, and then their cells. */
const selected = (rest: string): string =>
  `select "page"."c0"::text as "c0" from (select "id" as "c0" from "products" as "it"${rest}) as "page"`;
const AS_C = (text: string): string => `(${text}::text collate "C")`;

describe("the statements of PostgreSQL", () => {
  test.each([
    // The place of null is stated only for nullable columns, so that a plain index serves the others.
    ["$orderby=Name", ` order by ${AS_C('"name"')}, "id" limit $1`],
    ["$orderby=At desc", ' order by "at" desc nulls last, "id" desc limit $1'],
    ["$orderby=At", ' order by "at" asc nulls first, "id" limit $1'],
    // An index with the column's own collation, or with "C", serves an equality.
    ["$filter=Name eq 'a'", ` where ("name" = $1 and ${AS_C('"name"')} = ${AS_C("$2")}) order by "id" limit $3`],
    ["$filter=startswith(Name,'a')", ` where starts_with(${AS_C('"name"')}, ${AS_C("$1")}) order by "id" limit $2`],
    // A client may compare with any 64-bit integer, whatever the column type.
    ["$filter=Id eq 1", ' where "id" = $1::int8 order by "id" limit $2'],
    ["$filter=Price gt 1.5", ' where "price" > $1::numeric order by "id" limit $2'],
    ["$filter=At ge 2024-02-29T00:00:00Z", ' where "at" >= $1::timestamptz order by "id" limit $2'],
    ["$filter=Note ne 'a'", ` where (${AS_C('"note"')} <> ${AS_C("$1")} or "note" is null) order by "id" limit $2`],
  ])("%s", async (query, rest) => {
    expect(await statementOf(POSTGRES, query)).toBe(selected(rest));
  });
});

describe("the statements of MariaDB", () => {
  test.each([
    ["$orderby=At desc", " order by `at` desc, `id` desc limit ?"],
    [
      "$filter=Name eq 'a'",
      " where (`name` = ? and (convert(`name` using utf8mb4) collate utf8mb4_nopad_bin) = (convert(? using utf8mb4) collate utf8mb4_nopad_bin)) order by `id` limit ?",
    ],
    ["$filter=Id eq 1", " where `id` = cast(? as signed) order by `id` limit ?"],
  ])("%s", async (query, rest) => {
    expect(withoutTimeLimit(await statementOf(MYSQL, query))).toBe(
      `select cast(\`id\` + 0 as char) as \`c0\` from \`products\` as \`it\`${rest}`,
    );
  });
});

describe.each([
  ["PostgreSQL", POSTGRES],
  ["MariaDB", MYSQL],
])("over %s, reports a storage that does not fit its type at startup", (_name, dialect) => {
  test.each([
    ["name", "epoch"],
    ["price", "scaled"],
    ["at", "scaled"],
    ["ratio", "text"],
  ] as const)("%s as %s", async (field, storage) => {
    const db = new Kysely<never>({ dialect });
    const make = (): unknown => sqlSource(Product, { db, from: "products", columns: { [field]: { storage } } });
    expect(make).toThrow(ConfigurationError);
    await db.destroy();
  });
});
