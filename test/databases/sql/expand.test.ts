import { Kysely, sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";

interface Database {
  readonly parts: { readonly id: number };
}

const Part = entityType("Part", { code: edm.string().key(), id: edm.int32(), whole: edm.string().nullable() });
const db = new Kysely<Database>({ dialect: sqliteDialect(":memory:") });
await sql`create table parts (code text primary key, id integer not null, whole text)`.execute(db);
await sql`insert into parts values ('a', 1, null), ('b', 2, 'a'), ('c', 3, 'a')`.execute(db);

const asked: unknown[] = [];
const rows = [
  { code: "a", id: 1, whole: null },
  { code: "b", id: 2, whole: "a" },
  { code: "c", id: 3, whole: "a" },
];
const parts = sqlEntitySet(Part, {
  db,
  table: "parts",
  operations: ["read"],
  etag: ["id"],
  navigation: {
    parts: hasMany(Part, {
      target: "Parts",
      getBatch: (keys) => {
        asked.push(keys);
        return new Map(keys.map((key) => [key, rows.filter(({ whole }) => whole === key)]));
      },
    }),
    owner: hasOptional(Part, { target: "Parts" }),
  },
});
const service = odataService({ entitySets: [parts], propertyNaming: "camelCase" });

/** The members of any body; each test checks the members that it expects. */
interface Body {
  readonly value: readonly unknown[];
}

async function get(target: string): Promise<{ readonly status: number; readonly json: Body }> {
  const response = await service.fetch(new Request(`http://service.example${target}`));
  return { status: response.status, json: (await response.json()) as Body };
}

describe("navigation handlers of a set over a table", () => {
  const etag = expect.any(String);

  test("receive the keys of the page, whatever the selection", async () => {
    const { json } = await get("/Parts?$expand=parts($select=code;$expand=parts/$count)&$select=id&$orderby=id");
    expect(json.value).toEqual([
      {
        "@odata.id": "http://service.example/Parts('a')",
        "@odata.etag": etag,
        id: 1,
        parts: [
          { "@odata.etag": etag, code: "b", "parts@odata.count": 0 },
          { "@odata.etag": etag, code: "c", "parts@odata.count": 0 },
        ],
      },
      { "@odata.id": "http://service.example/Parts('b')", "@odata.etag": etag, id: 2, parts: [] },
      { "@odata.id": "http://service.example/Parts('c')", "@odata.etag": etag, id: 3, parts: [] },
    ]);
    expect(asked.splice(0)).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
  });

  test("expand one entity, with links made from the row", async () => {
    const { json } = await get("/Parts('a')?$expand=parts/$ref&$select=id");
    expect(json).toEqual({
      "@odata.context": "http://service.example/$metadata#Parts(id)/$entity",
      "@odata.id": "http://service.example/Parts('a')",
      "@odata.etag": etag,
      id: 1,
      parts: [
        { "@odata.id": "http://service.example/Parts('b')" },
        { "@odata.id": "http://service.example/Parts('c')" },
      ],
    });
  });

  test("refuses an expansion without a handler and a join, since a row contains only its columns", async () => {
    for (const target of ["/Parts?$expand=owner,parts/$count&$select=code&$top=1", "/Parts('b')?$expand=owner"]) {
      expect(await get(target)).toMatchObject({
        status: 400,
        json: { error: { code: "UnsupportedQueryOption", target: "$expand" } },
      });
    }
    expect((await get("/Parts?$expand=*&$select=code&$top=1")).json.value).toEqual([
      { "@odata.etag": etag, code: "a", parts: [expect.anything(), expect.anything()] },
    ]);
  });
});

test("$metadata lists the navigations that cannot be expanded, and requests agree", async () => {
  const answer = await service.fetch(new Request("http://service.example/$metadata"));
  const [, restrictions = ""] = /ExpandRestrictions">([\s\S]*?)<\/Annotation>/.exec(await answer.text()) ?? [];
  // By default, a set can be expanded.
  expect(restrictions).not.toContain('Property="Expandable"');
  expect(restrictions.match(/<NavigationPropertyPath>.*?<\/NavigationPropertyPath>/g)).toEqual([
    "<NavigationPropertyPath>owner</NavigationPropertyPath>",
  ]);
  expect((await get("/Parts?$expand=owner")).status).toBe(400);
  expect(Object.keys((await get("/Parts?$expand=parts")).json.value[0] ?? {})).toContain("parts");
});
