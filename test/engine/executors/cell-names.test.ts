import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

// A statement names its cells c0, c1, …, and databases prefer these names to columns in an order.
const Part = entityType("Part", {
  id: edm.int32().key(),
  first: edm.int32().nullable(),
  second: edm.string().nullable(),
  third: edm.int32().nullable(),
});
const columns = { id: "c3", first: "c2", second: "C0", third: "c1" } as const;

const ROWS = [
  [1, 5, "b", 2],
  [2, 4, "c", 3],
  [3, 3, "a", 1],
  [4, 2, "d", 1],
  [5, 1, "e", null],
] as const;

const CASES: ReadonlyArray<readonly [query: string, ids: readonly number[]]> = [
  ["$orderby=First", [5, 4, 3, 2, 1]],
  ["$orderby=Second desc", [5, 4, 2, 1, 3]],
  ["$orderby=Third,First", [5, 4, 3, 1, 2]],
  ["$orderby=Third desc,First&$top=3", [2, 1, 4]],
  ["$orderby=First&$top=2&$skip=1", [4, 3]],
  ["$orderby=First&$top=2&$select=Third", [5, 4]],
  ["$orderby=First sub Third desc,Id&$top=3", [1, 3, 2]],
  ["$orderby=toupper(Second)&$top=2", [3, 1]],
  ["$filter=First gt 2&$orderby=Second&$count=true", [3, 1, 2]],
  ["$orderby=Other/First,Id&$top=3", [5, 2, 1]],
  ["$orderby=Others/$count desc,Id desc&$top=2", [1, 3]],
];

describe.each(ENGINES)("columns of $title with the names of cells", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;
  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    await sql`create table parts (c3 int primary key, c2 int, ${sql.id("C0")} varchar(9), c1 int)`.execute(db);
    for (const row of ROWS) {
      await sql`insert into parts values (${sql.join(row.map((cell) => sql.val(cell)))})`.execute(db);
    }
    const set = (paging: "keyset" | "offset", name: string) =>
      sqlEntitySet(Part, {
        name,
        db,
        table: "parts",
        columns,
        operations: ["read"],
        paging,
        maxTop: name === "Pages" ? 2 : 100,
        navigation: {
          other: hasOptional(Part, { on: { third: "id" }, target: "Parts" }),
          others: hasMany(Part, { on: { id: "third" }, target: "Parts" }),
        },
      });
    service = odataService({
      prefix: "",
      propertyNaming: "PascalCase",
      secret: "0123456789abcdef0123456789abcdef",
      schemaCheck: false,
      entitySets: [set("offset", "Parts"), set("keyset", "Pages")],
    });
  });
  afterAll(() => opened.close());

  async function read(url: string): Promise<{ value: readonly { Id: number }[]; "@odata.nextLink"?: string }> {
    const response = await service.fetch(new Request(url));
    const text = await response.text();
    expect([url, response.status, response.status === 200 ? "" : text]).toEqual([url, 200, ""]);
    return JSON.parse(text) as { value: readonly { Id: number }[] };
  }

  test.each(CASES)("%s", async (query, ids) => {
    const { value } = await read(`http://x/Parts?${query.replace("$select=Third", "$select=Id,Third")}`);
    expect(value.map(({ Id }) => Id)).toEqual(ids);
  });

  test.each(["First", "Second desc", "Third,First"])("pages by %s follow each other", async (order) => {
    const [, expected = []] = CASES.find(([query]) => query === `$orderby=${order}`) ?? [];
    const found: number[] = [];
    let next: string | undefined = `http://x/Pages?$orderby=${order}`;
    while (next !== undefined) {
      const page = await read(next);
      found.push(...page.value.map(({ Id }) => Id));
      next = page["@odata.nextLink"];
    }
    expect(found).toEqual(expected);
  });
});
