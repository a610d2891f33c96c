import { isDeepStrictEqual } from "node:util";
import { Kysely } from "kysely";
import { complexType, edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, expect, test } from "vitest";

const Part = complexType("Part", { name: edm.string(), texts: edm.collection(edm.string().nullable()) });
const Document = entityType("Document", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  bytes: edm.binary().nullable(),
  texts: edm.collection(edm.string().nullable()),
  part: edm.complex(Part).nullable(),
});
const Row = entityType("Row", { id: edm.int32().key(), text: edm.string(), bytes: edm.binary() });

/** A text of 600,000 units, with escapes, pairs and lone surrogates at each place within a slice. */
const LONG = `${'a"\n\\\u0001😀ä\ud800'.repeat(60_000)}\udc00\u0000\u001f`;
const BYTES = Uint8Array.from({ length: 530_001 }, (_none, index) => (index * 7919) % 256);
const BASE64 = Buffer.from(BYTES).toString("base64url");
const TEXTS = Array.from({ length: 30_000 }, (_none, index) => (index % 7 === 0 ? null : `text "${String(index)}"\n`));

const documents = [
  { id: 1, text: LONG, bytes: BYTES, texts: TEXTS, part: { name: LONG, texts: [LONG, null, LONG, ...TEXTS] } },
  { id: 2, text: null, bytes: null, texts: new Set([LONG, "x", LONG]), part: null },
  { id: 3, text: "short", bytes: BYTES, texts: [], part: { name: "x", texts: ["y"] } },
];
const expected = documents.map(({ id, text, bytes, texts, part }) => ({
  Id: id,
  Text: text,
  Bytes: bytes === null ? null : BASE64,
  Texts: [...texts],
  Part: part === null ? null : { Name: part.name, Texts: part.texts },
}));

const db = new Kysely<{ row: { id: number; text: string; bytes: Uint8Array } }>({ dialect: sqliteDialect(":memory:") });
await db.schema
  .createTable("row")
  .addColumn("id", "integer", (column) => column.primaryKey())
  .addColumn("text", "text", (column) => column.notNull())
  .addColumn("bytes", "blob", (column) => column.notNull())
  .execute();
const STORED = LONG.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\0/g, "");
await db.insertInto("row").values({ id: 1, text: STORED, bytes: BYTES }).execute();
afterAll(() => db.destroy());

const faulty = {
  id: 9,
  text: null,
  bytes: null,
  texts: [...Array.from({ length: 40 }, () => "x".repeat(50_000)), 7],
  part: null,
};
const service = odataService({
  logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  entitySets: [
    entitySet(Document, {
      name: "Documents",
      getAll: () => documents as never,
      getByKey: (id) => documents.find((document) => document.id === id) as never,
      create: () => documents[0] as never,
      navigation: { copies: hasMany(Document, { target: "Documents", get: () => documents as never }) },
      functions: {
        all: fn({
          bound: "collection",
          returns: edm.collection(edm.string().nullable()),
          handler: () => [LONG, ...TEXTS],
        }),
        part: fn({ bound: "entity", returns: edm.complex(Part), handler: (id) => documents[id - 1]?.part as never }),
      },
    }),
    entitySet(Document, { name: "Faulty", getAll: () => [faulty] as never, getByKey: () => faulty as never }),
    sqlEntitySet(Row, { db, table: "row", name: "Rows", operations: ["read"] }),
  ],
});

/** Compares without a description of the difference, which would be as long as the values. */
function expectSame(actual: unknown, wanted: unknown): void {
  expect(isDeepStrictEqual(actual, wanted)).toBe(true);
}

async function get(target: string): Promise<{ readonly text: string; readonly length: string | null }> {
  const response = await service.fetch(new Request(`http://long.example/${target}`));
  expect(response.status).toBe(200);
  return { text: await response.text(), length: response.headers.get("Content-Length") };
}

const root = "http://long.example/$metadata#";

test("a page of long entities has the same bytes as JSON", async () => {
  const { text } = await get("Documents");
  expectSame(text, JSON.stringify({ "@odata.context": `${root}Documents`, value: expected }));
});

test.each([1, 2, 3])("entity %i has the same bytes as JSON", async (id) => {
  const { text } = await get(`Documents(${String(id)})`);
  const context = {
    "@odata.context": `${root}Documents/$entity`,
    "@odata.id": `http://long.example/Documents(${String(id)})`,
  };
  expectSame(text, JSON.stringify({ ...context, ...expected[id - 1] }));
});

test("full control information stays around long values", async () => {
  const { text } = await get("Documents?$format=application/json;odata.metadata=full");
  const { value } = JSON.parse(text) as { value: readonly Record<string, unknown>[] };
  expectSame(
    value.map(({ Text, Bytes, Texts }) => ({ Text, Bytes, Texts })),
    expected.map(({ Text, Bytes, Texts }) => ({ Text, Bytes, Texts })),
  );
  expect(Object.keys(value[0] ?? {})).toContain("@odata.type");
});

test("expansions are written to their end", async () => {
  const { text } = await get(
    "Documents?$expand=Copies($expand=Copies($top=1;$select=Id);$select=Id,Text,Texts;$count=true)&$select=Id&$top=2",
  );
  const copies = expected.map(({ Id, Text, Texts }) => ({ Id, Text, Texts, Copies: [{ Id: 1 }] }));
  const { value } = JSON.parse(text) as { value: unknown };
  expectSame(
    value,
    [1, 2].map((Id) => ({ Id, "Copies@odata.count": 3, Copies: copies })),
  );
});

test.each<readonly [string, unknown]>([
  ["Documents(1)/Text", LONG],
  ["Documents(1)/Bytes", BASE64],
  ["Documents(1)/Part", { Name: LONG, Texts: [LONG, null, LONG, ...TEXTS] }],
  ["Rows(1)/Text", STORED],
  ["Rows(1)/Bytes", BASE64],
])("%s is written whole", async (target, value) => {
  const body = JSON.parse((await get(target)).text) as Record<string, unknown>;
  expectSame(body["value"] ?? { Name: body["Name"], Texts: body["Texts"] }, value);
});

test("results of functions are written whole", async () => {
  const all = JSON.parse((await get("Documents/all()")).text) as { readonly value?: unknown };
  expectSame(all.value ?? all, [LONG, ...TEXTS]);
  const part = JSON.parse((await get("Documents(1)/part()")).text) as Record<string, unknown>;
  expectSame({ Name: part["Name"], Texts: part["Texts"] }, { Name: LONG, Texts: [LONG, null, LONG, ...TEXTS] });
});

test.each(["Rows", "Rows?$top=1&$count=true", "Rows(1)"])("long cells of %s are written whole", async (target) => {
  const body = JSON.parse((await get(target)).text) as { readonly value?: readonly unknown[] };
  const { Id, Text, Bytes } = (body.value?.[0] ?? body) as Record<string, unknown>;
  expectSame({ Id, Text, Bytes }, { Id: 1, Text: STORED, Bytes: BASE64 });
});

test("a created entity is returned whole", async () => {
  const response = await service.fetch(
    new Request("http://long.example/Documents", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ Id: 1, Texts: [] }),
    }),
  );
  expect(response.status).toBe(201);
  const { Text, Bytes, Texts } = (await response.json()) as Record<string, unknown>;
  expectSame({ Text, Bytes, Texts }, { Text: LONG, Bytes: BASE64, Texts: TEXTS });
});

test.each(["Faulty(9)", "Faulty"])("a fault at the end of a long value is the response of %s", async (target) => {
  const response = await service.fetch(new Request(`http://long.example/${target}`));
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: {
      code: "InternalServerError",
      message: "The service failed to answer this request. The failure has been logged.",
    },
  });
  // The next response of the writer is not affected.
  expect((await get("Documents(3)?$select=Text")).text).toContain('"Text":"short"');
});

test("a getter of the application may cause another long response", async () => {
  const nested = odataService({
    entitySets: [
      entitySet(Document, {
        name: "Documents",
        getByKey: (id) =>
          (id === 2
            ? documents[0]
            : {
                ...documents[0],
                get text() {
                  void nested.fetch(new Request("http://long.example/Documents(2)"));
                  return LONG;
                },
              }) as never,
      }),
    ],
  });
  const response: Response = await nested.fetch(new Request("http://long.example/Documents(1)"));
  const { Text, Bytes, Texts } = (await response.json()) as Record<string, unknown>;
  expectSame({ Text, Bytes, Texts }, { Text: LONG, Bytes: BASE64, Texts: TEXTS });
});
