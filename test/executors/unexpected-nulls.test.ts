import { sql } from "kysely";
import { edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

/** Views, queries and expressions may return null for a property that is not nullable: no catalogue tells. */
const Item = entityType("Item", { id: edm.int32().key(), t: edm.string(), n: edm.int32() });
const SIZES = [1, 2, 3] as const;

async function walk(service: ODataService, path: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let next: string | undefined = `http://service.example/${path}`;
  for (let pages = 0; next !== undefined && pages < 20; pages += 1) {
    const response: Response = await service.fetch(new Request(next));
    const text = await response.text();
    if (response.status !== 200) return [response.status, text];
    const body = JSON.parse(text) as {
      readonly value: ReadonlyArray<{ readonly id: number }>;
      readonly "@odata.nextLink"?: string;
    };
    found.push(...body.value.map(({ id }) => id));
    next = body["@odata.nextLink"];
  }
  return found;
}

describe.each(ENGINES)("null under properties that are not nullable: $title", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    await sql`create table rows_of_items (id int primary key, t varchar(10), n int)`.execute(db);
    await sql`insert into rows_of_items values (1, 'a', 1), (2, null, 1), (3, 'b', null), (4, null, null), (5, 'c', 2), (6, null, 2), (7, 'b', 1)`.execute(
      db,
    );
    await sql`create table items (id int primary key, a varchar(10) not null, b int not null)`.execute(db);
    await sql`insert into items select id, coalesce(t, ''), coalesce(n, 0) from rows_of_items`.execute(db);
    await sql`create view seen_items as select id, t, n from rows_of_items`.execute(db);
    const set = { db, operations: ["read"], paging: "keyset" } as const;
    const columns = { t: { sql: "nullif(a, '')" }, n: { sql: "nullif(b, 0)" } };
    const from = { sql: "select id, t, n from rows_of_items", parameters: [] };
    const sets = [1000, ...SIZES].flatMap((maxTop) => {
      const named = { ...set, maxTop };
      const name = String(maxTop);
      return [
        sqlEntitySet(Item, { ...named, name: `View${name}`, table: "seen_items" }),
        sqlEntitySet(Item, { ...named, name: `Expression${name}`, table: "items", columns }),
        entitySet(Item, {
          paging: "keyset",
          maxTop,
          name: `Query${name}`,
          queryable: () => sqlSource(Item, { db, from }),
        }),
      ];
    });
    service = odataService({
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      propertyNaming: "camelCase",
      secret: "0123456789abcdef",
      entitySets: sets,
    });
  });
  afterAll(() => opened.close());

  // The service does not know which names of PostgreSQL are views.
  test.each(engine.name === "postgres" ? ["Expression", "Query"] : ["View", "Expression", "Query"])(
    "the pages of a %s are the set, each row once",
    async (name) => {
      for (const order of ["t", "t desc", "n,t desc", "n desc,t", "t desc,n desc,id desc", "t,n,id desc"]) {
        for (const options of ["$select=id", "$select=id&$count=true", "$select=id&$filter=id gt 1"]) {
          const query = `?${options}&$orderby=${encodeURIComponent(order)}`;
          const whole = await walk(service, `${name}1000${query}`);
          expect(whole, query).toHaveLength(options.endsWith("gt 1") ? 6 : 7);
          for (const size of SIZES) expect(await walk(service, `${name}${String(size)}${query}`), query).toEqual(whole);
        }
      }
    },
  );
});
