import fc from "fast-check";
import { sql } from "kysely";
import { edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test, vi } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";
import { ask, relationTables, tablesService, Tag } from "./relations.ts";

const { db, seen } = await relationTables();
const TAGS: ReadonlyArray<readonly [code: string, label: string]> = [
  ["red", "Rot, the colour of blood"],
  ["ROUGE", "100% red_"],
  ["grün", "Über alles"],
  ["ÉTÉ", "l'été"],
  ["x", `a "quoted" \\ text; drop table tags -- `],
];
for (const [code, label] of TAGS) await sql`insert into tags values (${code}, ${label})`.execute(db);
await sql`insert into orders values (1, null, 100, null, null), (2, null, 200, 'Red wine', null), (3, null, 300, 'white', null)`.execute(
  db,
);
await sql`insert into order_tags values (2, 'red'), (3, 'red'), (3, 'x')`.execute(db);
const service = tablesService(db);

interface Body {
  readonly value: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
}

async function found(set: string, search: string, more = ""): Promise<Body> {
  return (await ask(service, `/${set}?$search=${encodeURIComponent(search)}${more}`)) as Body;
}

/** As a set: letters are ordered by their codes. */
async function codes(search: string): Promise<ReadonlySet<unknown>> {
  return new Set((await found("Tags", search)).value.map(({ code }) => code));
}

describe("$search over columns finds", () => {
  test.each<readonly [search: string, ...codes: readonly string[]]>([
    ["red", "ROUGE", "red"],
    ["RED", "ROUGE", "red"],
    ["rouge", "ROUGE"],
    ["GRÜN", "grün"],
    ["été", "ÉTÉ"],
    ["über", "grün"],
    ['"the colour"', "red"],
    ['"colour the"'],
    ["colour the", "red"],
    ["colour AND über"],
    ["colour OR über", "grün", "red"],
    ["NOT red", "grün", "x", "ÉTÉ"],
    ["red NOT blood", "ROUGE"],
    ["NOT (blood OR über) e", "ROUGE", "x"],
    ['"%"', "ROUGE"],
    ['"d_"', "ROUGE"],
    [`"l'"`, "ÉTÉ"],
    ['"; drop table tags -- "', "x"],
    ['"\\"quoted\\""', "x"],
    ["?"],
    ["$1"],
  ])("%s", async (search, ...expected) => {
    expect(await codes(search)).toEqual(new Set(expected));
  });

  test("nothing in null, so NOT matches", async () => {
    expect((await found("Orders", "red")).value.map(({ id }) => id)).toEqual([2]);
    expect((await found("Orders", "NOT red")).value.map(({ id }) => id)).toEqual([1, 3]);
  });

  test("a text or its complement, and never more", async () => {
    // A phrase in quotes contains other quotes only after a backslash.
    const texts = fc
      .string({ unit: anyCharacter, minLength: 1, maxLength: 8 })
      .filter((text) => !text.includes("\u0000"));
    const property = fc.asyncProperty(texts, async (text) => {
      const phrase = `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
      const holds = (value: string): boolean => value.toLowerCase().includes(text.toLowerCase());
      const expected = TAGS.filter((tag) => tag.some(holds)).map(([code]) => code);
      expect(await codes(phrase)).toEqual(new Set(expected));
    });
    await fc.assert(property, { numRuns: caseCount(300), seed: 3 });
    expect(await codes("red")).toEqual(new Set(["ROUGE", "red"]));
  });
});

describe("a search over columns", () => {
  test("combines with all other options in the database", async () => {
    await found("Tags", "e", "&$filter=length(code) gt 2&$orderby=label desc&$top=2&$count=true&$select=code");
    seen();
    const body = await found(
      "Tags",
      "e",
      "&$filter=length(code) gt 2&$orderby=label desc&$top=2&$count=true&$select=code",
    );
    expect([body["@odata.count"], body.value.map(({ code }) => code)]).toEqual([3, ["grün", "red"]]);
    const statements = seen();
    // The page and its count.
    expect(statements).toHaveLength(1);
    for (const statement of statements) {
      expect(statement.sql).toContain("odata_lower");
      expect(statement.parameters).toContain("e");
    }
  });

  test("is counted, paged and expanded", async () => {
    expect(await ask(service, "/Tags/$count?$search=red")).toBe("2");
    const { value } = await found("Orders", "w", "&$expand=tags($select=code),customer&$select=id");
    expect(value).toEqual([
      { id: 2, tags: [{ code: "red" }], customer: null },
      { id: 3, tags: [{ code: "red" }, { code: "x" }], customer: null },
    ]);
    expect((await found("Orders", "w", "&$filter=tags/any(t:t/code eq 'x')")).value).toHaveLength(1);
  });

  test("does not narrow the targets of navigations", async () => {
    const { value } = await found(
      "Tags",
      "quoted",
      "&$expand=orders($select=id;$expand=tags($select=code))&$select=code",
    );
    expect(value).toEqual([{ code: "x", orders: [{ id: 3, tags: [{ code: "red" }, { code: "x" }] }] }]);
    const filter = "&$filter=orders/any(o:o/tags/any(t:t/code eq 'red'))&$select=code";
    expect((await found("Tags", "quoted", filter)).value).toEqual([{ code: "x" }]);
  });

  test("works within an expansion", async () => {
    const { value } = (await ask(service, "/Orders?$select=id&$expand=tags($search=quoted;$select=code)")) as Body;
    expect(value.map(({ tags }) => tags)).toEqual([[], [], [{ code: "x" }]]);
  });

  test("uses one statement per structure, whatever the words", async () => {
    seen();
    for (const search of ["a b", "c d", "e AND f"]) await found("Tags", search);
    expect(new Set(seen().map((statement) => statement.sql)).size).toBe(1);
  });
});

test("computes each searched text once per row, whatever the number of words", async () => {
  seen();
  await found("Tags", "a b OR c d OR NOT e");
  const [text = ""] = seen().map((statement) => statement.sql);
  expect(text.match(/odata_lower_text\("\w+"\)/g)).toEqual(['odata_lower_text("code")', 'odata_lower_text("label")']);
});

test("on the route of a handler, the found keys are read by one compiled statement", async () => {
  const executor = db.getExecutor();
  const compiled = vi.spyOn(executor, "compileQuery");
  const Shelf = entityType("Shelf", { id: edm.int32().key() });
  const shelves = entitySet(Shelf, {
    name: "Shelves",
    getByKey: (id) => ({ id }),
    navigation: { tags: hasMany(Tag, { target: "Tags", get: () => TAGS.map(([code, label]) => ({ code, label })) }) },
  });
  const tags = sqlEntitySet(Tag, { db, table: "tags", operations: ["read"], search: ["code", "label"] });
  const handled = odataService({ profile: "standard", propertyNaming: "camelCase", entitySets: [shelves, tags] });
  const search = async (word: string) => {
    const { value } = (await ask(handled, `/Shelves(1)/tags?$search=${word}&$select=code`)) as Body;
    return value.map(({ code }) => code);
  };
  expect(await search("red")).toEqual(["red", "ROUGE"]);
  expect(compiled).toHaveBeenCalled();
  compiled.mockClear();
  expect(await search("blood")).toEqual(["red"]);
  expect(await search("nothing")).toEqual([]);
  expect(compiled).not.toHaveBeenCalled();
  compiled.mockRestore();
});

test("answers long searches, or rejects them as too long", async () => {
  const words = Array.from({ length: 900 }, (_none, index) => `w${String(index)}`);
  expect(await codes(words.join(" OR "))).toEqual(new Set());
  expect(await codes(`NOT (${words.join(" ")})`)).toEqual(new Set(TAGS.map(([code]) => code)));
});

test("searches a table whose key is the rowid, and narrows it twice", async () => {
  const Note = entityType("Note", { rowid: edm.int64().key(), text: edm.string() });
  await sql`create table notes (text text not null)`.execute(db);
  await sql`insert into notes values ('red apple'), ('green apple'), ('red wine')`.execute(db);
  const notes = sqlEntitySet(Note, {
    db,
    table: "notes",
    operations: ["read"],
    search: ["text"],
    authorization: { rows: (_user, row) => row.text.ne("red wine") },
  });
  const served = odataService({ entitySets: [notes], authenticate: () => ({ id: "ada" }) });
  const read = async (path: string): Promise<unknown> => ((await ask(served, path)) as Body).value;
  expect(await read("/Notes?$search=red")).toEqual([{ Rowid: 1, Text: "red apple" }]);
  expect(await read("/Notes?$search=apple&$orderby=Rowid desc&$select=Rowid")).toEqual([{ Rowid: 2 }, { Rowid: 1 }]);
});
