import {
  action,
  applyDelta,
  authenticated,
  type BodyOf,
  edm,
  entitySet,
  entityType,
  type EntityOf,
  fn,
  hasMany,
  hasOptional,
  odataError,
  odataService,
  resource,
  role,
  type ServiceOptions,
  singleton,
} from "odatakit";
import { describe, expect, test, vi } from "vitest";
import { nodeDoor, type Answer, type HeaderTable, type Send } from "../http/doors.ts";
import { noFailures } from "../http/model.ts";

const ROOT = "http://service.example/odata";
const Branch = entityType("Branch", { id: edm.int32().key(), city: edm.string() });
const Company = entityType("Company", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 20 }),
  secret: edm.string().nullable(),
  changedBy: edm.string().nullable(),
  version: edm.int32().computed(),
});
type CompanyRow = EntityOf<typeof Company>;

const BRANCHES = [
  { id: 1, city: "Rome" },
  { id: 2, city: "Oslo" },
];
const FIRST: CompanyRow = { id: 7, name: "Acme", secret: "s", changedBy: null, version: 1 };
const company = { Id: 7, Name: "Acme", Secret: "s", ChangedBy: null, Version: 1 };

/** A service with one company, and the calls of its handlers. */
function companyService(options: Partial<ServiceOptions> = {}) {
  const stored: { company: CompanyRow | null } = { company: FIRST };
  const calls: string[] = [];
  const save = (saved: CompanyRow): CompanyRow => (stored.company = { ...saved, version: saved.version + 1 });
  const hook = vi.fn<(write: string) => void>();
  const own = singleton(Company, {
    name: "Company",
    etag: ["version"],
    get: () => {
      calls.push("get");
      return stored.company;
    },
    patch: (delta, ctx) => {
      calls.push(`patch by ${String(ctx.user?.id)}`);
      return stored.company === null ? null : save(applyDelta(Company, stored.company, delta));
    },
    replace: (body) => {
      calls.push("replace");
      return stored.company === null ? null : save({ ...stored.company, ...body });
    },
    navigation: {
      branches: hasMany(Branch, { target: "Branches", get: (key) => (key === 7 ? BRANCHES : []) }),
      seat: hasOptional(Branch, { target: "Branches", get: () => BRANCHES[0]! }),
    },
    functions: {
      twin: fn(Company, { bound: "entity", returns: Company, handler: (key) => ({ ...FIRST, id: key + 1 }) }),
    },
    actions: {
      close: action(Company, { bound: "entity", handler: () => void (stored.company = null) }),
    },
    before: { patch: ({ delta }) => hook(`patch ${Object.keys(delta).join()}`) },
    set: { changedBy: { update: ({ user }) => String(user.id) } },
    validate: { patch: ({ delta }) => (delta.name === "Bad" ? [{ message: "No.", path: ["name"] }] : []) },
    authorization: {
      update: [authenticated(), resource((user, { id }) => user.id === `u${String(id)}`)],
      invoke: role("admin"),
      properties: { secret: { read: role("admin") } },
    },
  });
  const service = odataService({
    prefix: "/odata",
    namespace: "Shop",
    logger: noFailures,
    authenticate: ({ headers }) => {
      const id = headers.get("authorization");
      return id === null ? null : { id, roles: id === "u7" ? ["admin"] : [] };
    },
    entitySets: [
      entitySet(Branch, {
        name: "Branches",
        getAll: () => BRANCHES,
        getByKey: (id) => BRANCHES.find((each) => each.id === id) ?? null,
        navigation: { company: hasOptional(Company, { target: "Company", get: () => stored.company }) },
      }),
    ],
    singletons: [own],
    ...options,
  });
  return { send: nodeDoor.to(service), stored, calls, hook };
}

const ADMIN: HeaderTable = { authorization: "u7" };

function sends(send: Send, method: string, path: string, body?: unknown, headers: HeaderTable = {}): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const typed = { ...ADMIN, ...(text === undefined ? {} : { "content-type": "application/json" }), ...headers };
  return send(`/odata/${path}`, typed, method, text);
}

const codeOf = ({ status, json }: Answer): readonly unknown[] => [status, json?.error?.code];

describe.each(["specification", "standard"] as const)("a singleton with handlers, profile %s", (profile) => {
  test("is read with one call of its handler", async () => {
    const { send, calls } = companyService({ profile });
    const { status, json } = await send("/odata/Company", ADMIN);
    expect([status, json]).toEqual([
      200,
      {
        "@odata.context": `${ROOT}/$metadata#Company`,
        "@odata.id": `${ROOT}/Company`,
        "@odata.etag": expect.any(String),
        ...company,
      },
    ]);
    expect(calls).toEqual(["get"]);
    expect((await send("/odata/Company/Name", ADMIN)).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#Company/Name`,
      value: "Acme",
    });
    expect(calls).toEqual(["get", "get"]);
    expect((await send("/odata/Company(7)", ADMIN)).status).toBe(404);
  });

  test("has navigations, whose handlers receive its key", async () => {
    const { send } = companyService({ profile });
    expect((await send("/odata/Company/Branches?$select=City", ADMIN)).json).toEqual({
      "@odata.context": `${ROOT}/$metadata#${profile === "standard" ? "Branches" : "Company/Branches"}(City)`,
      value: [
        { "@odata.id": `${ROOT}/Branches(1)`, City: "Rome" },
        { "@odata.id": `${ROOT}/Branches(2)`, City: "Oslo" },
      ],
    });
    expect((await send("/odata/Company/Branches(2)", ADMIN)).json).toMatchObject({ Id: 2, City: "Oslo" });
    expect((await send("/odata/Company?$select=Name&$expand=Seat($select=City)", ADMIN)).json).toMatchObject({
      "@odata.context": `${ROOT}/$metadata#Company(Name,Seat(City))`,
      Seat: { City: "Rome" },
    });
    expect((await send("/odata/Company?$format=application/json;odata.metadata=full", ADMIN)).json).toMatchObject({
      "@odata.editLink": `${ROOT}/Company`,
      "Branches@odata.navigationLink": `${ROOT}/Company/Branches`,
    });
  });

  test("is the target of navigations", async () => {
    const { send } = companyService({ profile });
    const { json } = await send("/odata/Branches(1)/Company", ADMIN);
    expect(json).toMatchObject({ "@odata.id": `${ROOT}/Company`, Id: 7 });
    if (profile === "standard") expect(json["@odata.context"]).toBe(`${ROOT}/$metadata#Company`);
    expect((await send("/odata/Branches(1)/Company/$ref", ADMIN)).json["@odata.id"]).toBe(`${ROOT}/Company`);
    expect((await send("/odata/Branches?$expand=Company($select=Name)&$top=1", ADMIN)).json.value).toEqual([
      { Id: 1, City: "Rome", Company: expect.objectContaining({ "@odata.id": `${ROOT}/Company`, Name: "Acme" }) },
    ]);
    const filter = encodeURIComponent("Company/Name eq 'Acme'");
    expect((await send(`/odata/Branches?$filter=${filter}`, ADMIN)).json.value).toHaveLength(2);
    const root = encodeURIComponent("City eq $root/Company/Name");
    expect(codeOf(await send(`/odata/Branches?$filter=${root}`, ADMIN))[0]).not.toBe(200);
    const keyed = encodeURIComponent("City eq $root/Company(7)/Name");
    expect(codeOf(await send(`/odata/Branches?$filter=${keyed}`, ADMIN))[0]).not.toBe(200);
  });

  test("runs hooks, values of the server and validation, and obeys rules", async () => {
    const { send, calls, hook } = companyService({ profile });
    const patched = await sends(send, "PATCH", "Company", { Name: "New" });
    expect(patched.json).toMatchObject({
      "@odata.context": `${ROOT}/$metadata#Company`,
      "@odata.id": `${ROOT}/Company`,
      Name: "New",
      ChangedBy: "u7",
      Version: 2,
    });
    expect(hook.mock.calls).toEqual([["patch name,changedBy"]]);
    expect(calls).toContain("patch by u7");
    expect(codeOf(await sends(send, "PATCH", "Company", { Name: "Bad" }))[0]).toBe(400);
    expect(codeOf(await sends(send, "PATCH", "Company", { Name: "x".repeat(21) }))[0]).toBe(400);
    expect(codeOf(await sends(send, "PATCH", "Company", { Name: "x" }, { authorization: "" }))[0]).not.toBe(200);
    expect(codeOf(await sends(send, "PATCH", "Company", { Name: "x" }, { authorization: "u8" }))).toEqual([
      403,
      "Forbidden",
    ]);
    expect(codeOf(await send("/odata/Company", {}, "PATCH", "{}"))).toEqual([401, "Unauthorized"]);
    expect((await send("/odata/Company", { authorization: "u8" })).json).not.toHaveProperty("Secret");
    expect(codeOf(await send("/odata/Company/Secret", { authorization: "u8" }))).toEqual([403, "Forbidden"]);
  });

  test("is replaced and has ETags", async () => {
    const { send, stored } = companyService({ profile });
    const etag = (await send("/odata/Company", ADMIN)).headers["etag"] ?? "";
    expect((await send("/odata/Company", { ...ADMIN, "if-none-match": etag })).status).toBe(304);
    const replaced = await sends(send, "PUT", "Company", { Name: "Put", Secret: null }, { "if-match": etag });
    expect(replaced.json).toMatchObject({ Id: 7, Name: "Put", Secret: null, Version: 2 });
    expect(codeOf(await sends(send, "PUT", "Company", { Name: "Put" }, { "if-match": etag }))[0]).toBe(412);
    expect((await sends(send, "PUT", "Company/Name", { value: "By property" })).status).toBe(204);
    expect(stored.company?.name).toBe("By property");
    for (const method of ["POST", "DELETE"]) {
      expect(codeOf(await sends(send, method, "Company", {}))).toEqual([405, "MethodNotAllowed"]);
    }
  });

  test("has operations, whose results are not the singleton", async () => {
    const { send } = companyService({ profile });
    const twin = await send("/odata/Company/Shop.twin", ADMIN);
    expect(twin.json).toMatchObject({ Id: 8 });
    expect(twin.text).not.toContain(`${ROOT}/Company"`);
    expect(codeOf(await send("/odata/Company/twin", { authorization: "u8" }))).toEqual([403, "Forbidden"]);
    expect((await sends(send, "POST", "Company/close")).status).toBe(204);
    expect(codeOf(await send("/odata/Company", ADMIN))).toEqual([404, "NotFound"]);
    expect(codeOf(await sends(send, "PUT", "Company", { Name: "x" }))).toEqual([404, "NotFound"]);
    expect(codeOf(await sends(send, "POST", "Company/close"))).toEqual([404, "NotFound"]);
  });
});

describe("the handlers of a singleton", () => {
  const serve = (get: () => never): Send =>
    nodeDoor.to(
      odataService({
        prefix: "/odata",
        logger: noFailures,
        entitySets: [],
        singletons: [singleton(Company, { name: "Company", get })],
      }),
    );

  test("may return and throw errors", async () => {
    const closed = odataError(503, "Closed", "Closed.");
    expect(codeOf(await serve(() => closed as never)("/odata/Company"))).toEqual([503, "Closed"]);
    const throwing = serve(() => {
      throw closed;
    });
    expect(codeOf(await throwing("/odata/Company/Name"))).toEqual([503, "Closed"]);
  });

  test("decide which methods the singleton has", async () => {
    const send = serve(() => FIRST as never);
    expect((await send("/odata/Company", {}, "OPTIONS")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
    expect(codeOf(await send("/odata/Company", {}, "PATCH", "{}"))).toEqual([405, "MethodNotAllowed"]);
    expect((await send("/odata/Company/$batch", {}, "POST", "")).status).toBe(404);
  });

  test("are asked again for a write", async () => {
    let reads = 0;
    const service = odataService({
      prefix: "/odata",
      logger: noFailures,
      entitySets: [],
      singletons: [
        singleton(Company, {
          name: "Company",
          etag: ["version"],
          get: () => ({ ...FIRST, version: ++reads }),
          patch: () => FIRST,
        }),
      ],
    });
    const send = nodeDoor.to(service);
    const etag = (await send("/odata/Company")).headers["etag"] ?? "";
    const headers = { "content-type": "application/json", "if-match": etag };
    // The precondition compares the entity immediately before the write, not the one that told the key.
    reads = -1;
    expect((await send("/odata/Company", headers, "PATCH", "{}")).status).toBe(200);
  });
});

test("PUT never creates the entity of a singleton", async () => {
  const created = vi.fn<(body: BodyOf<typeof Branch>) => BodyOf<typeof Branch>>((body) => body);
  for (const creates of [true, false]) {
    const branches = entitySet(Branch, {
      name: "Branches",
      allowUpsert: true,
      getByKey: () => null,
      ...(creates ? { create: created } : {}),
      replace: (_key, body) => (creates ? null : created(body)),
    });
    const service = odataService({
      prefix: "/odata",
      logger: noFailures,
      entitySets: [branches],
      singletons: [singleton(Branch, { name: "Seat", from: branches, key: () => 5 })],
    });
    const send = nodeDoor.to(service);
    const headers = { "content-type": "application/json" };
    expect((await send("/odata/Seat", headers, "PUT", '{"City":"Oslo"}')).status).toBe(404);
    expect(created).toHaveBeenCalledTimes(0);
    expect((await send("/odata/Branches(5)", headers, "PUT", '{"City":"Oslo"}')).status).toBe(201);
    created.mockClear();
  }
});

describe("caches", () => {
  const branches = entitySet(Branch, {
    name: "Branches",
    cacheControl: "public, max-age=60",
    getByKey: (id) => BRANCHES.find((each) => each.id === id) ?? null,
  });
  const offices = entitySet(Branch, {
    name: "Offices",
    cacheControl: "private, max-age=60",
    getByKey: (id) => BRANCHES.find((each) => each.id === id) ?? null,
  });
  const service = odataService({
    prefix: "/odata",
    logger: noFailures,
    entitySets: [branches, offices],
    singletons: [
      singleton(Branch, { name: "Desk", from: offices, key: () => 1 }),
      singleton(Branch, {
        name: "Seat",
        from: branches,
        key: ({ request }) => Number(request.headers.get("x-seat") ?? 1),
      }),
      singleton(Branch, { name: "Main", cacheControl: "public, max-age=60", get: () => BRANCHES[0]! }),
    ],
  });

  test("store no entity that the request chooses", async () => {
    const send = nodeDoor.to(service);
    const cacheOf = async (path: string): Promise<string | undefined> =>
      (await send(`/odata/${path}`)).headers["cache-control"];
    expect(await cacheOf("Branches(1)")).toBe("public, max-age=60");
    expect(await cacheOf("Main")).toBe("public, max-age=60");
    expect(await cacheOf("Seat")).toBe("no-store");
    expect(await cacheOf("Seat/City")).toBe("no-store");
    expect(await cacheOf("Offices(1)")).toBe("private, max-age=60");
    expect(await cacheOf("Desk")).toBe("no-store");
    expect(await cacheOf("Desk/City")).toBe("no-store");
    expect((await send("/odata/Seat", { "x-seat": "2" })).json).toMatchObject({ Id: 2 });
  });
});

test("a rule of the set that judges the entity judges that of the singleton", async () => {
  const branches = entitySet(Branch, {
    name: "Branches",
    getByKey: (id) => BRANCHES.find((each) => each.id === id) ?? null,
    patch: (id, delta) => ({ id, city: "", ...delta }),
    authorization: { all: resource((user, { city }) => user.id === city) },
  });
  const service = odataService({
    prefix: "/odata",
    logger: noFailures,
    authenticate: ({ headers }) => ({ id: headers.get("authorization") ?? "", roles: [] }),
    entitySets: [branches],
    singletons: [singleton(Branch, { name: "Seat", from: branches, key: () => 1 })],
  });
  const send = nodeDoor.to(service);
  const headers = (authorization: string): HeaderTable => ({ authorization, "content-type": "application/json" });
  expect((await send("/odata/Seat", headers("Rome"))).status).toBe(200);
  expect((await send("/odata/Seat/City", headers("Oslo"))).status).toBe(403);
  expect((await send("/odata/Seat", headers("Oslo"), "PATCH", "{}")).status).toBe(403);
  expect((await send("/odata/Seat", headers("Rome"), "PATCH", "{}")).status).toBe(200);
});
