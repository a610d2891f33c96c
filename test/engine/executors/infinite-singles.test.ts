import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "./engines.ts";

const Load = entityType("Load", { id: edm.int32().key(), s: edm.single().nullable(), d: edm.double() });
const ROWS = [
  { id: 1, s: 3e38, d: 5 },
  { id: 2, s: -3e38, d: 1.5 },
  { id: 3, s: 2, d: 1.7976931348623157e308 },
  { id: 4, s: null, d: 0 },
];
const TYPES: Readonly<Record<DatabaseName, readonly [single: string, double: string]>> = {
  sqlite: ["real", "real"],
  postgres: ["real", "double precision"],
  mariadb: ["float", "double"],
};

/** The queries that every engine supports. */
const SHOWN = [
  "$compute=s mul 100 as x&$select=id,x&$orderby=x desc,id",
  "$compute=-(s mul 100) as x&$select=id,x&$orderby=x,id",
  "$filter=s mul 100 gt 5&$select=id",
  "$filter=s mul 100 gt s&$select=id",
  "$filter=s mul 100 eq s mul 200&$select=id",
  "$filter=-(s mul 100) lt s mul 200&$select=id",
  "$filter=s mul 100 in (200,5)&$select=id",
  "$filter=id ne 3 and s mul 100 ne 1e300&$select=id",
  "$apply=groupby((id),aggregate(s mul 100 with max as x))&$orderby=id",
  "$apply=compute(s mul 100 as x)/groupby((x),aggregate($count as n))&$orderby=x",
  "$apply=compute(s mul 100 as x)/filter(x ge 1e300)/aggregate(x with countdistinct as n)",
  "$apply=filter(id eq 3)/compute(round(s mul 100) as r,cast(s mul 100,Edm.Double) as c,s mul 100 add d as p)",
];

/** The queries that a database without infinite numbers refuses. */
const REFUSED = [
  "$compute=s mul 100 add d as x&$select=id,x",
  "$compute=d sub s mul 100 as x&$select=id,x",
  "$compute=s mul 100 add 1 as x&$select=id,x",
  "$compute=s mul 100 div 1e10 as x&$select=id,x",
  "$compute=-(s mul 100) mul 2 as x&$select=id,x",
  "$compute=round(s mul 100) as x&$select=id,x",
  "$compute=floor(s mul 100) as x&$select=id,x",
  "$compute=ceiling(-(s mul 100)) as x&$select=id,x",
  "$compute=cast(s mul 100,Edm.Double) as x&$select=id,x",
  "$compute=cast(s mul 100,Edm.Decimal) as x&$select=id,x",
  "$compute=cast(s mul 100,Edm.Int64) as x&$select=id,x",
  "$compute=cast(s mul 100,Edm.String) as x&$select=id,x",
  "$compute=duration'PT1S' mul (s mul 100) as x&$select=id,x",
  "$filter=round(s mul 100) gt 5&$select=id",
  "$filter=s mul 100 add d gt 5&$select=id",
  "$filter=s mul 100 eq d&$select=id",
  "$filter=s mul 100 gt d&$select=id",
  "$filter=s mul 100 ge 1.7976931348623157e308&$select=id",
  "$orderby=s mul 100 add d desc,id&$select=id",
  "$apply=compute(s mul 100 as x)/compute(x add d as y)/aggregate(y with max as m)",
  "$apply=compute(s mul 100 as x)/filter(x add d gt 5)/aggregate($count as n)",
  "$apply=groupby((id),aggregate(s mul 100 with max as x))/compute(round(x) as y)&$orderby=id",
  "$apply=groupby((id),aggregate(s mul 100 with sum as x))&$orderby=id",
];

/** NaN, which is null over tables, and refused where doubles are finite. */
const NOT_A_NUMBER = "$compute=s mul 100 sub s mul 100 as x&$select=id,x&$orderby=id";

const options = { profile: "standard", propertyNaming: "camelCase" } as const;

async function read(service: ReturnType<typeof odataService>, query: string): Promise<string> {
  const target = `http://service.example/Loads?${encodeURI(query)}&$format=application/json;odata.metadata=none`;
  const response = await service.fetch(new Request(target));
  return `${String(response.status)} ${await response.text()}`;
}

/** Reads the pages of one entity each. */
async function readPages(service: ReturnType<typeof odataService>, query: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let next: string | undefined = `http://service.example/Loads?${encodeURI(query)}`;
  while (next !== undefined) {
    const response = await service.fetch(new Request(next, { headers: { Prefer: "odata.maxpagesize=1" } }));
    const page = (await response.json()) as {
      readonly value?: readonly unknown[];
      readonly "@odata.nextLink"?: string;
    };
    expect(response.status, JSON.stringify(page)).toBe(200);
    found.push(...(page.value ?? []));
    next = page["@odata.nextLink"];
  }
  return found;
}

test.each(ENGINES)("an infinite Edm.Single has the same value, or is refused: $title", async ({ name, open }) => {
  const arrays = odataService({
    ...options,
    entitySets: [entitySet(Load, { name: "Loads", queryable: () => arraySource(Load, ROWS) })],
  });
  const { db, close } = await open();
  const [single, double] = TYPES[name].map((type) => sql.raw(type));
  await sql`create table loads (id int primary key, s ${single}, d ${double} not null)`.execute(db);
  for (const { id, s, d } of ROWS) await sql`insert into loads values (${id}, ${s}, ${d})`.execute(db);
  const tables = odataService({
    ...options,
    entitySets: [sqlEntitySet(Load, { name: "Loads", db, table: "loads", operations: ["read"] })],
  });
  const isFinite = name === "mariadb";
  for (const query of SHOWN) expect([query, await read(tables, query)]).toEqual([query, await read(arrays, query)]);
  for (const query of SHOWN.slice(0, 3)) {
    expect([query, await readPages(tables, query)]).toEqual([query, await readPages(arrays, query)]);
  }
  for (const query of REFUSED) {
    const [found, expected] = [await read(tables, query), await read(arrays, query)];
    expect([query, isFinite ? found.slice(0, 4) : found]).toEqual([query, isFinite ? "501 " : expected]);
  }
  expect(await read(arrays, NOT_A_NUMBER)).toContain('{"id":1,"x":"NaN"},{"id":2,"x":"NaN"},{"id":3,"x":0}');
  const text = await read(tables, NOT_A_NUMBER);
  if (isFinite) expect(text.slice(0, 4)).toBe("501 ");
  else expect(text).toContain('{"id":1,"x":null},{"id":2,"x":null},{"id":3,"x":0}');
  await close();
});
