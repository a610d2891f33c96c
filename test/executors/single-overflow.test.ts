// Statements: docs/reference/filter.md#arithmetic
import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "./engines.ts";

const Mass = entityType("Mass", { id: edm.int32().key(), a: edm.single(), b: edm.single() });
const ROWS = [
  { id: 1, a: 2e20, b: 3e20 },
  { id: 2, a: -2e20, b: 3e20 },
  { id: 3, a: 2, b: 3 },
  { id: 4, a: 3e38, b: 3e38 },
];
/** Some of the columns of Edm.Single have 32 bits. */
const TYPES: Readonly<Record<DatabaseName, string>> = { sqlite: "real", postgres: "real", mariadb: "float" };

const QUERIES = [
  "$compute=(a mul b) as p&$select=id,p&$orderby=p,id",
  "$apply=compute((a mul b) as p)/groupby((p),aggregate($count as n))&$orderby=p",
  "$apply=aggregate((a mul b) with min as m,(a mul b) with max as x)",
  "$filter=(a mul b) gt 1e40&$select=id",
  "$filter=(a mul b) lt -1e40&$select=id",
  "$filter=(a mul b) gt 3&$select=id",
  "$filter=(a mul b) mul 2 gt 1e300&$select=id",
];

const FOUND: Readonly<Record<string, string>> = {
  [QUERIES[0] ?? ""]: '[{"id":2,"p":"-INF"},{"id":3,"p":6},{"id":1,"p":"INF"},{"id":4,"p":"INF"}]',
  [QUERIES[1] ?? ""]: '[{"p":"-INF","n":1},{"p":6,"n":1},{"p":"INF","n":2}]',
  [QUERIES[2] ?? ""]: '[{"m":"-INF","x":"INF"}]',
  [QUERIES[3] ?? ""]: '[{"id":1},{"id":4}]',
  [QUERIES[4] ?? ""]: '[{"id":2}]',
  [QUERIES[5] ?? ""]: '[{"id":1},{"id":3},{"id":4}]',
  [QUERIES[6] ?? ""]: '[{"id":1},{"id":4}]',
};

async function read(service: ReturnType<typeof odataService>, query: string): Promise<string> {
  const target = `http://service.example/Masses?${encodeURI(query)}&$format=application/json;odata.metadata=none`;
  const response = await service.fetch(new Request(target));
  const text = await response.text();
  expect(response.status, `${query} ${text}`).toBe(200);
  return text.slice('{"value":'.length, -1);
}

const options = { profile: "standard", propertyNaming: "camelCase" } as const;

test.each(QUERIES)("an Edm.Single beyond its range is infinite in memory: %s", async (query) => {
  const service = odataService({
    ...options,
    entitySets: [entitySet(Mass, { name: "Masses", queryable: () => arraySource(Mass, ROWS) })],
  });
  expect(await read(service, query)).toBe(FOUND[query]);
});

test.each(ENGINES)("an Edm.Single beyond its range is infinite: $title", async ({ name, open }) => {
  const { db, close } = await open();
  const type = sql.raw(TYPES[name]);
  await sql`create table masses (id int primary key, a ${type} not null, b ${type} not null)`.execute(db);
  for (const { id, a, b } of ROWS) await sql`insert into masses values (${id}, ${a}, ${b})`.execute(db);
  const service = odataService({
    ...options,
    entitySets: [sqlEntitySet(Mass, { name: "Masses", db, table: "masses", operations: ["read"] })],
  });
  // MariaDB has no infinite number: beyond a Double the statement fails.
  for (const query of name === "mariadb" ? QUERIES.slice(0, -1) : QUERIES) {
    expect([query, await read(service, query)]).toEqual([query, FOUND[query]]);
  }
  await close();
});
