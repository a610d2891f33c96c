import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeDoor, type Answer, type HeaderTable, type Send } from "../http/doors.ts";
import { PLACES, type Running } from "./singleton-model.ts";

const ROOT = "http://service.example/odata";
const ANN: HeaderTable = { authorization: "1" };
const BEN: HeaderTable = { authorization: "2" };
const NOBODY: HeaderTable = { ...ANN, "x-nobody": "yes" };
const ALLOW = "GET, PUT, PATCH, HEAD, OPTIONS";

const ann = { Id: 1, Name: "Ann", Email: null, Home: { City: "Rome", Street: null }, ManagerId: 2, Version: 1 };
const ben = { ...ann, Id: 2, Name: "Ben", ManagerId: null };
const tea = { Id: 10, UserId: 1, Text: "tea" };
const milk = { Id: 11, UserId: 1, Text: "milk" };

/** An entity with its control information, without its ETag. */
function entity(context: string, id: string, members: object): object {
  return {
    "@odata.context": `${ROOT}/$metadata#${context}`,
    "@odata.id": `${ROOT}/${id}`,
    "@odata.etag": expect.any(String),
    ...members,
  };
}

function sends(send: Send, method: string, path: string, body?: unknown, headers: HeaderTable = {}): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const typed = { ...ANN, ...(text === undefined ? {} : { "content-type": "application/json" }), ...headers };
  return send(`/odata/${path}`, typed, method, text);
}

function codeOf({ status, json }: Answer): readonly unknown[] {
  return [status, json?.error?.code];
}

describe.each(PLACES)("a singleton over a set in $title", ({ start }) => {
  let running: Running;
  let send: Send;
  beforeEach(async () => {
    running = await start({ cors: { origins: "*" }, batch: { multipart: true, json: true } });
    send = nodeDoor.to(running.service);
  });
  afterEach(() => running.close());

  const get = (path: string, headers: HeaderTable = ANN): Promise<Answer> => send(`/odata/${path}`, headers);

  test("is the entity whose key the application returns", async () => {
    const answer = await get("Me");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(entity("Me", "Users(1)", ann));
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect((await get("Me", BEN)).json).toEqual(entity("Me", "Users(2)", ben));
    expect((await get("Me/")).json).toEqual(answer.json);
    // The key may come later.
    expect((await get("Deputy")).json).toEqual(entity("Deputy", "Users(2)", ben));
  });

  test("takes the options of an entity", async () => {
    expect((await get("Me?$select=Name,Email")).json).toEqual(
      entity("Me(Name,Email)", "Users(1)", { Name: "Ann", Email: null }),
    );
    expect((await get("Me?$expand=Orders($filter=Id%20gt%2010)")).json).toEqual(
      entity("Me", "Users(1)", { ...ann, Orders: [milk] }),
    );
    expect((await get("Me?$select=Id&$expand=Manager($select=Id)")).json).toMatchObject({
      "@odata.context": `${ROOT}/$metadata#Me(Id,Manager(Id))`,
      Id: 1,
      Manager: { Id: 2 },
    });
    expect((await get("Me?$format=application/json;odata.metadata=none")).json).toEqual(ann);
    expect((await get("Me?$format=application/json;odata.metadata=full")).json).toMatchObject({
      "@odata.type": "#Shop.User",
      "@odata.id": `${ROOT}/Users(1)`,
      "@odata.editLink": `${ROOT}/Users(1)`,
      "Orders@odata.navigationLink": `${ROOT}/Users(1)/Orders`,
    });
    expect(codeOf(await get("Me?$filter=Id%20eq%201"))).toEqual([400, "UnsupportedQueryOption"]);
    const queried = await send("/odata/Me/$query", { ...ANN, "content-type": "text/plain" }, "POST", "$select=Name");
    expect(queried.json).toEqual(entity("Me(Name)", "Users(1)", { Name: "Ann" }));
  });

  test("has the paths below an entity", async () => {
    expect((await get("Me/Name")).json).toEqual({ "@odata.context": `${ROOT}/$metadata#Me/Name`, value: "Ann" });
    expect((await get("Me/Name/$value")).text).toBe("Ann");
    expect((await get("Me/Email")).status).toBe(204);
    expect((await get("Me/Home")).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#Me/Home`,
      value: { City: "Rome", Street: null },
    });
    expect((await get("Me/Orders")).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#Me/Orders`,
      value: [tea, milk],
    });
    expect((await get("Me/Orders/$count")).text).toBe("2");
    expect((await get("Me/Orders(10)")).json).toMatchObject({
      "@odata.context": `${ROOT}/$metadata#Me/Orders/$entity`,
      ...tea,
    });
    expect(codeOf(await get("Me/Orders(12)"))).toEqual([404, "NotFound"]);
    expect((await get("Me/Orders", { ...ANN, prefer: "maxpagesize=1" })).json).toMatchObject({
      value: [tea],
      "@odata.nextLink": expect.stringContaining(`${ROOT}/Me/Orders?`),
    });
    expect((await get("Me/Manager")).json).toEqual(entity("Me/Manager/$entity", "Users(2)", ben));
    expect((await get("Me/Manager/$ref")).json).toMatchObject({ "@odata.id": `${ROOT}/Users(2)` });
    expect((await get("Me/Orders/$ref")).json).toMatchObject({ value: [{ "@odata.id": `${ROOT}/Orders(10)` }, {}] });
    for (const path of ["Me(1)", "Me/$count", "Me/Nope", "me", "Me/Name/$count"]) {
      expect(codeOf(await get(path)), path).toEqual([404, "NotFound"]);
    }
  });

  test("has the operations that are bound to the entities of the set", async () => {
    expect((await get("Me/greet(word='hi')")).json).toMatchObject({ value: "hi 1" });
    expect((await get("Me/Shop.greet(word='hi')")).json).toMatchObject({ value: "hi 1" });
    expect((await get("Me/self")).json).toMatchObject({ "@odata.context": `${ROOT}/$metadata#Users/$entity`, Id: 1 });
    expect((await sends(send, "POST", "Me/Shop.rename", { name: "Anna" })).status).toBe(204);
    expect((await get("Users(1)/Name/$value")).text).toBe("Anna");
  });

  test("has no entity without a key", async () => {
    for (const path of ["Me", "Me/Name", "Me/Orders", "Me/greet(word='hi')"]) {
      expect(codeOf(await get(path, NOBODY)), path).toEqual([404, "NotFound"]);
    }
    expect(codeOf(await sends(send, "PATCH", "Me", { Name: "x" }, NOBODY))).toEqual([404, "NotFound"]);
    const conditional = { ...NOBODY, "if-match": "*" };
    expect(codeOf(await sends(send, "PATCH", "Me", { Name: "x" }, conditional))).toEqual([412, "PreconditionFailed"]);
    // A nullable one is null.
    const empty = await get("Deputy", BEN);
    expect([empty.status, empty.text]).toEqual([204, ""]);
    expect(codeOf(await get("Deputy/Name", BEN))).toEqual([404, "NotFound"]);
    expect(codeOf(await get("Deputy?$top=1", BEN))).toEqual([400, "UnsupportedQueryOption"]);
    expect(codeOf(await sends(send, "PATCH", "Deputy", { Name: "x" }, BEN))).toEqual([404, "NotFound"]);
    // No entity of the set has this key.
    expect(codeOf(await get("Me", { authorization: "7" }))).toEqual([404, "NotFound"]);
  });

  test("obeys the rules of the set", async () => {
    expect(codeOf(await get("Me", {}))).toEqual([401, "Unauthorized"]);
    expect(codeOf(await get("Me/Unknown", {}))).toEqual([401, "Unauthorized"]);
    expect((await send("/odata/Me", {}, "OPTIONS")).headers["allow"]).toBeUndefined();
    // The user must see the entity that a write leaves.
    const hidden = await sends(send, "PATCH", "Me", { Name: "hidden from 1" });
    expect(codeOf(hidden)).toEqual([403, "Forbidden"]);
    expect((await sends(send, "PATCH", "Users(2)", { Name: "hidden from 1" })).status).toBe(403);
    expect((await sends(send, "PATCH", "Me", { Name: "hidden from 1" }, BEN)).status).toBe(200);
    // A hidden entity is missing.
    expect(codeOf(await get("Deputy"))).toEqual([404, "NotFound"]);
    expect((await get("Me", BEN)).status).toBe(200);
  });

  test("is changed by PATCH and PUT, and neither created nor deleted", async () => {
    const patched = await sends(send, "PATCH", "Me", { Name: "Anna" });
    expect(patched.status).toBe(200);
    expect(patched.json).toEqual(entity("Me", "Users(1)", { ...ann, Name: "Anna", Version: 2 }));
    const selected = await sends(send, "PATCH", "Me?$select=Name", { Email: "a@b.c" });
    expect(selected.json).toEqual(entity("Me(Name)", "Users(1)", { Name: "Anna" }));
    const minimal = await sends(send, "PATCH", "Me", { Email: null }, { prefer: "return=minimal" });
    expect([minimal.status, minimal.headers["preference-applied"]]).toEqual([204, "return=minimal"]);
    const replaced = await sends(send, "PUT", "Me", { Name: "Anne", Home: { City: "Oslo" } });
    expect(replaced.json).toEqual(
      entity("Me", "Users(1)", {
        ...ann,
        Name: "Anne",
        Home: { City: "Oslo", Street: null },
        ManagerId: null,
        Version: 5,
      }),
    );
    expect(codeOf(await sends(send, "PUT", "Me", { Id: 2, Name: "Anne", Home: { City: "Oslo" } }))[0]).toBe(400);
    expect(codeOf(await sends(send, "PATCH", "Me", { Nope: 1 }))).toEqual([400, "InvalidBody"]);
    const other = { authorization: "7" };
    expect(codeOf(await sends(send, "PUT", "Me", { Name: "x", Home: { City: "y" } }, other))).toEqual([
      404,
      "NotFound",
    ]);
    for (const method of ["POST", "DELETE"]) {
      const refused = await sends(send, method, "Me", method === "POST" ? {} : undefined);
      expect([...codeOf(refused), refused.headers["allow"]]).toEqual([405, "MethodNotAllowed", ALLOW]);
    }
  });

  test("is changed by its properties and links", async () => {
    expect((await sends(send, "PUT", "Me/Name", { value: "Anna" })).status).toBe(204);
    expect((await sends(send, "PATCH", "Me/Email", { value: "a@b.c" })).status).toBe(204);
    expect((await sends(send, "DELETE", "Me/Email")).status).toBe(204);
    const created = await sends(send, "POST", "Me/Orders", { Id: 13, UserId: 1, Text: "new" });
    expect([created.status, created.headers["location"]]).toEqual([201, `${ROOT}/Orders(13)`]);
    expect((await get("Me/Orders/$count")).text).toBe("3");
    expect((await sends(send, "DELETE", "Me/Manager/$ref")).status).toBe(204);
    expect((await get("Me")).json).toMatchObject({ Name: "Anna", Email: null, ManagerId: null });
    expect((await sends(send, "PUT", "Me/Manager/$ref", { "@odata.id": "Users(2)" })).status).toBe(204);
    expect((await get("Me")).json).toMatchObject({ ManagerId: 2 });
    const byName = await sends(send, "PUT", "Me/Manager/$ref", { "@odata.id": "Me" });
    expect(byName.status).toBe(204);
    const { json } = await get("Me");
    expect(json.ManagerId).toBe(json.Id);
  });

  test("has ETags that tell its entities apart", async () => {
    const mine = (await get("Me")).headers["etag"] ?? "";
    const bens = (await get("Me", BEN)).headers["etag"] ?? "";
    expect(mine).not.toBe(bens);
    expect((await get("Me", { ...ANN, "if-none-match": mine })).status).toBe(304);
    expect((await get("Me/Name", { ...ANN, "if-none-match": mine })).status).toBe(304);
    // Both entities have the same version.
    expect((await get("Me", { ...BEN, "if-none-match": mine })).status).toBe(200);
    expect(codeOf(await sends(send, "PATCH", "Me", { Name: "x" }, { ...BEN, "if-match": mine }))).toEqual([
      412,
      "PreconditionFailed",
    ]);
    const mixed = { ...BEN, "if-match": `${mine}, "junk"` };
    expect(codeOf(await sends(send, "PATCH", "Me", { Name: "x" }, mixed))[0]).toBe(412);
    const patched = await sends(send, "PATCH", "Me", { Name: "Anna" }, { "if-match": `"junk", ${mine}` });
    expect(patched.status).toBe(200);
    expect((await get("Me", { ...ANN, "if-none-match": patched.headers["etag"] ?? "" })).status).toBe(304);
    expect(codeOf(await sends(send, "PATCH", "Me", { Name: "x" }, { "if-match": mine }))[0]).toBe(412);
    // The ETag of the entity is that of the singleton for writes, and the other way round.
    const ofSet = (await get("Users(1)")).headers["etag"] ?? "";
    expect((await sends(send, "PATCH", "Me", { Name: "Ann" }, { "if-match": ofSet })).status).toBe(200);
    const again = (await get("Me")).headers["etag"] ?? "";
    expect((await sends(send, "PATCH", "Users(1)", { Name: "Anna" }, { "if-match": again })).status).toBe(200);
    const last = (await get("Me")).json["@odata.etag"] as string;
    expect((await sends(send, "PATCH", "Me", { Name: "Ann" }, { "if-match": last })).status).toBe(200);
  });

  test("answers HEAD, OPTIONS and preflights", async () => {
    const head = await sends(send, "HEAD", "Me");
    expect([head.status, head.text, head.headers["etag"]]).toEqual([200, "", (await get("Me")).headers["etag"]]);
    const options = await sends(send, "OPTIONS", "Me");
    expect([options.status, options.headers["allow"]]).toEqual([204, ALLOW]);
    const preflight = { origin: "https://a.example", "access-control-request-method": "PATCH" };
    expect((await send("/odata/Me", preflight, "OPTIONS")).headers["access-control-allow-methods"]).toBe(ALLOW);
  });

  test("is read and changed in batches", async () => {
    const requests = [
      { id: "1", method: "GET", url: "Me?$select=Name" },
      { id: "2", atomicityGroup: "g", method: "PATCH", url: "Me", body: { Name: "Anna" } },
      { id: "3", atomicityGroup: "g", method: "PATCH", url: "Me", body: { Email: "a@b.c" } },
      { id: "4", method: "GET", url: "Me" },
      { id: "5", method: "DELETE", url: "Me" },
    ];
    const answer = await sends(send, "POST", "$batch", { requests });
    const responses = answer.json.responses as ReadonlyArray<{ readonly status: number; readonly body?: unknown }>;
    // Handlers in memory have no transaction that contains both.
    const isAtomic = responses[1]?.status !== 501;
    const changed = isAtomic ? { Name: "Anna", Email: "a@b.c" } : { Name: "Ann", Email: null };
    expect(responses.map(({ status }) => status)).toEqual([200, ...(isAtomic ? [200, 200] : [501, 501]), 200, 405]);
    expect(responses[3]?.body).toMatchObject({ "@odata.context": `${ROOT}/$metadata#Me`, ...changed });
  });
});

describe.each(PLACES)("a singleton over a set in $title, profile standard", ({ start }) => {
  test("has the forms of the profile", async () => {
    const { service, close } = await start({ profile: "standard", defaults: { computeEnabled: true } });
    const send = nodeDoor.to(service);
    const get = (path: string): Promise<Answer> => send(`/odata/${path}`, ANN);
    expect((await get("Me")).json).toEqual(entity("Me", "Users(1)", ann));
    expect((await get("Me/Home")).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#Me/Home`,
      City: "Rome",
      Street: null,
    });
    expect((await get("Me/Home/City/$value")).text).toBe("Rome");
    expect((await sends(send, "PATCH", "Me/Home", { Street: "Via" })).status).toBe(204);
    expect((await get("Me/Home/Street")).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#Me/Home/Street`,
      value: "Via",
    });
    // Related entities are those of their set.
    expect((await get("Me/Orders?$filter=Id%20eq%2010&$count=true")).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#Orders`,
      "@odata.count": 1,
      value: [tea],
    });
    expect((await get("Me/Manager")).json).toEqual(entity("Users/$entity", "Users(2)", ben));
    expect((await get("Me?$compute=Id%20add%201%20as%20Next&$select=Next")).json).toMatchObject({ Next: 2 });
    // The standard defines the resource, but the service does not have it.
    expect(codeOf(await get("Me/Shop.User"))).toEqual([501, "NotImplemented"]);
    expect(codeOf(await get("Me/Nope"))).toEqual([404, "NotFound"]);
    // Key members of bodies are ignored.
    const put = await sends(send, "PUT", "Me", { Id: 2, Name: "Anne", Home: { City: "Oslo" } });
    expect([put.status, put.json?.Id, put.json?.Name]).toEqual([200, 1, "Anne"]);
    await close();
  });
});
