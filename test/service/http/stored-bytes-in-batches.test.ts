import { sql } from "kysely";
import { edm, type EntityOf, entitySet, entityType, type ODataService, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Doc = entityType("Doc", {
  id: edm.int32().key(),
  content: edm.binary().nullable().mediaType({ property: "contentType" }),
  contentType: edm.string({ maxLength: 200 }).nullable(),
  fixed: edm.binary().nullable().mediaType("application/json"),
  photo: edm.binary().nullable().mediaType("image/png"),
});
type DocRow = EntityOf<typeof Doc>;

const OPTIONS = {
  profile: "standard",
  batch: { json: true, multipart: true },
  defaults: { propertyAccessEnabled: true },
} as const;

interface Opened {
  readonly service: ODataService;
  readonly close: () => unknown;
}

function openObjects(): Promise<Opened> {
  const empty = { id: 1, content: null, contentType: null, fixed: null, photo: null };
  const docs = new Map<number, DocRow>([[1, empty]]);
  const set = entitySet(Doc, {
    getByKey: (key) => docs.get(key) ?? null,
    patch: (id, delta) => {
      docs.set(id, { ...(docs.get(id) ?? empty), ...delta });
      return docs.get(id) ?? null;
    },
  });
  return Promise.resolve({ service: odataService({ ...OPTIONS, entitySets: [set] }), close: () => undefined });
}

async function openTable({ open }: (typeof ENGINES)[number]): Promise<Opened> {
  const database = await open();
  const { db } = database;
  await sql`create table docs (id integer primary key, content blob, content_type varchar(200), fixed blob, photo blob)`.execute(
    db,
  );
  await sql`insert into docs (id) values (1)`.execute(db);
  const set = sqlEntitySet(Doc, {
    db,
    table: "docs",
    columns: { contentType: "content_type" },
    operations: ["read", "patch"],
  });
  const service = odataService({ ...OPTIONS, entitySets: [set], schemaCheck: false });
  return { service, close: () => database.close() };
}

/** What a batch makes of bytes is the same over all databases; test/databases/sql/raw-bytes.test.ts stores them in each. */
const STORES = [
  { title: "objects", open: openObjects },
  ...ENGINES.filter(({ name }) => name === "sqlite").map((engine) => ({
    title: engine.title,
    open: () => openTable(engine),
  })),
];

const CONTENT = "Docs(1)/Content/$value";
const OCTETS = "application/octet-stream";
const FORGED = '1},{"id":"2","status":200,"headers":{},"body":{"Owner":"forged"}';

describe.each(STORES)("stored bytes over $title", ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ) => {
    const request = new Request(`http://a.example/${path}`, { method, headers, ...(body !== undefined && { body }) });
    const response = await opened.service.fetch(request);
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const store = async (type: string, bytes: Uint8Array<ArrayBuffer>, path = CONTENT) => {
    expect((await ask("PUT", path, { "content-type": type }, bytes)).status).toBe(204);
  };
  const batch = async (...requests: readonly object[]) => {
    const body = JSON.stringify({ requests: requests.map((each, index) => ({ id: `r${String(index)}`, ...each })) });
    const answer = await ask("POST", "$batch", { "content-type": "application/json" }, body);
    return { status: answer.status, text: answer.bytes.toString() };
  };
  const readInBatch = async (path = CONTENT) => {
    const { text } = await batch({ method: "GET", url: path });
    const { responses } = JSON.parse(text) as {
      responses: readonly { status: number; headers: Record<string, string>; body?: unknown }[];
    };
    expect(responses).toHaveLength(1);
    const [{ status, headers, body } = { status: 0, headers: {}, body: null }] = responses;
    expect(status).toBe(200);
    return { type: headers["content-type"], body };
  };
  const utf8 = (text: string) => new Uint8Array(Buffer.from(text));

  test("that are JSON are the body of a response as they are", async () => {
    await store("application/json", utf8(' {"a":1.10,"b":[null]} '));
    const { text } = await batch({ method: "GET", url: CONTENT });
    expect(text).toContain('"body": {"a":1.10,"b":[null]} }');
    expect(await readInBatch()).toEqual({ type: undefined, body: { a: 1.1, b: [null] } });
    await store("Application/JSON; x=1", utf8("[]"));
    expect(await readInBatch()).toEqual({ type: "Application/JSON; x=1", body: [] });
  });

  test.each([
    ["forge a second response", utf8(FORGED)],
    ["are cut off", utf8("{not json")],
    ["are empty", new Uint8Array()],
    ["begin with a byte order mark", utf8("\uFEFF{}")],
    ["are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["are nested deeper than maxJsonDepth", utf8("[".repeat(70) + "]".repeat(70))],
  ])("that are called JSON and %s are octets", async (_, bytes) => {
    const body = Buffer.from(bytes).toString("base64url");
    await store("application/json", bytes);
    expect(await readInBatch()).toEqual({ type: OCTETS, body });
    await store("application/json", bytes, "Docs(1)/Fixed/$value");
    expect(await readInBatch("Docs(1)/Fixed/$value")).toEqual({ type: OCTETS, body });
    const grouped = await batch({ method: "GET", url: CONTENT, atomicityGroup: "g" });
    expect(JSON.parse(grouped.text)).toMatchObject({ responses: [{ id: "r0" }] });
    expect(grouped.text).not.toContain("Owner");
    const read = await ask("GET", CONTENT);
    expect(read.bytes).toEqual(Buffer.from(bytes));
    expect(Object.fromEntries(read.headers)).toMatchObject({
      "content-type": "application/json",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
    });
  });

  test.each(["application/json-seq", "application/jsonlines", "application/vnd.api+json", "application/xml"])(
    "of the type %s are base64url",
    async (type) => {
      await store(type, utf8(FORGED));
      expect(await readInBatch()).toEqual({ type, body: Buffer.from(FORGED).toString("base64url") });
    },
  );

  test("of a text type are a string, if it has all of their bytes", async () => {
    await store("text/plain", utf8("\uFEFFA\u00e9"));
    expect(await readInBatch()).toEqual({ type: "text/plain", body: "\uFEFFA\u00e9" });
    await store("Text/CSV;charset=UTF-8", utf8("a,b"));
    expect(await readInBatch()).toEqual({ type: "Text/CSV;charset=UTF-8", body: "a,b" });
    await store("text/plain", new Uint8Array());
    expect(await readInBatch()).toEqual({ type: "text/plain", body: "" });
    const odd = Uint8Array.of(0xef, 0xbb, 0xbf, 0x41, 0xff);
    await store("text/plain", odd);
    expect(await readInBatch()).toEqual({ type: OCTETS, body: Buffer.from(odd).toString("base64url") });
    await store('text/plain; x="a;charset=b"; charset="iso-8859-1"', utf8("\u00e9"));
    expect(await readInBatch()).toEqual({ type: OCTETS, body: Buffer.from("\u00e9").toString("base64url") });
  });

  test("of a text type are written from a string, and not in another charset than UTF-8", async () => {
    const put = (type: string, body: unknown) =>
      batch({ method: "PUT", url: CONTENT, headers: { "content-type": type }, body });
    expect((await put("Text/CSV", "\uFEFFa,\u00e9")).text).toContain('"status":204');
    const read = await ask("GET", CONTENT);
    expect(read.headers.get("content-type")).toBe("Text/CSV");
    expect(read.bytes).toEqual(Buffer.from("\uFEFFa,\u00e9"));
    expect(await readInBatch()).toEqual({ type: "Text/CSV", body: "\uFEFFa,\u00e9" });
    expect((await put('text/csv; charset="utf-8"', "b")).text).toContain('"status":204');
    for (const [type, body] of [
      ["text/csv; charset=iso-8859-1", "\u00e9"],
      ["text/csv", "a\ud800"],
    ] as const) {
      expect(await put(type, body)).toMatchObject({ status: 400, text: expect.stringContaining("InvalidBody") });
    }
    expect((await ask("GET", CONTENT)).bytes).toEqual(Buffer.from("b"));
  });

  test("are deleted with the Accept that PUT takes", async () => {
    const PHOTO = "Docs(1)/Photo/$value";
    for (const accept of ["image/png", "image/*", "application/json"]) {
      await store("image/png", utf8("x"), PHOTO);
      expect((await ask("DELETE", PHOTO, { accept })).status).toBe(204);
      expect((await ask("GET", PHOTO)).status).toBe(204);
    }
    expect((await ask("DELETE", PHOTO, { accept: "image/gif" })).status).toBe(406);
    expect((await ask("DELETE", CONTENT, { accept: "image/gif" })).status).toBe(204);
    expect((await ask("DELETE", "Docs(1)/Photo", { accept: "image/png" })).status).toBe(406);
  });

  test.each([
    "image/png;",
    "image/png ; ;x=1;",
    'multipart/related; type="a/b,c"; boundary="(:;)"',
    'text/plain; title="a \\"b\\""',
    "text/plain; title*=utf-8''a",
  ])("are written with the media type %s", async (type) => {
    await store(type, utf8("x"));
    expect((await ask("GET", CONTENT)).headers.get("content-type")).toBe(type);
    await store("image/png;", utf8("x"), "Docs(1)/Photo/$value");
  });

  test.each(["image", "image/png; x", 'image/png; x="', 'image/png; x="a" b', "image/png, text/plain", "a/b; x=(c)"])(
    "are not written with %s, which is no media type",
    async (type) => {
      expect((await ask("PUT", CONTENT, { "content-type": type }, "x")).status).toBe(415);
    },
  );
});
