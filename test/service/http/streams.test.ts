import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { type Gallery, listedGallery, tabledGallery } from "./stream-model.ts";

interface Form {
  readonly title: string;
  readonly open: () => Promise<{ readonly gallery: Gallery; readonly database?: OpenDatabase }>;
}

const FORMS: readonly Form[] = [
  { title: "handlers", open: () => Promise.resolve({ gallery: listedGallery() }) },
  ...ENGINES.map(({ title, name, open }): Form => ({
    title,
    open: async () => {
      const database = await open();
      return { gallery: await tabledGallery(database.db, name), database };
    },
  })),
];

const HELLO = new TextEncoder().encode("hello, world");
const HELLO_TAG = '"CcqdVf7BgG6u6UIZFgoJIrmpUdXaLs0ikpjiLQi8nik"'.length;

describe.each(FORMS)("streams over $title", ({ open }) => {
  let gallery: Gallery;
  let database: OpenDatabase | undefined;
  beforeEach(async () => {
    ({ gallery, database } = await open());
  });
  afterEach(async () => {
    await database?.close();
    if (gallery.failures.length > 0) throw new Error(`Failures were logged: ${gallery.failures.join("; ")}`);
  });

  type Sent = Uint8Array<ArrayBuffer> | string;
  const send = async (
    request: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Sent,
  ): Promise<Response> => {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const init = { method, headers: { "x-roles": "boss", ...headers }, ...(body === undefined ? {} : { body }) };
    return gallery.service.fetch(new Request(`http://g.example/${path}`, init));
  };
  const put = async (path: string, body: Sent = HELLO, headers = {}): Promise<string> => {
    const response = await send(`PUT ${path}`, { "Content-Type": "text/plain", ...headers }, body);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    return response.headers.get("ETag") ?? "";
  };
  const codeOf = async (response: Response): Promise<readonly unknown[]> => {
    const { error } = (await response.json()) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    return [response.status, error.code, error.message];
  };
  const kept = (): readonly string[] =>
    [...gallery.store.kept.values()].map((bytes) => new TextDecoder().decode(bytes));
  const entity = async (path: string, level = "minimal"): Promise<unknown> => {
    const response = await send(`GET ${path}`, { Accept: `application/json;odata.metadata=${level}` });
    expect(response.status).toBe(200);
    return response.json();
  };

  for (const path of ["People(1)/Photo", "People(1)/Scan"]) {
    test(`${path} is empty, then written, read and cleared`, async () => {
      const empty = await send(`GET ${path}`);
      expect([empty.status, await empty.text()]).toEqual([204, ""]);
      const etag = await put(path);
      expect(etag).toHaveLength(HELLO_TAG);
      const read = await send(`GET ${path}`);
      expect([read.status, await read.text(), Object.fromEntries(read.headers)]).toEqual([
        200,
        "hello, world",
        {
          "accept-ranges": "bytes",
          "cache-control": "no-store",
          "content-disposition": "attachment",
          "content-length": "12",
          "content-type": "text/plain",
          etag,
          "odata-version": "4.0",
          "x-content-type-options": "nosniff",
          "x-request-id": expect.any(String),
          vary: expect.any(String),
        },
      ]);
      const head = await send(`HEAD ${path}`);
      expect([head.status, head.headers.get("Content-Length"), head.headers.get("ETag"), await head.text()]).toEqual([
        200,
        "12",
        etag,
        "",
      ]);
      const cleared = await send(`DELETE ${path}`);
      expect([cleared.status, await cleared.text()]).toEqual([204, ""]);
      expect((await send(`GET ${path}`)).status).toBe(204);
    });

    test(`${path} sends single ranges`, async () => {
      const etag = await put(path);
      const range = async (header: string, others = {}): Promise<readonly unknown[]> => {
        const response = await send(`GET ${path}`, { Range: header, ...others });
        return [response.status, response.headers.get("Content-Range"), await response.text()];
      };
      expect(await range("bytes=0-4")).toEqual([206, "bytes 0-4/12", "hello"]);
      expect(await range("bytes=7-")).toEqual([206, "bytes 7-11/12", "world"]);
      expect(await range("bytes=-5")).toEqual([206, "bytes 7-11/12", "world"]);
      expect(await range("bytes=7-999")).toEqual([206, "bytes 7-11/12", "world"]);
      expect(await range("bytes=0-1,3-4")).toEqual([200, null, "hello, world"]);
      expect(await range("bytes=5-2")).toEqual([200, null, "hello, world"]);
      expect(await range("lines=0-1")).toEqual([200, null, "hello, world"]);
      expect(await range("bytes=12-")).toEqual([416, "bytes */12", expect.stringContaining("RangeNotSatisfiable")]);
      expect(await range("bytes=0-4", { "If-Range": etag })).toEqual([206, "bytes 0-4/12", "hello"]);
      expect(await range("bytes=0-4", { "If-Range": '"other"' })).toEqual([200, null, "hello, world"]);
      expect(await range("bytes=0-4", { "If-Range": `W/${etag}` })).toEqual([200, null, "hello, world"]);
    });

    test(`${path} evaluates preconditions with the ETag of the bytes`, async () => {
      expect((await send(`PUT ${path}`, { "Content-Type": "text/plain", "If-Match": "*" }, HELLO)).status).toBe(412);
      const etag = await put(path, HELLO, { "If-None-Match": "*" });
      expect((await send(`PUT ${path}`, { "Content-Type": "text/plain", "If-None-Match": "*" }, HELLO)).status).toBe(
        412,
      );
      expect((await send(`GET ${path}`, { "If-None-Match": etag })).status).toBe(304);
      expect((await send(`GET ${path}`, { "If-Match": '"other"' })).status).toBe(412);
      expect((await send(`GET ${path}`, { "If-Match": etag })).status).toBe(200);
      const second = await put(path, "second", { "If-Match": etag });
      expect(second).not.toBe(etag);
      expect((await send(`PUT ${path}`, { "Content-Type": "text/plain", "If-Match": etag }, "third")).status).toBe(412);
      expect((await send(`DELETE ${path}`, { "If-Match": etag })).status).toBe(412);
      expect((await send(`DELETE ${path}`, { "If-Match": second })).status).toBe(204);
      await gallery.service.drain();
      expect(kept()).toEqual([]);
    });
  }

  test("a body of a wrong type, and one above the limit, are refused", async () => {
    const type = await send("PUT People(1)/Photo", { "Content-Type": "text/html" }, HELLO);
    expect(await codeOf(type)).toEqual([
      415,
      "UnsupportedMediaType",
      "The bytes need another Content-Type. Send image/png or text/plain.",
    ]);
    const large = new Uint8Array(2001);
    expect((await send("PUT People(1)/Photo", { "Content-Type": "image/png" }, large)).status).toBe(413);
    expect((await send("PUT People(1)/Scan", { "Content-Type": "image/png" }, large)).status).toBe(413);
    expect((await send("PUT People(9)/Scan", { "Content-Type": "image/png" }, HELLO)).status).toBe(404);
    expect(kept()).toEqual([]);
  });

  test("replaced, cleared and deleted bytes leave the store after the commit", async () => {
    await put("People(1)/Scan");
    await put("People(1)/Scan", "second");
    await put("People(2)/Scan", "other");
    await gallery.service.drain();
    expect(kept()).toEqual(["second", "other"]);
    expect((await send("DELETE People(1)")).status).toBe(204);
    await gallery.service.drain();
    expect(kept()).toEqual(["other"]);
    expect((await send("DELETE People(2)/Scan")).status).toBe(204);
    await gallery.service.drain();
    expect(kept()).toEqual([]);
  });

  test("many writers at once leave the bytes of the last one", async () => {
    const texts = Array.from({ length: 8 }, (_each, index) => `text ${String(index)}`);
    await Promise.all(texts.map((text) => put("People(1)/Scan", text)));
    await gallery.service.drain();
    const left = await (await send("GET People(1)/Scan")).text();
    expect(texts).toContain(left);
    expect(kept()).toEqual([left]);
  });

  test("a write that fails leaves the old bytes, and nothing of the new ones", async () => {
    await put("People(1)/Scan");
    gallery.broken.isBroken = true;
    expect((await send("PUT People(1)/Scan", { "Content-Type": "text/plain" }, "second")).status).toBe(500);
    expect((await send("DELETE People(1)")).status).toBe(500);
    gallery.broken.isBroken = false;
    await gallery.service.drain();
    expect(gallery.failures.splice(0)).toHaveLength(2);
    expect(kept()).toEqual(["hello, world"]);
    expect(await (await send("GET People(1)/Scan")).text()).toBe("hello, world");
  });

  test("entities contain control information, and PATCH and PUT keep the bytes", async () => {
    const photo = await put("People(1)/Photo");
    const scan = await put("People(1)/Scan", "scan");
    const facts = {
      "Photo@odata.mediaContentType": "text/plain",
      "Photo@odata.mediaEtag": photo,
      "Scan@odata.mediaContentType": "text/plain",
      "Scan@odata.mediaEtag": scan,
    };
    const context = "http://g.example/$metadata#People";
    expect(await entity("People(1)")).toEqual({
      "@odata.context": `${context}/$entity`,
      "@odata.id": "http://g.example/People(1)",
      "@odata.etag": expect.any(String),
      ...facts,
      Id: 1,
      Name: "P1",
      Version: expect.any(Number),
    });
    expect(await entity("People(1)?$select=Name,Photo")).toEqual({
      "@odata.context": `${context}(Name,Photo)/$entity`,
      "@odata.id": "http://g.example/People(1)",
      "@odata.etag": expect.any(String),
      "Photo@odata.mediaContentType": "text/plain",
      "Photo@odata.mediaEtag": photo,
      Name: "P1",
    });
    expect(await entity("People(2)?$select=Id,Photo", "full")).toMatchObject({
      "Photo@odata.mediaEditLink": "http://g.example/People(2)/Photo",
      "Photo@odata.mediaReadLink": "http://g.example/People(2)/Photo",
    });
    expect(await entity("People(1)?$select=Id,Photo", "none")).toEqual({ Id: 1 });
    const list = (await entity("People?$orderby=Id&$filter=Id le 2")) as { readonly value: readonly object[] };
    expect(list.value).toEqual([
      { "@odata.etag": expect.any(String), ...facts, Id: 1, Name: "P1", Version: expect.any(Number) },
      { "@odata.etag": expect.any(String), Id: 2, Name: "P2", Version: 1 },
    ]);
    const json = { "Content-Type": "application/json" };
    const patched = await send("PATCH People(1)", json, '{"Name":"A"}');
    expect([patched.status, await patched.json()]).toEqual([200, expect.objectContaining({ ...facts, Name: "A" })]);
    const replaced = await send("PUT People(1)", json, '{"Id":1,"Name":"B"}');
    expect([replaced.status, await replaced.json()]).toEqual([200, expect.objectContaining({ ...facts, Name: "B" })]);
    await gallery.service.drain();
    expect(kept()).toEqual(["scan"]);
    expect(await (await send("GET People(1)/Photo")).text()).toBe("hello, world");
  });

  test("rules of the property decide about its bytes", async () => {
    await put("People(1)/Scan");
    const roles = { "x-roles": "clerk" };
    expect((await send("GET People(1)/Scan", roles)).status).toBe(403);
    expect((await send("PUT People(1)/Scan", { ...roles, "Content-Type": "text/plain" }, HELLO)).status).toBe(403);
    expect((await send("DELETE People(1)/Scan", roles)).status).toBe(403);
    const response = await send("GET People(1)", roles);
    expect(Object.keys((await response.json()) as object).filter((name) => name.startsWith("Scan"))).toEqual([]);
    expect(kept()).toEqual(["hello, world"]);
  });

  test("expressions and other paths refuse streams by name", async () => {
    const refused = async (query: string): Promise<readonly unknown[]> => codeOf(await send(`GET People?${query}`));
    for (const query of ["$filter=Photo ne null", "$orderby=Photo", "$compute=Photo as p", "$apply=groupby((Photo))"]) {
      expect(await refused(query), query).toEqual([400, "InvalidQueryOption", expect.stringContaining("Photo")]);
    }
    expect((await send("GET People?$expand=Photo")).status).toBe(400);
    expect((await send("GET People(1)/Photo/$value")).status).toBe(501);
    expect((await send("PATCH People(1)/Photo", { "Content-Type": "text/plain" }, "x")).status).toBe(405);
    expect((await send("GET People(1)/Photo?$select=Id")).status).toBe(400);
    expect((await send("GET People(1)/PhotoBytes")).status).toBe(404);
    expect((await send("GET People(9)/Photo")).status).toBe(404);
  });

  test("media entities are made by POST of their bytes", async () => {
    const made = await send("POST Pictures", { "Content-Type": "image/png" }, HELLO);
    const body = (await made.json()) as Readonly<Record<string, string>>;
    const { Id: id = "" } = body;
    expect([made.status, made.headers.get("Location"), body]).toEqual([
      201,
      `http://g.example/Pictures(${id})`,
      {
        "@odata.context": "http://g.example/$metadata#Pictures/$entity",
        "@odata.id": `http://g.example/Pictures(${id})`,
        "@odata.mediaContentType": "image/png",
        "@odata.mediaEtag": expect.any(String),
        Id: id,
        PersonId: null,
        Title: null,
      },
    ]);
    const path = `Pictures(${id})`;
    const read = await send(`GET ${path}/$value`);
    expect([read.status, read.headers.get("Content-Type"), await read.text()]).toEqual([
      200,
      "image/png",
      "hello, world",
    ]);
    const json = { "Content-Type": "application/json" };
    expect((await send(`PATCH ${path}`, json, '{"Title":"A","PersonId":1}')).status).toBe(200);
    const etag = await put(`${path}/$value`, "second", { "Content-Type": "image/jpeg" });
    expect(await entity(`${path}?$select=Title`, "full")).toEqual({
      "@odata.context": "http://g.example/$metadata#Pictures(Title)/$entity",
      "@odata.type": expect.stringMatching(/^#.*Picture$/),
      "@odata.id": `http://g.example/${path}`,
      "@odata.editLink": `http://g.example/${path}`,
      "@odata.mediaEditLink": `http://g.example/${path}/$value`,
      "@odata.mediaReadLink": `http://g.example/${path}/$value`,
      "@odata.mediaContentType": "image/jpeg",
      "@odata.mediaEtag": etag,
      Title: "A",
    });
    const parent = (await entity("People(1)?$expand=Pictures")) as { readonly Pictures: readonly object[] };
    expect(parent.Pictures).toEqual([expect.objectContaining({ "@odata.mediaEtag": etag, Title: "A" })]);
    expect((await send(`GET ${path}/File`)).status).toBe(404);
    expect((await send("GET Pictures?$select=File")).status).toBe(400);
    expect((await send(`DELETE ${path}/$value`, { "If-Match": '"other"' })).status).toBe(412);
    expect((await send(`DELETE ${path}/$value`, { "If-Match": etag })).status).toBe(204);
    expect((await send(`GET ${path}`)).status).toBe(404);
    await gallery.service.drain();
    expect(kept()).toEqual([]);
  });

  test("a media entity that is not made leaves no bytes", async () => {
    expect((await send("POST Pictures", { "Content-Type": "text/html" }, HELLO)).status).toBe(415);
    gallery.broken.isBroken = true;
    expect((await send("POST Pictures", { "Content-Type": "image/png" }, HELLO)).status).toBe(500);
    expect(gallery.failures.splice(0)).toHaveLength(1);
    expect(kept()).toEqual([]);
  });
});
