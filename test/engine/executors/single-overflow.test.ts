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

async function read(service: ReturnType<typeof odataService>, query: string, isRefused = false): Promise<string> {
  const target = `http://service.example/Masses?${encodeURI(query)}&$format=application/json;odata.metadata=none`;
  const response = await service.fetch(new Request(target));
  const text = await response.text();
  expect(response.status, `${query} ${text}`).toBe(isRefused ? 501 : 200);
  return text.slice('{"value":'.length, -1);
}

/** MariaDB has no infinite number: it refuses these sums, and does not say 0 or the greatest Double. */
const SUMS: ReadonlyArray<readonly [query: string, found: string]> = [
  ["$apply=filter(id ne 2)/aggregate((a mul b) with sum as s)", '[{"s":"INF"}]'],
  ["$apply=filter(id eq 1)/aggregate((a mul b) with average as s)", '[{"s":"INF"}]'],
  ["$apply=filter(id ne 2)/groupby((id),aggregate((a mul b) with sum as s))/filter(s eq 6)", '[{"id":3,"s":6}]'],
];
const SMALL = [
  "$apply=filter(id eq 3)/aggregate(a with sum as s,(a mul b) with average as v)",
  '[{"s":2,"v":6}]',
] as const;

const options = { profile: "standard", propertyNaming: "camelCase" } as const;

test.each(QUERIES)("an Edm.Single beyond its range is infinite in memory: %s", async (query) => {
  const service = odataService({
    ...options,
    entitySets: [entitySet(Mass, { name: "Masses", queryable: () => arraySource(Mass, ROWS) })],
  });
  expect(await read(service, query)).toBe(FOUND[query]);
});

test.each([...SUMS, SMALL])("totals of an infinite Edm.Single in memory: %s", async (query, found) => {
  const service = odataService({
    ...options,
    entitySets: [entitySet(Mass, { name: "Masses", queryable: () => arraySource(Mass, ROWS) })],
  });
  expect(await read(service, query)).toBe(found);
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
  for (const [query, found] of SUMS) {
    const text = await read(service, query, name === "mariadb");
    if (name !== "mariadb") expect([query, text]).toEqual([query, found]);
  }
  expect(await read(service, SMALL[0])).toBe(SMALL[1]);
  await close();
});

const Load = entityType("Load", { id: edm.int32().key(), d: edm.double() });

test.each(ENGINES)("a sum of Doubles beyond their range is infinite, or refused: $title", async ({ name, open }) => {
  const { db, close } = await open();
  const type = sql.raw(name === "sqlite" ? "real" : "double precision");
  await sql`create table loads (id int primary key, d ${type} not null)`.execute(db);
  // Older versions of SQLite read such numbers in the text of a statement as their neighbours.
  for (const [id, d] of [1.5e308, 1.5e308, -1.5e308, 2e307].entries()) {
    await sql`insert into loads values (${id + 1}, ${d})`.execute(db);
  }
  const service = odataService({
    ...options,
    entitySets: [sqlEntitySet(Load, { db, table: "loads", operations: ["read"] })],
  });
  const send = async (steps: string): Promise<string> => {
    const response = await service.fetch(new Request(`http://service.example/Loads?$apply=${encodeURI(steps)}`));
    return `${String(response.status)} ${(await response.text()).replace(/.*"value":/, "")}`;
  };
  expect(await send("filter(id eq 4)/aggregate(d with sum as s,d with average as a)")).toBe(
    '200 [{"s":2e+307,"a":2e+307}]}',
  );
  const found = await send("filter(id le 2)/aggregate(d with sum as s)");
  expect(found.slice(0, 4)).toBe(name === "sqlite" ? "200 " : "501 ");
  if (name === "sqlite") expect(found).toBe('200 [{"s@odata.type":"#Double","s":"INF"}]}');
  await close();
});
