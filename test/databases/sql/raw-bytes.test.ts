import { sql } from "kysely";
import { edm, type EntityOf, entitySet, entityType, odataError, type ODataService, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Doc = entityType("Doc", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 50 }).nullable(),
  version: edm.int32().computed(),
  plain: edm.binary().nullable(),
  photo: edm.binary({ maxLength: 12_000 }).nullable().mediaType("image/png"),
  content: edm.binary().nullable().onlyIfSelected().mediaType({ property: "contentType" }),
  contentType: edm.string({ maxLength: 40 }).nullable(),
  icon: edm
    .binary()
    .nullable()
    .mediaType({ property: "iconType", accepts: ["image/png", "Image/GIF"] }),
  iconType: edm.string().nullable(),
  fixed: edm.binary().nullable().immutable().mediaType("image/png"),
});
type DocRow = EntityOf<typeof Doc>;

const BINARY = { sqlite: "blob", postgres: "bytea", mariadb: "longblob" };
/** Every byte, valid and invalid UTF-8, line ends, and the delimiters of batches. */
const EVERY = Uint8Array.from({ length: 12_000 }, (_, index) => (index * 7) % 256);
const DEFAULTS = { propertyAccessEnabled: true, selectEnabled: true } as const;
const PROFILE = { profile: "standard", batch: { multipart: true, json: true } } as const;

interface Opened {
  readonly service: ODataService;
  readonly close: () => unknown;
}

/** Refuses a byte, and is called with the bytes of the client. */
const before = {
  patch: ({ delta }: { readonly delta: { readonly plain?: Uint8Array | null } }) =>
    delta.plain?.[0] === 0xee ? odataError(409, "Refused", "These bytes are refused.") : undefined,
};

function openMemory(): Opened {
  const docs = new Map<number, DocRow>();
  const save = (doc: DocRow): DocRow => {
    docs.set(doc.id, doc);
    return doc;
  };
  const empty = { name: null, version: 0, plain: null, photo: null, content: null, contentType: null };
  const none = { ...empty, icon: null, iconType: null, fixed: null };
  const service = odataService({
    ...PROFILE,
    entitySets: [
      entitySet(Doc, {
        getAll: () => [...docs.values()],
        getByKey: (key) => docs.get(key) ?? null,
        create: (doc) => save({ ...none, ...doc, version: 0 }),
        patch: (id, delta) => {
          const stored = docs.get(id);
          return stored === undefined ? null : save({ ...stored, ...delta, version: stored.version + 1 });
        },
        etag: ["version"],
        before,
      }),
    ],
    defaults: { ...DEFAULTS, maxRequestBodyBytes: 20_000 },
  });
  return { service, close: () => undefined };
}

async function openTables({ name, open }: (typeof ENGINES)[number]): Promise<Opened> {
  const database = await open();
  const { db } = database;
  const bytes = sql.raw(BINARY[name]);
  await sql`create table docs (
    id integer primary key, name varchar(50), version integer not null default 0, plain ${bytes}, photo ${bytes}, content ${bytes},
    content_type varchar(40), icon ${bytes}, icon_type varchar(40), fixed ${bytes}
  )`.execute(db);
  const service = odataService({
    ...PROFILE,
    entitySets: [
      sqlEntitySet(Doc, {
        db,
        table: "docs",
        columns: { contentType: "content_type", iconType: "icon_type" },
        rowVersion: "version",
        etag: ["version"],
        operations: ["read", "create", "patch"],
        before,
      }),
    ],
    defaults: { ...DEFAULTS, maxRequestBodyBytes: 20_000 },
    schemaCheck: false,
  });
  return { service, close: () => database.close() };
}

const STORES = [
  { title: "objects", open: () => Promise.resolve(openMemory()) },
  ...ENGINES.map((engine) => ({ title: engine.title, open: () => openTables(engine) })),
];

describe.each(STORES)("bytes over $title", ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
    for (const id of [1, 2, 3, 4, 5]) {
      const body = JSON.stringify({ Id: id, Name: "a" });
      await fetchOf("POST", "Docs", { "content-type": "application/json" }, body);
    }
  });
  afterAll(() => opened.close());

  const fetchOf = async (
    method: string,
    target: string,
    headers: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ) => {
    const response = await opened.service.fetch(
      new Request(`http://docs.example/${target}`, { method, headers, ...(body !== undefined && { body }) }),
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const { error } = text.startsWith('{"error"') ? (JSON.parse(text) as { error: object }) : { error: null };
    return { status: response.status, headers: response.headers, bytes, text, error };
  };
  const put = async (target: string, type: string, body: Uint8Array<ArrayBuffer>, headers = {}) =>
    fetchOf("PUT", target, { ...(type !== "" && { "content-type": type }), ...headers }, body);

  test("are stored as sent, with a new ETag, and returned as stored", async () => {
    const before = await fetchOf("GET", "Docs(1)");
    const written = await put("Docs(1)/Plain/$value", "application/octet-stream", EVERY);
    expect(written).toMatchObject({ status: 204, text: "" });
    const etag = written.headers.get("etag");
    expect(etag).toMatch(/^"/u);
    expect(etag).not.toBe(before.headers.get("etag"));
    const read = await fetchOf("GET", "Docs(1)/Plain/$value");
    expect(read.status).toBe(200);
    expect(read.bytes).toEqual(EVERY);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
    });
    expect(read.headers.get("content-disposition")).toBeNull();
    expect((await put("Docs(1)/Plain/$value", "application/octet-stream", new Uint8Array())).status).toBe(204);
    expect(await fetchOf("GET", "Docs(1)/Plain/$value")).toMatchObject({ status: 200, text: "" });
    expect((await fetchOf("DELETE", "Docs(1)/Plain/$value")).status).toBe(204);
    expect((await fetchOf("GET", "Docs(1)/Plain/$value")).status).toBe(204);
  });

  test("of a declared media type have it in both directions", async () => {
    expect((await put("Docs(2)/Photo/$value", "Image/PNG", EVERY)).status).toBe(204);
    const read = await fetchOf("GET", "Docs(2)/Photo/$value", { accept: "image/*" });
    expect(read.bytes).toEqual(EVERY);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
    });
    expect((await fetchOf("GET", "Docs(2)/Photo/$value", { accept: "image/gif" })).status).toBe(406);
    const refused = await put("Docs(2)/Photo/$value", "image/gif", EVERY);
    expect(refused).toMatchObject({
      status: 415,
      error: {
        code: "UnsupportedMediaType",
        target: "Content-Type",
        message: "The bytes need another Content-Type. Send image/png.",
      },
    });
    expect((await put("Docs(2)/Plain/$value", "application/json", EVERY)).status).toBe(415);
    expect((await put("Docs(2)/Plain/$value", "", EVERY)).status).toBe(415);
  });

  test("are stored with their media type in one write", async () => {
    const { Version } = JSON.parse((await fetchOf("GET", "Docs(3)")).text) as { Version: number };
    expect((await put("Docs(3)/Content/$value", "text/html; charset=utf-8", EVERY)).status).toBe(204);
    const entity = await fetchOf("GET", "Docs(3)?$select=Version,ContentType");
    expect(JSON.parse(entity.text)).toMatchObject({ Version: Version + 1, ContentType: "text/html; charset=utf-8" });
    const read = await fetchOf("GET", "Docs(3)/Content/$value");
    expect(read.bytes).toEqual(EVERY);
    expect(read.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(read.headers.get("content-disposition")).toBe("attachment");
    expect((await fetchOf("GET", "Docs(3)/Content/$value", { accept: "image/png" })).status).toBe(406);
    expect((await put("Docs(3)/Icon/$value", "image/gif", EVERY)).status).toBe(204);
    expect((await put("Docs(3)/Icon/$value", "text/html", EVERY)).status).toBe(415);
    const long = await put("Docs(3)/Content/$value", `text/${"x".repeat(40)}`, EVERY);
    expect(long).toMatchObject({ status: 400, error: { code: "InvalidBody", target: "ContentType" } });
    const body = JSON.stringify({ ContentType: "x\u0001y" });
    expect((await fetchOf("PATCH", "Docs(3)", { "content-type": "application/json" }, body)).status).toBe(200);
    const odd = await fetchOf("GET", "Docs(3)/Content/$value");
    expect(odd.headers.get("content-type")).toBe("application/octet-stream");
  });

  test("obey the rules of property writes", async () => {
    const octets = "application/octet-stream";
    const etag = (await fetchOf("GET", "Docs(4)")).headers.get("etag") ?? "";
    expect((await put("Docs(4)/Plain/$value", octets, EVERY, { "if-match": etag })).status).toBe(204);
    expect((await put("Docs(4)/Plain/$value", octets, EVERY, { "if-match": etag })).status).toBe(412);
    expect((await put("Docs(99)/Plain/$value", octets, EVERY)).status).toBe(404);
    expect((await put("Docs(99)/Plain/$value", octets, EVERY, { "if-match": "*" })).status).toBe(412);
    expect(await put("Docs(4)/Photo/$value", "image/png", new Uint8Array(12_001))).toMatchObject({
      status: 400,
      error: { code: "InvalidBody", target: "Photo" },
    });
    expect((await put("Docs(4)/Plain/$value", octets, new Uint8Array(20_001))).status).toBe(413);
    expect((await put("Docs(4)/Plain/$value", octets, EVERY, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await put("Docs(4)/Fixed/$value", "image/png", EVERY)).status).toBe(400);
    expect((await put("Docs(4)/Plain/$value", octets, Uint8Array.of(0xee))).status).toBe(409);
    const text = await put("Docs(4)/Name/$value", "text/plain", EVERY);
    expect([text.status, text.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    const patched = await fetchOf("PATCH", "Docs(4)/Plain/$value", { "content-type": octets }, EVERY);
    expect([patched.status, patched.headers.get("allow")]).toEqual([405, "GET, PUT, DELETE, HEAD, OPTIONS"]);
    expect((await fetchOf("GET", "Docs(4)/Plain/$value")).bytes).toEqual(EVERY);
  });

  test("are written by change sets of both batch formats", async () => {
    const lines = (...each: readonly string[]) => each.join("\r\n");
    const head = lines(
      "--b",
      "Content-Type: multipart/mixed; boundary=c",
      "",
      "--c",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      "PUT Docs(5)/Photo/$value HTTP/1.1",
      "Content-Type: image/png",
      `Content-Length: ${String(EVERY.length)}`,
      "",
      "",
    );
    const encoder = new TextEncoder();
    const body = Buffer.concat([encoder.encode(head), EVERY, encoder.encode("\r\n--c--\r\n--b--\r\n")]);
    const batch = await fetchOf("POST", "$batch", { "content-type": "multipart/mixed; boundary=b" }, body);
    expect(batch.text).toContain("HTTP/1.1 204");
    expect((await fetchOf("GET", "Docs(5)/Photo/$value")).bytes).toEqual(EVERY);
    const requests = [
      {
        id: "1",
        method: "PUT",
        url: "Docs(5)/Plain/$value",
        headers: { "content-type": "application/octet-stream" },
        body: Buffer.from(EVERY.slice(0, 100)).toString("base64url"),
      },
    ];
    const json = await fetchOf("POST", "$batch", { "content-type": "application/json" }, JSON.stringify({ requests }));
    expect(JSON.parse(json.text)).toMatchObject({ responses: [{ id: "1", status: 204 }] });
    expect((await fetchOf("GET", "Docs(5)/Plain/$value")).bytes).toEqual(EVERY.slice(0, 100));
  });
});
