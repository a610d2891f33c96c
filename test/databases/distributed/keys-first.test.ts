import fc from "fast-check";
import { sql } from "kysely";
import {
  authenticated,
  edm,
  entityType,
  hasOptional,
  odataService,
  type ODataService,
  type RowPredicate,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test, vi } from "vitest";
import { fuzzCount, SEED } from "../../cases.ts";
import { ENGINES, type AnyDatabase } from "../../engine/executors/engines.ts";
import { query, targetOf } from "../../engine/executors/thing-queries.ts";
import { thingRows } from "../../engine/executors/thing-rows.ts";
import { thingServices } from "../../engine/executors/things.ts";
import { connectionsOf, sentStatements } from "../sql/sent-statements.ts";
import { watching } from "./watched-database.ts";

const ORIGIN = "http://service.example";
const ROWS = 400;

const Part = entityType("Part", {
  shop: edm.string().key(),
  number: edm.int32().key(),
  name: edm.string().nullable(),
  owner: edm.string(),
  kindId: edm.int32().nullable(),
});
const Kind = entityType("Kind", { id: edm.int32().key(), label: edm.string() });

async function createTables(db: AnyDatabase): Promise<void> {
  await sql`create table kinds (id int primary key, label text not null)`.execute(db);
  await sql`insert into kinds select i, 'kind ' || i from generate_series(0, 4) as i`.execute(db);
  await sql`create table parts (shop text, number int, name text, owner text not null, "kindId" int, primary key (shop, number))`.execute(
    db,
  );
  await sql`insert into parts select chr(97 + i % 3), i, case when i % 7 = 0 then null else 'n' || (i * 37 % 101) end,
    case when i % 4 = 0 then 'bob' else 'ann' end, nullif(i % 6, 5) from generate_series(1, ${sql.lit(ROWS)}) as i`.execute(
    db,
  );
}

function serve(db: AnyDatabase, distributed: boolean): ODataService {
  const place = { db, distributed, operations: ["read"], maxTop: null } as const;
  const parts = { ...place, table: "parts", search: ["name"] } as const;
  const kind = hasOptional(Kind, { on: { kindId: "id" }, target: "Kinds" });
  const rows = (_user: unknown, part: { readonly owner: { eq(value: string): RowPredicate } }): RowPredicate =>
    part.owner.eq("ann");
  const labelled = (_user: unknown, part: { readonly kind: { readonly label: { eq(value: string): RowPredicate } } }) =>
    part.kind.label.eq("kind 1");
  return odataService({
    profile: "standard",
    schemaCheck: false,
    secret: "the keys of a page come before its rows",
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      sqlEntitySet(Part, { ...parts, name: "Parts", navigation: { kind } }),
      sqlEntitySet(Part, { ...parts, name: "Owned", authorization: { all: authenticated(), rows } }),
      sqlEntitySet(Part, {
        ...parts,
        name: "Labelled",
        navigation: { kind },
        authorization: { all: authenticated(), rows: labelled },
      }),
      sqlEntitySet(Part, { ...parts, name: "Paged", maxTop: 150 }),
      sqlEntitySet(Part, { ...parts, name: "Hundreds", maxTop: 100 }),
      sqlEntitySet(Part, {
        ...parts,
        name: "Placed",
        maxTop: 150,
        distributed: distributed && ({ by: "shop" } as const),
      }),
      sqlEntitySet(Part, { ...parts, name: "Seeks", maxTop: 150, paging: "keyset" }),
      sqlEntitySet(Part, { ...place, from: { sql: "select * from parts", parameters: [] }, name: "Queried" }),
      sqlEntitySet(Kind, { ...place, table: "kinds", name: "Kinds" }),
    ],
  });
}

async function read(service: ODataService, target: string): Promise<string> {
  const response = await service.fetch(new Request(target.startsWith(ORIGIN) ? target : `${ORIGIN}/${target}`));
  expect(response.status, decodeURIComponent(target)).toBe(200);
  return response.text();
}

/** Returns a page, and the pages that its links lead to. */
async function readAll(service: ODataService, target: string): Promise<readonly string[]> {
  const pages = [await read(service, target)];
  for (const page of pages) {
    const { "@odata.nextLink": next } = JSON.parse(page) as { readonly "@odata.nextLink"?: string };
    if (next !== undefined) pages.push(await read(service, next));
  }
  return pages.map((page) => page.replace(/skiptoken=[^"]+/, "skiptoken=…"));
}

/** Targets, and whether the page of each is read by its keys first. */
const TARGETS: ReadonlyArray<readonly [target: string, isKeysFirst: boolean]> = [
  ["Parts?$top=1025", true],
  ["Parts?$top=1024", false],
  ["Parts?$top=24&$skip=1001", true],
  ["Parts?$top=24&$skip=1000", false],
  ["Parts?$top=200&$skip=350&$orderby=Name", true],
  ["Parts?$top=200&$skip=500&$orderby=Name", true],
  ["Parts?$top=0&$skip=500", false],
  ["Parts?$top=1&$orderby=Name", true],
  ["Parts?$top=5&$orderby=Number", true],
  ["Parts?$top=5&$orderby=Shop,Number desc", true],
  ["Parts?$top=5&$orderby=Shop,Number", false],
  ["Parts?$top=5&$orderby=Shop desc,Number desc", false],
  ["Parts?$top=5&$skip=3&$orderby=Owner desc&$count=true", true],
  ["Placed?$filter=Shop eq 'b'", false],
  ["Placed?$filter=Shop eq 'b' and Number gt 9&$orderby=Name&$top=150", false],
  ["Placed?$filter=Shop eq 'b' or Number gt 9&$orderby=Name", true],
  ["Placed?$filter=Owner eq 'ann'&$orderby=Name", true],
  ["Hundreds", false],
  ["Hundreds?$skip=1200", true],
  ["Paged", false],
  ["Paged?$orderby=Name", true],
  ["Paged?$count=true&$orderby=Name desc,Owner", true],
  ["Seeks?$orderby=Name", true],
  ["Seeks?$orderby=Name desc,KindId&$filter=Number gt 7&$count=true", true],
  ["Parts?$top=150&$count=true&$filter=KindId ne 3&$orderby=Name", true],
  ["Parts?$top=150&$filter=Owner eq 'ann' and Number gt 5&$orderby=Name,KindId desc", true],
  ["Parts?$top=150&$orderby=length(Name) desc,Number mod 7", true],
  ["Parts?$top=150&$filter=Owner eq 'nobody'&$count=true&$orderby=Name", true],
  ["Parts?$top=150&$search=n1 OR n2&$orderby=Name", true],
  ["Parts?$top=150&$select=Owner&$orderby=Name", true],
  ["Parts?$top=150&$select=Shop,Number&$orderby=Name", false],
  ["Parts?$top=150&$expand=Kind&$skip=30&$orderby=Name", true],
  ["Owned?$top=150&$skip=5&$orderby=Name", true],
  ["Owned?$top=150&$filter=KindId eq 1&$count=true&$orderby=Name", true],
  ["Labelled?$top=150&$orderby=Name", false],
  ["Parts?$top=150&$filter=Kind/Label eq 'kind 1'&$orderby=Name", false],
  ["Parts?$top=150&$orderby=Kind/Label", false],
  ["Queried?$top=150&$orderby=Name", false],
];

/** Pages without a limit: a server that streams reads their first rows with one. */
const ENDLESS = ["Parts", "Parts?$skip=350", "Parts?$skip=10&$orderby=Name"];

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("pages of $title, spread over machines", (engine) => {
  test("are the same as of one machine, whether keys or rows come first", async () => {
    const pagesOf = async (open: typeof engine.open, distributed: boolean) => {
      const { db, close } = await open();
      await createTables(db);
      const service = serve(db, distributed);
      const pages: unknown[] = [];
      for (const target of [...TARGETS.map(([each]) => each), ...ENDLESS]) {
        pages.push([target, await readAll(service, target)]);
      }
      await close();
      return pages;
    };
    expect(await pagesOf(watching(engine), true)).toEqual(await pagesOf(engine.open, false));
  });

  test.each(TARGETS)("%s: keys come first: %s", async (target, isKeysFirst) => {
    const { db, close } = await engine.open();
    await createTables(db);
    const service = serve(db, true);
    const statements = await sentStatements(db, () => read(service, target));
    expect(statements.length).toBeGreaterThanOrEqual(target.includes("$top=0") ? 0 : 1);
    expect(statements.some(({ sql: text }) => text.includes("odata_count"))).toBe(isKeysFirst);
    await close();
  });

  test("contain the cells of no other row", async () => {
    const { db, close } = await engine.open();
    await createTables(db);
    const service = serve(db, true);
    const statements = await sentStatements(db, () =>
      read(service, "Parts?$top=150&$skip=90&$filter=Number gt 5&$orderby=Name desc"),
    );
    const bytes = ["shop", "name", "owner"]
      .map((name) => `coalesce(octet_length("it"."${name}"::text::text)::bigint, 0)`)
      .join(" + ");
    expect(statements.map(({ sql: text }) => text).join("\n")).toBe(
      `select "it"."shop"::text as "c0", "it"."number"::text as "c1", "it"."name"::text as "c2", "it"."owner"::text as "c3", "it"."kindId"::text as "c4", "page"."odata_count" as "c5", (case when (${bytes}) > $1::bigint then ('odatakit.bytes ' || ((${bytes}))::text)::int else 0 end) as "odata_guard" ` +
        `from "parts" as "it" inner join (select "keys".*, count(*) over () as "odata_count" from (` +
        `select "shop" as "c0", "number" as "c1" from "parts" as "it" where "number" >= $2::int8 ` +
        `order by (("name" || '') collate "C") desc nulls last, (("shop" || '') collate "C") desc, "number" desc limit $3 offset $4` +
        `) as "keys") as "page" on "it"."shop" = "page"."c0" and "it"."number" = "page"."c1" ` +
        `where "it"."number" >= $5::int8 order by (("it"."name" || '') collate "C") desc nulls last, (("it"."shop" || '') collate "C") desc, "it"."number" desc`,
    );
    await close();
  });

  // A driver of a server returns the rows of a batch in another way.
  const isEmbedded = engine.title === "PGlite";
  test
    .runIf(isEmbedded)
    .each(["Paged?$orderby=Name", "Paged?$count=true&$filter=Number gt 3", "Parts?$top=150&$skip=10&$orderby=Name"])(
    "%s is read again if rows of its keys are gone",
    async (target) => {
      const { db, close } = await engine.open();
      await createTables(db);
      const service = serve(db, true);
      const expected = await readAll(service, target);
      for (const lost of [1, 150]) {
        const connections = await connectionsOf(db);
        // oxlint-disable-next-line typescript/unbound-method -- it is applied to its connection
        const { executeQuery } = connections;
        const spy = vi.spyOn(connections, "executeQuery").mockImplementation(async function (this: unknown, ...given) {
          const result = await (executeQuery.apply(this as typeof connections, given) as Promise<{ rows: unknown[] }>);
          return given[0].sql.includes("odata_count") ? { ...result, rows: result.rows.slice(lost) } : result;
        });
        expect(await readAll(service, target)).toEqual(expected);
        spy.mockRestore();
      }
      await close();
    },
  );

  test("are the same as of arrays for any query", async () => {
    const { memory, database, close } = await thingServices({ ...engine, open: watching(engine) }, thingRows(200, 11));
    const answerOf = async (service: ODataService, target: string): Promise<string> => {
      const response = await service.fetch(new Request(ORIGIN + target));
      return `${String(response.status)} ${await response.text()}`;
    };
    const limits = fc.record({ top: fc.integer({ min: 1025, max: 1060 }), skip: fc.constantFrom(0, 0, 1, 60, 190) });
    let answered = 0;
    const property = fc.asyncProperty(query, limits, async (options, { top, skip }) => {
      const target = targetOf({ ...options, $top: String(top), ...(skip > 0 && { $skip: String(skip) }) });
      const found = await answerOf(database, target);
      if (/^400.*"UnsupportedQueryOption"/.test(found)) return;
      expect(found, decodeURIComponent(target)).toBe(await answerOf(memory, target));
      if (found.startsWith("200")) answered += 1;
    });
    const runs = fuzzCount(300);
    await fc.assert(property, { numRuns: runs, seed: SEED });
    expect(answered / runs).toBeGreaterThan(0.7);
    await close();
  });
});
