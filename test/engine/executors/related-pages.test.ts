import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import { ENGINES, type DatabaseName } from "./engines.ts";

const Bay = entityType("Bay", { id: edm.int32().key(), name: edm.string() });
const Crate = entityType("Crate", {
  id: edm.int32().key(),
  outer: edm.int32().nullable(),
  bay: edm.int32().nullable(),
});
const TEXT: Readonly<Record<DatabaseName, string>> = { sqlite: "text", postgres: "text", mariadb: "varchar(9)" };

/** The queries of the pages, and the ids of all their rows in order. */
const QUERIES: ReadonlyArray<readonly [query: string, ids: readonly number[]]> = [
  ["$compute=In/Name as N", [2, 3, 4, 5, 6, 7]],
  ["$compute=Bay add 1 as N&$select=Id,N", [2, 3, 4, 5, 6, 7]],
  ["$compute=In/Name as N&$orderby=N desc", [7, 5, 3, 6, 4, 2]],
  ["$apply=filter(Id gt 2)&$compute=In/Name as N", [3, 4, 5, 6, 7]],
  ["$filter=In/Name ne 'x'&$expand=In", [2, 3, 4, 5, 6, 7]],
];

test.each(ENGINES)("pages of related entities are in the order of their keys: $title", async ({ name, open }) => {
  const { db, close } = await open();
  await sql`create table bays (id int primary key, name ${sql.raw(TEXT[name])} not null)`.execute(db);
  await sql`create table crates (id int primary key, outside int, bay int)`.execute(db);
  await sql`insert into bays values (1, 'a'), (2, 'b')`.execute(db);
  // Rows along the index are in another order than by key.
  await sql`create index crates_bays on crates (outside, bay desc, id desc)`.execute(db);
  await sql`insert into crates values (1, null, 1)`.execute(db);
  for (const id of [7, 3, 5, 2, 6, 4]) await sql`insert into crates values (${id}, 1, ${1 + (id % 2)})`.execute(db);
  const service = odataService({
    profile: "standard",
    entitySets: [
      sqlEntitySet(Bay, { db, table: "bays", operations: ["read"] }),
      sqlEntitySet(Crate, {
        db,
        table: "crates",
        operations: ["read"],
        columns: { outer: "outside" },
        maxTop: 2,
        navigation: {
          in: hasOptional(Bay, { on: { bay: "id" }, target: "Bays" }),
          inner: hasMany(Crate, { on: { id: "outer" }, target: "Crates" }),
        },
      }),
    ],
  });
  for (const [query, ids] of QUERIES) {
    const found: number[] = [];
    let next: string | undefined = `http://service.example/Crates(1)/Inner?${encodeURI(query)}`;
    while (next !== undefined) {
      const response: Response = await service.fetch(new Request(next));
      const page = (await response.json()) as {
        readonly value: ReadonlyArray<{ readonly Id: number }>;
        readonly "@odata.nextLink"?: string;
      };
      found.push(...page.value.map(({ Id }) => Id));
      next = page["@odata.nextLink"];
    }
    expect(found, query).toEqual(ids);
  }
  await close();
});
