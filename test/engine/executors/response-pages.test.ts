import fc from "fast-check";
import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "./engines.ts";

/** Pages that end by maxResponseBytes, together, are the response without that limit. */

const Doc = entityType("Doc", {
  id: edm.int32().key(),
  rank: edm.int32().nullable(),
  title: edm.string(),
  body: edm.string().nullable(),
});
const Part = entityType("Part", { id: edm.int32().key(), docId: edm.int32(), text: edm.string() });

interface Rows {
  readonly docs: ReadonlyArray<{
    readonly id: number;
    readonly rank: number | null;
    readonly title: string;
    readonly body: string | null;
  }>;
  readonly parts: ReadonlyArray<{ readonly id: number; readonly docId: number; readonly text: string }>;
}

const letters = fc.constantFrom("a", '"', "é", "漢", "😀", "\n");
const text = fc
  .tuple(letters, fc.oneof({ weight: 8, arbitrary: fc.nat(150) }, { weight: 1, arbitrary: fc.nat(2500) }))
  .map(([letter, length]) => letter.repeat(length));

const rowsOf = fc
  .record({
    docs: fc.array(
      fc.record({
        rank: fc.option(fc.nat(3)),
        title: fc.constantFrom("first", "second", "third", "é"),
        body: fc.option(text, { freq: 5 }),
      }),
      { minLength: 1, maxLength: 30 },
    ),
    parts: fc.array(fc.record({ docId: fc.integer({ min: 1, max: 6 }), text }), { maxLength: 40 }),
  })
  .map(({ docs, parts }): Rows => {
    return {
      docs: docs.map((each, index) => ({ id: index + 1, ...each })),
      parts: parts.map((each, index) => ({ id: index + 1, ...each })),
    };
  });

const optional = (...options: readonly string[]): fc.Arbitrary<string> => fc.constantFrom("", ...options);
const targetOf = fc
  .tuple(
    fc.constantFrom("Docs", "Docs", "Docs", "Docs(1)/Parts"),
    optional("$orderby=Id desc"),
    fc.option(fc.integer({ min: 1, max: 30 })).map((top) => (top === null ? "" : `$top=${String(top)}`)),
    optional("$skip=2"),
    optional("$count=true"),
    optional(
      "$select=Id,Body",
      "$compute=Body as A,concat(Title,Body) as B&$select=Id,A,B",
      "$expand=Parts",
      "$expand=Parts($select=Text;$orderby=Id desc;$top=5)",
      "$filter=Rank ge 1&$expand=Parts($filter=Id gt 3)&$select=Id",
      "$orderby=Rank desc,Title",
    ),
  )
  .map(([path, order, top, skip, count, more]) => {
    // The other options name properties of documents.
    const isSorted = more.includes("$orderby=R");
    const all = path === "Docs" ? [isSorted ? "" : order, skip, top, count, more] : [order, top, count];
    return `${path}?${all.filter((option) => option !== "").join("&")}`;
  });

interface Fault {
  readonly error: { readonly code: string; readonly message: string };
}
type Entity = Readonly<Record<string, unknown>>;
interface Page {
  readonly value: readonly Entity[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
}

/** The content of all pages of a collection. */
interface Read {
  readonly entities: readonly Entity[];
  readonly count: number | undefined;
  /** The bytes of the entities of each page. */
  readonly sizes: readonly number[];
  /** The error in place of the page after them. */
  readonly fault: Fault["error"] | undefined;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Reads all pages of a collection, and those of its expanded lists. */
async function readAll(service: ODataService, first: string): Promise<Read> {
  const entities: Entity[] = [];
  const sizes: number[] = [];
  let count: number | undefined;
  let fault: Read["fault"];
  for (let next: string | undefined = first; next !== undefined && fault === undefined;) {
    const response = await service.fetch(new Request(new URL(next, "http://pages.example/")));
    const page = (await response.json()) as Page | Fault;
    if ("error" in page) {
      expect(response.status).toBe(400);
      return { entities, count, sizes, fault: page.error };
    }
    expect(response.status).toBe(200);
    count ??= page["@odata.count"];
    // Brackets do not count.
    sizes.push(bytesOf(page.value) - 2);
    for (const entity of page.value) {
      const { "@odata.id": _id, "Parts@odata.nextLink": link, ...own } = entity;
      const rest = typeof link === "string" ? await readAll(service, link) : undefined;
      if (rest !== undefined) sizes.push(...rest.sizes);
      fault ??= rest?.fault;
      entities.push(rest === undefined ? own : { ...own, Parts: [...(own["Parts"] as unknown[]), ...rest.entities] });
    }
    next = page["@odata.nextLink"];
    // A page without entities would be followed by itself.
    if (next !== undefined) expect(page.value.length).toBeGreaterThan(0);
  }
  return { entities, count, sizes, fault };
}

const databases: (OpenDatabase & { readonly name: (typeof ENGINES)[number]["name"] })[] = [];
beforeAll(async () => {
  for (const { name, open } of ENGINES) {
    const database = await open();
    databases.push({ ...database, name });
    const type = sql.raw(name === "mariadb" ? "longtext" : "text");
    await sql`create table docs (id integer primary key, ${sql.id("rank")} integer, title varchar(20) not null, body ${type})`.execute(
      database.db,
    );
    await sql`create table parts (id integer primary key, doc_id integer not null, text ${type} not null)`.execute(
      database.db,
    );
  }
});
afterAll(async () => {
  for (const { close } of databases) await close();
});

async function store({ db }: OpenDatabase, { docs, parts }: Rows): Promise<void> {
  await sql`delete from docs`.execute(db);
  await sql`delete from parts`.execute(db);
  const docRows = docs.map(({ id, rank, title, body }) => sql`(${id}, ${rank}, ${title}, ${body})`);
  await sql`insert into docs values ${sql.join(docRows)}`.execute(db);
  const partRows = parts.map(({ id, docId, text: own }) => sql`(${id}, ${docId}, ${own})`);
  if (partRows.length > 0) await sql`insert into parts values ${sql.join(partRows)}`.execute(db);
}

const navigation = { parts: hasMany(Part, { on: { id: "docId" }, target: "Parts" }) } as const;

type Sets = Parameters<typeof odataService>[0]["entitySets"];

function setsOf({ docs, parts }: Rows): readonly (readonly [name: string, sets: Sets])[] {
  const one = (id: number) => docs.find((each) => each.id === id) ?? null;
  const partOf = (id: number) => parts.find((each) => each.id === id) ?? null;
  return [
    [
      "lists",
      [
        entitySet(Doc, { getAll: () => docs, getByKey: one, navigation }),
        entitySet(Part, { getAll: () => parts, getByKey: partOf }),
      ],
    ],
    [
      "sources",
      [
        entitySet(Doc, { queryable: () => arraySource(Doc, docs), getByKey: one, navigation }),
        entitySet(Part, { queryable: () => arraySource(Part, parts), getByKey: partOf }),
      ],
    ],
    ...databases.map(({ db, name }): readonly [string, Sets] => [
      name,
      [
        sqlEntitySet(Doc, { db, table: "docs", operations: ["read"], navigation }),
        sqlEntitySet(Part, { db, table: "parts", columns: { docId: "doc_id" }, operations: ["read"] }),
      ],
    ]),
  ];
}

const serviceOf = (entitySets: Sets, maxResponseBytes: number | null, maxTop: number): ODataService =>
  odataService({
    entitySets,
    profile: "standard",
    defaults: { maxResponseBytes, maxTop, queryTimeout: null },
    schemaCheck: false,
    logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });

const docOf = (id: number, rank: number | null, body: string | null) => ({ id, rank, title: "first", body });

/** Cases that were wrong once: JSON with more bytes than characters, and a sort that meets a row of a later page. */
const FOUND: [rows: Rows, target: string, most: number, maxTop: number][] = [
  [{ docs: [docOf(1, null, "é".repeat(122))], parts: [] }, "Docs?$expand=Parts", 300, 7],
  [{ docs: [docOf(1, null, "a".repeat(600)), docOf(2, 0, null)], parts: [] }, "Docs?$orderby=Rank desc,Title", 300, 7],
];

test("pages of limited bytes have each entity once, in order, or end with an error before an entity that is too large", async () => {
  const cases = fc.asyncProperty(
    rowsOf,
    targetOf,
    fc.integer({ min: 300, max: 8000 }),
    fc.constantFrom(7, 1000),
    async (rows, target, most, longest) => {
      // A greater $top is refused.
      const maxTop = target.includes("?$top") || target.includes("&$top") ? 1000 : longest;
      for (const database of databases) await store(database, rows);
      let expected: Read | undefined;
      for (const [name, sets] of setsOf(rows)) {
        // Lists have this route only with a handler.
        if (target.startsWith("Docs(1)") && (name === "lists" || name === "sources")) continue;
        const whole = await readAll(serviceOf(sets, null, maxTop), target);
        expected ??= whole;
        expect(whole.fault, name).toBeUndefined();
        expect([name, whole.entities, whole.count]).toEqual([name, expected.entities, expected.count]);
        const parts = await readAll(serviceOf(sets, most, maxTop), target);
        for (const size of parts.sizes) expect(size, name).toBeLessThanOrEqual(most);
        if (parts.fault === undefined) {
          expect([name, parts.entities, parts.count]).toEqual([name, whole.entities, whole.count]);
          continue;
        }
        expect([name, parts.fault.code]).toEqual([name, "InvalidQueryOption"]);
        expect(parts.fault.message, name).toContain("would exceed maxResponseBytes");
        checkFault(name, parts, whole, most);
      }
    },
  );
  await fc.assert(cases, { examples: FOUND });
});

/** The entities before an error are complete, and the next one, or an item of its list, is too large for a page. */
function checkFault(name: string, { entities }: Read, whole: Read, most: number): void {
  const end = entities.findIndex((entity, index) => bytesOf(entity) !== bytesOf(whole.entities[index]));
  const read = end < 0 ? entities : entities.slice(0, end);
  expect([name, read]).toEqual([name, whole.entities.slice(0, read.length)]);
  const next = whole.entities[read.length];
  expect(next, name).toBeDefined();
  // Sources count about the bytes of JSON.
  expect(bytesOf(next) * 2, name).toBeGreaterThan(most);
}

const OF_ONE: Rows = {
  docs: [{ id: 1, rank: null, title: "first", body: null }],
  parts: Array.from({ length: 12 }, (_, index) => ({ id: index + 1, docId: 1, text: "é".repeat(150) })),
};

test.each(["Docs", "Docs(1)"])("the next link of a list that ends early in %s has its options", async (path) => {
  for (const database of databases) await store(database, OF_ONE);
  for (const [name, sets] of setsOf(OF_ONE).slice(2)) {
    const service = serviceOf(sets, 2000, 1000);
    const found: unknown[] = [];
    let next: string | undefined =
      `http://pages.example/${path}?$select=Id&$expand=Parts($filter=Id gt 3;$orderby=Id desc;$select=Id,Text)`;
    while (next !== undefined) {
      const response = await service.fetch(new Request(next));
      const body = (await response.json()) as Page & Entity;
      const [entity = body] = next.includes("$expand") && path === "Docs" ? body.value : [body];
      found.push(...((entity["Parts"] ?? entity["value"]) as readonly unknown[]));
      const link = entity["Parts@odata.nextLink"] ?? entity["@odata.nextLink"];
      if (next.includes("$expand")) {
        expect([name, link]).toEqual([name, expect.stringContaining("Docs(1)/Parts?$skip=")]);
      }
      next = link as string | undefined;
    }
    const ids = [12, 11, 10, 9, 8, 7, 6, 5, 4];
    const expected = ids.map((Id) => ({ Id, Text: "é".repeat(150) }));
    expect([name, found.map((each) => ({ ...(each as object), "@odata.id": undefined }))]).toEqual([
      name,
      expected.map((each) => ({ ...each, "@odata.id": undefined })),
    ]);
  }
});
