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

/** The members that bodies have, of whatever form: each test looks for those that it expects. */
interface Body {
  readonly value: readonly unknown[];
  readonly error: { readonly code: string; readonly message: string; readonly target: string };
}

async function get(target: string): Promise<{ readonly status: number; readonly json: Body }> {
  const response = await service.fetch(new Request(`http://service.example${target}`));
  return { status: response.status, json: (await response.json()) as Body };
}

describe("navigation handlers of a set over a table", () => {
  const etag = expect.any(String);

  test("get the keys of the page, whatever is selected", async () => {
    const { json } = await get("/Parts?$expand=parts($select=code;$expand=parts/$count)&$select=id&$orderby=id");
    expect(json.value).toEqual([
      {
        "@odata.etag": etag,
        id: 1,
        parts: [
          { "@odata.etag": etag, code: "b", "parts@odata.count": 0 },
          { "@odata.etag": etag, code: "c", "parts@odata.count": 0 },
        ],
      },
      { "@odata.etag": etag, id: 2, parts: [] },
      { "@odata.etag": etag, id: 3, parts: [] },
    ]);
    expect(asked.splice(0)).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
  });

  test("of one entity, with links made from the row", async () => {
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

  test("without a handler the expansion is refused, and no other is loaded", async () => {
    asked.length = 0;
    for (const target of ["/Parts?$expand=owner", "/Parts('a')?$expand=owner", "/Parts?$expand=*"]) {
      const { status, json } = await get(target);
      expect([status, json.error.code, json.error.target]).toEqual([400, "UnsupportedQueryOption", "$expand"]);
      expect(json.error.message).toContain("'owner'");
    }
    expect(asked).toEqual([]);
  });
});

test("$metadata says which navigations of a set over a table cannot be expanded, and the requests agree", async () => {
  const answer = await service.fetch(new Request("http://service.example/$metadata"));
  const [, restrictions = ""] = /ExpandRestrictions">([\s\S]*?)<\/Annotation>/.exec(await answer.text()) ?? [];
  expect(restrictions).toContain('<PropertyValue Property="Expandable" Bool="true"/>');
  expect(restrictions.match(/<NavigationPropertyPath>.*?<\/NavigationPropertyPath>/g)).toEqual([
    "<NavigationPropertyPath>owner</NavigationPropertyPath>",
  ]);
  expect((await get("/Parts?$expand=owner")).status).toBe(400);
  expect((await get("/Parts?$expand=parts")).status).toBe(200);
});
