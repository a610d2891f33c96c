import { sql } from "kysely";
import { edm, type EntityOf, entitySet, entityType, type ODataService, odataService, hasOptional } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { connectionsOf, hearStatements } from "./sent-statements.ts";

const Doc = entityType("Doc", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 50 }),
  content: edm.string().nullable().onlyIfSelected(),
  ownerId: edm.int32().nullable(),
});
const Owner = entityType("Owner", {
  id: edm.int32().key(),
  letter: edm.string().onlyIfSelected(),
});

const DOCS = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  name: `Doc ${String(index + 1)}`,
  content: `text ${String(index % 3)}`,
  ownerId: 1,
}));
const OWNERS = [{ id: 1, letter: "hello" }];
const DEFAULTS = {
  propertyAccessEnabled: true,
  selectEnabled: true,
  expandEnabled: true,
  filterEnabled: true,
  orderByEnabled: true,
  applyEnabled: true,
  computeEnabled: true,
} as const;

type DocRow = EntityOf<typeof Doc>;

interface Opened {
  readonly service: ODataService;
  /** Whether a statement since the last call read a column. */
  readonly reads: (column: string) => boolean;
  readonly close: () => unknown;
}

/** A service over arrays. */
function openMemory(): Opened {
  const docs = new Map<number, DocRow>(DOCS.map((doc) => [doc.id, { ...doc }]));
  const save = (doc: DocRow): DocRow => {
    docs.set(doc.id, doc);
    return doc;
  };
  const stored = (id: number): DocRow => docs.get(id) ?? { id, name: "", content: null, ownerId: null };
  const service = odataService({
    entitySets: [
      entitySet(Doc, {
        getAll: () => [...docs.values()],
        getByKey: (key) => docs.get(key) ?? null,
        create: ({ id, name, content, ownerId }) => save({ id, name, content, ownerId }),
        replace: (id, doc) => save({ ...doc, id }),
        patch: (id, delta) => save({ ...stored(id), ...delta }),
        etag: ["content"],
        navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
      }),
      entitySet(Owner, { getAll: () => OWNERS, getByKey: (key) => OWNERS.find(({ id }) => id === key) ?? null }),
    ],
    defaults: DEFAULTS,
  });
  return { service, reads: () => false, close: () => undefined };
}

async function openTables({ open }: (typeof ENGINES)[number]): Promise<Opened> {
  const database: OpenDatabase = await open();
  const { db } = database;
  await sql`create table docs (id integer primary key, name varchar(50) not null, content text, owner_id integer)`.execute(
    db,
  );
  await sql`create table owners (id integer primary key, letter varchar(50) not null)`.execute(db);
  await sql`insert into owners values (1, 'hello')`.execute(db);
  for (const { id, name, content, ownerId } of DOCS) {
    await sql`insert into docs values (${id}, ${name}, ${content}, ${ownerId})`.execute(db);
  }
  const owners = sqlEntitySet(Owner, { db, table: "owners", operations: ["read"] });
  const service = odataService({
    entitySets: [
      sqlEntitySet(Doc, {
        db,
        table: "docs",
        columns: { ownerId: "owner_id" },
        etag: ["content"],
        operations: ["read", "create", "replace", "patch"],
        navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
      }),
      owners,
    ],
    defaults: DEFAULTS,
    schemaCheck: false,
  });
  const heard: string[] = [];
  const end = hearStatements(await connectionsOf(db), (query) => heard.push(query.sql));
  return {
    service,
    reads: (column) => heard.splice(0).some((text) => text.includes(column)),
    close: async () => {
      end();
      await database.close();
    },
  };
}

const STORES = [
  { title: "objects", open: () => Promise.resolve(openMemory()) },
  ...ENGINES.map((engine) => ({ title: engine.title, open: () => openTables(engine) })),
];

describe.each(STORES)("properties that must be selected over $title", ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  afterEach(() => void opened.reads(""));

  const send = async (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await opened.service.fetch(
      new Request(`http://docs.example/${target}`, {
        method,
        headers: { ...(body && { "content-type": "application/json" }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get("etag"),
      text,
      body: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : null,
    };
  };
  const get = async (target: string, headers?: Record<string, string>) => send("GET", target, undefined, headers);
  const rows = async (target: string) => (await get(target)).body?.["value"] as readonly Record<string, unknown>[];
  const context = (text: string) => `http://docs.example/$metadata#${text}`;

  test("are absent without $select, and the context URL lists the others", async () => {
    const { body } = await get("Docs");
    expect(body?.["@odata.context"]).toBe(context("Docs(Id,Name,OwnerId)"));
    expect(Object.keys((await rows("Docs"))[0] ?? {})).toEqual(["@odata.etag", "Id", "Name", "OwnerId"]);
    expect((await get("Docs(1)")).body).toEqual({
      "@odata.context": context("Docs(Id,Name,OwnerId)/$entity"),
      "@odata.id": "http://docs.example/Docs(1)",
      "@odata.etag": expect.any(String),
      Id: 1,
      Name: "Doc 1",
      OwnerId: 1,
    });
    expect((await get("Owners")).body).toEqual({ "@odata.context": context("Owners(Id)"), value: [{ Id: 1 }] });
    const full = await get("Owners", { accept: "application/json;odata.metadata=full" });
    expect(full.body?.["value"]).toEqual([expect.not.objectContaining({ Letter: "hello" })]);
  });

  test("are not read without $select", async () => {
    await get("Owners");
    expect(opened.reads("letter")).toBe(false);
    await get("Owners(1)");
    expect(opened.reads("letter")).toBe(false);
    await get("Owners?$compute=Id add 1 as Next");
    expect(opened.reads("letter")).toBe(false);
    await get("Docs?$select=Name&$expand=Owner");
    expect(opened.reads("letter")).toBe(false);
  });

  test("are returned by name and by a star", async () => {
    const named = await get("Docs(1)?$select=Name,Content");
    expect(named.body).toMatchObject({
      "@odata.context": context("Docs(Name,Content)/$entity"),
      Name: "Doc 1",
      Content: "text 0",
    });
    const star = await get("Owners?$select=*");
    expect(star.body).toEqual({ "@odata.context": context("Owners(*)"), value: [{ Id: 1, Letter: "hello" }] });
    expect((await get("Docs(1)/Content")).body).toMatchObject({ value: "text 0" });
    expect((await get("Docs(1)/Content/$value")).text).toBe("text 0");
  });

  test("have the same ETag, selected or not", async () => {
    const [plain, selected] = [await get("Docs(2)"), await get("Docs(2)?$select=Content")];
    expect(plain.etag).toMatch(/^"/);
    expect(selected.etag).toBe(plain.etag);
    expect((await get("Docs(2)", { "if-none-match": plain.etag ?? "" })).status).toBe(304);
    expect((await send("PATCH", "Docs(2)", { Name: "Two" }, { "if-match": selected.etag ?? "" })).status).toBe(200);
  });

  test("are absent in expansions, unless the expansion selects them", async () => {
    const plain = await get("Docs(3)?$select=Name&$expand=Owner");
    expect(plain.body).toMatchObject({ "@odata.context": context("Docs(Name,Owner(Id))/$entity"), Owner: { Id: 1 } });
    expect(plain.text).not.toContain("hello");
    const selected = await get("Docs?$top=25&$expand=Owner($select=Letter)");
    expect(selected.body?.["@odata.context"]).toBe(context("Docs(Id,Name,OwnerId,Owner(Letter))"));
    expect(selected.text).not.toContain('"Content"');
    const [first] = await rows("Docs?$top=25&$expand=Owner($select=Letter)");
    expect(first).toMatchObject({ Owner: { Letter: "hello" } });
    expect((await get("Docs(3)/Owner")).body).not.toHaveProperty("Letter");
  });

  test("can be filtered, sorted, grouped and computed with", async () => {
    const found = await rows("Docs?$filter=Content eq 'text 1'&$orderby=Content desc,Id&$top=2");
    expect(found).toEqual([
      { "@odata.etag": expect.any(String), Id: 2, Name: expect.any(String), OwnerId: 1 },
      { "@odata.etag": expect.any(String), Id: 5, Name: "Doc 5", OwnerId: 1 },
    ]);
    expect(await rows("Docs?$apply=groupby((Content),aggregate($count as N))")).toEqual([
      { Content: "text 0", "N@odata.type": "#Decimal", N: 10 },
      { Content: "text 1", "N@odata.type": "#Decimal", N: 10 },
      { Content: "text 2", "N@odata.type": "#Decimal", N: 10 },
    ]);
    const filtered = await get("Docs?$apply=filter(Id eq 4)");
    expect(filtered.body?.["@odata.context"]).toBe(context("Docs(Id,Name,OwnerId)"));
    expect(filtered.text).not.toContain('"Content"');
    const computed = await get("Owners?$compute=concat(Letter,'!') as Loud");
    expect(computed.body).toMatchObject({
      "@odata.context": context("Owners(Id,Loud)"),
      value: [{ Id: 1, Loud: "hello!" }],
    });
    expect(computed.text).not.toContain('"Letter"');
  });

  test("are absent in responses to writes, unless selected", async () => {
    const created = await send("POST", "Docs", { Id: 100, Name: "New", Content: "large", OwnerId: null });
    expect(created.body).toEqual({
      "@odata.context": context("Docs(Id,Name,OwnerId)/$entity"),
      "@odata.id": "http://docs.example/Docs(100)",
      "@odata.etag": created.etag,
      Id: 100,
      Name: "New",
      OwnerId: null,
    });
    const patched = await send("PATCH", "Docs(100)", { Name: "Newer" });
    expect(patched.body).toMatchObject({ Name: "Newer" });
    expect(patched.text).not.toContain("large");
    expect((await send("PATCH", "Docs(100)?$select=Content", { Name: "N" })).body).toMatchObject({ Content: "large" });
    expect((await send("PUT", "Docs(100)/Content", { value: "larger" })).status).toBe(204);
    expect((await get("Docs(100)/Content/$value")).text).toBe("larger");
    const replaced = await send("PUT", "Docs(100)", { Name: "Last" });
    expect(replaced.body).toMatchObject({ Name: "Last" });
    expect((await get("Docs(100)/Content")).status).toBe(204);
  });
});
