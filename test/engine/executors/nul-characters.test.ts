import fc from "fast-check";
import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { fuzzCount, PROPERTY_SETTINGS } from "../../cases.ts";
import { createTable, ENGINES, insertRow, type DatabaseEngine, type DatabaseName } from "./engines.ts";

/** U+0000 is a character like any other. PostgreSQL cannot store it, and the request that sends it is at fault. */

const Text = entityType("Text", { id: edm.int32().key(), text: edm.string().nullable(), code: edm.string() });
const Named = entityType("Named", { name: edm.string().key(), text: edm.string().nullable() });

const TEXTS: readonly (string | null)[] = [
  "b\u0000a",
  "b",
  "a",
  "\u0000",
  "\u0000\u0000ab",
  "ab\u0000",
  "é\u0000😀\u0000é",
  " \u0000 ",
  "B\u0000A",
  "ba",
  "",
  null,
];
const ROWS = TEXTS.map((text, index) => ({ id: index + 1, text, code: TEXTS[(index * 5) % TEXTS.length] ?? "" }));

const KEY: Readonly<Record<DatabaseName, string>> = { sqlite: "text", postgres: "text", mariadb: "varchar(40)" };
const TYPES: Readonly<Record<DatabaseName, readonly [text: string, code: string]>> = {
  sqlite: ["text collate nocase", "text not null"],
  postgres: ["text", "text not null"],
  mariadb: [
    "varchar(40) character set utf8mb4 collate utf8mb4_general_ci",
    "varchar(40) character set utf8mb4 collate utf8mb4_nopad_bin not null",
  ],
};

const OPERATIONS = ["read", "create", "patch", "replace", "delete"] as const;

const memory = odataService({
  entitySets: [entitySet(Text, { name: "Texts", maxTop: null, queryable: () => arraySource(Text, ROWS) })],
});

async function servicesOver(engine: DatabaseEngine) {
  const opened = await engine.open();
  const [text, code] = TYPES[engine.name];
  await createTable(opened, "texts", { id: "int primary key", text, code });
  await createTable(opened, "nameds", { name: `${KEY[engine.name]} not null primary key`, text });
  const stored = engine.name === "postgres" ? [] : ROWS;
  for (const row of stored) await insertRow(opened, "texts", [row.id, row.text, row.code]);
  const { db, close } = opened;
  const texts = sqlEntitySet(Text, {
    name: "Texts",
    maxTop: null,
    db,
    table: "texts",
    operations: ["read"],
    search: ["text"],
  });
  const nameds = sqlEntitySet(Named, { name: "Nameds", db, table: "nameds", operations: OPERATIONS, search: ["name"] });
  return { name: engine.name, title: engine.title, service: odataService({ entitySets: [texts, nameds] }), close };
}

const over = await Promise.all(ENGINES.map(servicesOver));
afterAll(() => Promise.all(over.map(({ close }) => close())));

type Service = (typeof over)[number]["service"];

async function answerOf(service: Service, target: string, init?: RequestInit): Promise<string> {
  const response = await service.fetch(new Request(`http://service.example/${target}`, init));
  return `${String(response.status)} ${await response.text()}`;
}

const idsOf = (answer: string): readonly number[] => {
  expect(answer.slice(0, 4)).toBe("200 ");
  const { value } = JSON.parse(answer.slice(4)) as { readonly value: ReadonlyArray<{ readonly Id: number }> };
  return value.map(({ Id }) => Id);
};

const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", "\u0000", " ", "B"), maxLength: 4 });
const literal = text.map((value) => `'${encodeURIComponent(value)}'`);
const operand = fc.oneof(fc.constantFrom("Text", "Code", "concat(Text,Code)", "tolower(Text)", "trim(Code)"), literal);
const count = fc.oneof(fc.integer({ min: -1, max: 5 }).map(String), fc.constantFrom("length(Code)", "Id"));
const computed = fc.oneof(
  operand,
  fc.tuple(operand, count).map(([of, start]) => `substring(${of},${start})`),
  fc.tuple(operand, count, count).map(([of, start, length]) => `substring(${of},${start},${length})`),
  fc.tuple(operand, fc.constantFrom("toupper", "tolower", "trim")).map(([of, name]) => `${name}(${of})`),
  fc.tuple(operand, operand).map(([first, second]) => `concat(${first},${second})`),
);
const condition = fc.oneof(
  fc
    .tuple(computed, fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"), computed)
    .map(([left, operator, right]) => `${left} ${operator} ${right}`),
  fc
    .tuple(fc.constantFrom("contains", "startswith", "endswith"), computed, computed)
    .map(([name, of, part]) => `${name}(${of},${part})`),
  fc.tuple(computed, fc.integer({ min: 0, max: 6 })).map(([of, size]) => `length(${of}) eq ${String(size)}`),
  fc.tuple(computed, operand, count).map(([of, part, at]) => `indexof(${of},${part}) eq ${at}`),
  fc
    .tuple(computed, fc.array(literal, { minLength: 1, maxLength: 4 }))
    .map(([of, items]) => `${of} in (${items.join(",")})`),
);
const order = fc.oneof(
  computed,
  computed.map((of) => `length(${of}) desc`),
  fc.constant("Text desc"),
);
const query = fc.record({ filter: condition, order });

describe.each(over.filter(({ name }) => name !== "postgres"))("texts with U+0000 over $title", ({ service }) => {
  test.each<readonly [filter: string, ids: readonly number[]]>([
    ["endswith(Text,'b')", [2, 5]],
    ["endswith(Text,'%00')", [4, 6]],
    ["endswith(Text,'%00a')", [1]],
    ["endswith(Text,Code)", [1, 3, 4, 7, 8, 10]],
    ["not endswith(Text,'')", []],
    ["not endswith(Text,'%00')", [1, 2, 3, 5, 7, 8, 9, 10, 11]],
    ["length(Text) eq 3", [1, 6, 8, 9]],
    ["length(concat(Text,Text)) eq 6", [1, 6, 8, 9]],
    ["substring(Text,2) eq 'a'", [1]],
    ["substring(Text,1,1) eq '%00'", [1, 5, 7, 8, 9]],
    ["substring(concat(Text,'x'),3) eq 'x'", [1, 6, 8, 9]],
    ["startswith(Text,'b%00')", [1]],
    ["contains(Text,'%00a')", [1, 5]],
    ["indexof(Text,'a') eq 2", [1, 5]],
    ["tolower(Text) eq 'b%00a'", [1, 9]],
    ["toupper(Text) eq 'B%00A'", [1, 9]],
    ["trim(Text) eq '%00'", [4, 8]],
    ["Text in ('b%00a','x')", [1]],
    ["Text gt 'b' and Text lt 'ba'", [1]],
  ])("$filter=%s", async (filter, ids) => {
    const target = `Texts?$filter=${filter}&$orderby=Id`;
    expect(idsOf(await answerOf(service, target))).toEqual(ids);
    expect(await answerOf(service, target)).toBe(await answerOf(memory, target));
  });

  test("are found by $search", async () => {
    expect(idsOf(await answerOf(service, "Texts?$search=%22B%00a%22&$orderby=Id"))).toEqual([1, 9]);
  });

  test("are found, sorted and written as in memory", async () => {
    const { seed } = PROPERTY_SETTINGS;
    const property = fc.asyncProperty(query, async ({ filter, order }) => {
      const target = `Texts?$filter=${filter}&$orderby=${order},Id`;
      expect(await answerOf(service, target), decodeURIComponent(target)).toBe(await answerOf(memory, target));
    });
    await fc.assert(property, { numRuns: fuzzCount(1000, "fuzz:sql"), ...(seed === undefined ? {} : { seed }) });
  });
});

/** PostgreSQL refuses the text in a body with its reason, and elsewhere as a part of an expression. */
const REFUSED =
  /^400 \{"error":\{"code":"InvalidBody","message":"A text contains the character U\+0000, which the database cannot store\."|^4\d\d \{"error":\{"code":"(?!InvalidBody)/;

const JSON_TYPE = { "Content-Type": "application/json" };

describe.each(over)("a request with U+0000 over $title", ({ name, service }) => {
  test.each<readonly [target: string, method: string, body: object | null]>([
    ["Nameds('a%00')", "GET", null],
    ["Nameds('a%00')", "DELETE", null],
    ["Nameds('a%00')", "PATCH", { Text: "b" }],
    ["Nameds", "POST", { Name: "c\u0000", Text: "b" }],
    ["Nameds", "POST", { Name: "d", Text: "\u0000" }],
    ["Nameds('e')", "PATCH", { Text: "\u0000" }],
    ["Nameds('f')", "PUT", { Text: "\u0000" }],
    ["Nameds?$search=%22%00%22", "GET", null],
    ["Nameds?$filter=Name in ('a','%00')", "GET", null],
    ["Nameds?$filter=startswith(Name,'%00') or Text eq '%00'", "GET", null],
    ["Nameds?$orderby=concat(Name,'%00')", "GET", null],
    ["Nameds/$count?$filter=length(concat(Name,'%00')) eq 1", "GET", null],
    ["Nameds('%00')/Text/$value", "GET", null],
  ])("%s %s is not a 5xx", async (target, method, body) => {
    const init = body === null ? { method } : { method, headers: JSON_TYPE, body: JSON.stringify(body) };
    const answer = await answerOf(service, target, init);
    expect(answer).toMatch(name === "postgres" ? REFUSED : /^(?:2\d\d |4\d\d \{"error":)/);
  });
});
