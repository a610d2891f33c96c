import {
  anyOf,
  applyDelta,
  authenticated,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  odataService,
  role,
  type EntitySet,
  type EntityType,
  type ServiceOptions,
} from "odatakit";
import { openApiRoute } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { faultsOfJsonSchema, faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";
import { multipart, MULTIPART, received, single } from "./batch-model.ts";
import { eachDoor, ERROR_HEADERS, type HeaderTable, headersOf, type Service, XML_HEADERS } from "./doors.ts";
import { noFailures } from "./model.ts";

const Home = complexType("Home", { city: edm.string().nullable() });
const Person = entityType("Person", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  salary: edm.int32().nullable(),
  grade: edm.string().nullable().annotate({ "Core.Permissions": "Read" }),
  rank: edm.string().nullable().annotate({ "Core.Permissions": "Read,Write", "Core.Permissions#App": "None" }),
  mood: edm
    .string()
    .nullable()
    .annotate({ "Core.Permissions": { $Path: "name" } }),
  pin: edm.string().nullable(),
  code: edm.string().nullable().immutable(),
  stamp: edm.int32().nullable().computed(),
  home: edm.complex(Home).nullable(),
  note: edm.string().nullable(),
});
const HR = { read: role("hr"), update: role("hr") };
const RULES = {
  salary: HR,
  grade: { create: role("boss"), update: role("boss") },
  rank: { create: role("boss"), update: role("boss") },
  mood: { read: role("hr"), update: [] },
  pin: { read: role("hr"), create: [], update: anyOf(role("boss"), role("hr")) },
  code: { create: role("boss") },
  stamp: { read: authenticated() },
  home: { read: [role("hr"), role("boss")] },
};

const User = (roles: string): Readonly<Record<string, string>> => (roles === "" ? {} : { "X-User": roles });
const authenticate: ServiceOptions["authenticate"] = ({ headers }) => {
  const roles = headers.get("x-user");
  return roles === null ? null : { id: `user of ${roles}`, roles: roles.split(" ") };
};

/** Options that are made from data, so the compiler does not know their types. */
const make = entitySet as unknown as (type: EntityType, options: object) => EntitySet;

type Row = Readonly<Record<string, unknown>>;
const FIRST: Row = {
  id: 1,
  name: "Ann",
  salary: 7,
  grade: "A",
  rank: "R",
  mood: "M",
  pin: "P",
  code: "C",
  stamp: 3,
  home: { city: "Oslo" },
  note: "N",
};

function people(authorization: object, more: object = {}): EntitySet {
  return make(Person, {
    getAll: () => [FIRST],
    getByKey: (id: unknown) => (id === 1 ? FIRST : null),
    create: (entity: Row) => ({ stamp: 1, ...entity }),
    patch: (_id: unknown, delta: Row) => applyDelta(Person, FIRST as never, delta as never),
    authorization,
    ...more,
  });
}

function service(options: Partial<ServiceOptions> = {}, sets = [people({ properties: RULES })]): Service {
  const own = { prefix: "/s", namespace: "Staff", authenticate, metadataPerUser: true, logger: noFailures };
  return odataService({ ...own, entitySets: sets, ...options });
}

const PERMISSIONS = "@Org.OData.Core.V1.Permissions";

/** The stated permissions of the properties of a person. */
function permissionsIn(csdl: unknown): Readonly<Record<string, unknown>> {
  const properties = (csdl as Record<string, Record<string, Record<string, Row>>>)["Staff"]?.["Person"] ?? {};
  const stated = Object.entries(properties).flatMap(([name, property]) => {
    const value = property[PERMISSIONS] ?? property["@Core.Permissions"];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(stated);
}

const get = (of: Service, path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  of.fetch(new Request(`http://localhost/s/${path}`, { headers, method }));

async function permissions(of: Service, roles: string): Promise<Readonly<Record<string, unknown>>> {
  return permissionsIn(readCsdl(await (await get(of, "$metadata", User(roles))).text()));
}

const OPEN = { Grade: "Read", Rank: "Read,Write", Mood: { $Path: "Name" } };
const EXPECTED: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
  [
    "",
    {
      Salary: "None",
      Grade: "Read",
      Rank: "Read",
      Mood: "Write",
      Pin: "Write",
      Code: "Read",
      Stamp: "None",
      Home: "None",
    },
  ],
  ["clerk", { Salary: "None", Grade: "Read", Rank: "Read", Mood: "Write", Pin: "Write", Code: "Read", Home: "None" }],
  ["hr", { ...OPEN, Rank: "Read", Code: "Read", Home: "None" }],
  ["boss", { ...OPEN, Salary: "None", Mood: "Write", Pin: "Write", Home: "None" }],
  ["hr boss", OPEN],
];

describe("metadataPerUser", () => {
  test.each(EXPECTED)("states the permissions of a user with the roles '%s'", async (roles, expected) => {
    const of = service({ profile: "standard" });
    expect(await permissions(of, roles)).toEqual(expected);
    const json: unknown = await (await get(of, "$metadata?$format=json", User(roles))).json();
    expect(permissionsIn(json)).toEqual(expected);
    expect(faultsOfJsonSchema(json)).toEqual([]);
    const external = service({ profile: "standard", annotationForm: "external" });
    const apart = await (await get(external, "$metadata", User(roles))).text();
    expect(await faultsOfSchema(apart)).toEqual([]);
    for (const [name, value] of Object.entries(expected)) {
      if (typeof value !== "string" || value.includes(",")) continue;
      const start = apart.indexOf(`<Annotations Target="Staff.Person/${name}">`);
      expect(apart.slice(start, apart.indexOf("</Annotations>", start))).toContain(
        `.Permissions" EnumMember="${name === "Grade" && roles.includes("boss") ? "Core" : ""}`,
      );
    }
  });

  test("is the document of all users but for the permissions", async () => {
    const [mine, all] = [service(), service({ metadataPerUser: false })];
    const whole = await (await get(all, "$metadata", User("clerk"))).text();
    const stated = (await (await get(mine, "$metadata", User("clerk"))).text()).replaceAll(
      /<Annotation Term="Org\.OData\.Core\.V1\.Permissions" EnumMember="Org\.OData\.Core\.V1\.Permission\/\w+"\/>/gu,
      "",
    );
    const withoutOwn = (text: string): string =>
      text.replaceAll(/<Annotation Term="Core\.Permissions"(?: (?:EnumMember|Path)="[^"]*")\/>/gu, "");
    expect(withoutOwn(stated).replaceAll("></Property>", "/>")).toBe(
      withoutOwn(whole).replaceAll("></Property>", "/>"),
    );
    expect(await (await get(mine, "$metadata", User("hr boss"))).text()).toBe(whole);
    expect(await (await get(service({ metadataPerUser: undefined }), "$metadata")).text()).toBe(whole);
  });

  eachDoor((door) => {
    test("status, headers, ETags and HEAD", async () => {
      const send = door.to(service({ batch: { json: true } }));
      const answers = await Promise.all(["", "clerk", "hr"].map((roles) => send("/s/$metadata", User(roles))));
      const etags = answers.map(({ headers }) => headers["etag"] ?? "");
      expect(new Set(etags).size).toBe(3);
      const headersFor = (index: number): HeaderTable => ({
        ...XML_HEADERS,
        etag: etags[index] ?? "",
        ...(index === 0 ? {} : { "cache-control": "no-store" }),
      });
      for (const [index, roles] of ["", "clerk", "hr"].entries()) {
        expect([answers[index]?.status, answers[index]?.headers]).toEqual([200, headersFor(index)]);
        const head = await send("/s/$metadata", User(roles), "HEAD");
        expect([head.status, head.headers, head.text]).toEqual([200, headersFor(index), ""]);
        const known = await send("/s/$metadata", { ...User(roles), "If-None-Match": etags[index] ?? "" });
        const { "content-type": _type, ...others } = headersFor(index);
        expect([known.status, known.headers, known.text]).toEqual([304, others, ""]);
        const other = await send("/s/$metadata", { ...User(roles), "If-None-Match": etags[(index + 1) % 3] ?? "" });
        expect([other.status, other.text]).toEqual([200, answers[index]?.text]);
        const old = await send("/s/$metadata", { ...User(roles), "OData-MaxVersion": "4.0" });
        expect([old.status, old.text]).toEqual([200, answers[index]?.text]);
      }
      // Users with the same permissions have the same document.
      const twin = await send("/s/$metadata", User("clerk guest"));
      expect([twin.headers["etag"], twin.text]).toEqual([etags[1], answers[1]?.text]);
    });

    test("in batches, too", async () => {
      const send = door.to(service({ batch: { json: true } }));
      const whole = await send("/s/$metadata", User("clerk"));
      const parts = multipart([{ request: "GET $metadata" }]);
      const answer = await send("/s/$batch", { ...MULTIPART, ...User("clerk") }, "POST", parts);
      const part = single(received(answer.headers["content-type"], answer.text)[0]);
      expect([part.status, part.text]).toEqual([200, whole.text]);
      const body = JSON.stringify({ requests: [{ id: "1", method: "GET", url: "$metadata" }] });
      const json = { "Content-Type": "application/json", ...User("clerk") };
      const [first] = (await send("/s/$batch", json, "POST", body)).json.responses;
      expect([first.status, first.headers.etag]).toEqual([200, whole.headers["etag"]]);
      expect(Buffer.from(first.body, "base64url").toString("utf8")).toBe(whole.text);
    });
  });

  test("who may not read $metadata is refused as before", async () => {
    const of = service({ authorization: authenticated() });
    const refused = await get(of, "$metadata");
    expect([refused.status, headersOf(refused)]).toEqual([
      401,
      { ...ERROR_HEADERS, "www-authenticate": "Bearer", "content-length": expect.any(String) as unknown },
    ]);
    expect(await refused.json()).toEqual({
      error: {
        code: "Unauthorized",
        message: "Authentication is required to use this service. Send credentials with the request.",
      },
    });
    expect((await get(of, "$metadata", User("clerk"))).status).toBe(200);
  });
});

describe("the permissions", () => {
  test.each(EXPECTED)("are what the service does for the roles '%s'", async (roles) => {
    const rules = people({ properties: RULES });
    const of = service({}, [rules]);
    const stated = await permissions(of, roles);
    const refuses = async (method: string, path: string, body?: object): Promise<boolean> => {
      const headers = { ...User(roles), "Content-Type": "application/json" };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const { status } = await of.fetch(new Request(`http://localhost/s/${path}`, init));
      expect([200, 201, 401, 403]).toContain(status);
      return status > 400;
    };
    const values: Row = { Salary: 8, Pin: "x", Code: "x", Home: { City: "Rome" }, Name: "x", Note: "x" };
    for (const [name, value] of Object.entries(values)) {
      const reads = !(await refuses("GET", `Persons?$select=${name}`));
      const creates = !(await refuses("POST", "Persons", { Id: 2, [name]: value }));
      // Updates ignore immutable properties.
      const updates = name !== "Code" && !(await refuses("PATCH", "Persons(1)", { [name]: value }));
      const may = [...(reads ? ["Read"] : []), ...(creates || updates ? ["Write"] : [])].join("");
      expect([name, stated[name] ?? "ReadWrite"]).toEqual([name, may === "" ? "None" : may]);
    }
  });

  test("of a type are those of all of its sets together", async () => {
    const strict = people({ properties: { salary: HR, note: HR } }, { name: "Strict" });
    const mild = people({ properties: { salary: { create: role("hr"), update: role("hr") } } }, { name: "Mild" });
    expect(await permissions(service({}, [strict, mild]), "clerk")).toEqual({ ...OPEN, Salary: "Read" });
    const open = people({}, { name: "Open" });
    expect(await permissions(service({}, [strict, mild, open]), "clerk")).toEqual(OPEN);
  });

  test("know which requests write a set", async () => {
    const BOSS = { properties: { note: { update: role("boss") }, name: { create: role("boss") } } };
    const of = (more: object, further: readonly EntitySet[] = []) =>
      permissions(service({}, [people(BOSS, more), ...further]), "clerk");
    const replace = (_id: unknown, entity: Row): Row => ({ ...FIRST, ...entity });
    expect(await of({})).toEqual(OPEN);
    expect(await of({ create: undefined })).toEqual({ ...OPEN, Note: "Read" });
    expect(await of({ patch: undefined })).toEqual({ ...OPEN, Name: "Read" });
    expect(await of({ create: undefined, patch: undefined, replace })).toEqual({ ...OPEN, Note: "Read" });
    expect(await of({ create: undefined, patch: undefined, replace, allowUpsert: true })).toEqual(OPEN);
    const Team = entityType("Team", { id: edm.int32().key() });
    const teams = make(Team, {
      getByKey: () => ({ id: 1 }),
      navigation: { members: hasMany(Person, { target: "Persons", get: () => [], create: () => FIRST as never }) },
    });
    expect(await of({ create: undefined }, [teams])).toEqual(OPEN);
  });

  test("of more combinations of roles than the service keeps stay right", async () => {
    const names = Array.from({ length: 7 }, (_, index) => `p${String(index)}`);
    const Wide = entityType("Wide", {
      id: edm.int32().key(),
      ...Object.fromEntries(names.map((name) => [name, edm.string().nullable()])),
    });
    const properties = Object.fromEntries(names.map((name) => [name, { read: role(name) }]));
    const of = service({}, [make(Wide, { getAll: () => [], authorization: { properties } })]);
    const etags = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for (let combination = 0; combination < 2 ** names.length; combination++) {
        const roles = names.filter((_, bit) => (combination & (2 ** bit)) !== 0);
        const response = await get(of, "$metadata", User(roles.join(" ") || "none"));
        const stated = [
          ...(await response.text()).matchAll(/<Property Name="P(\d)"[^>]*><Annotation Term="[^"]*Permissions"/gu),
        ];
        expect(stated.map(([, bit]) => `p${bit ?? ""}`)).toEqual(names.filter((name) => !roles.includes(name)));
        found.push(response.headers.get("etag") ?? "");
      }
      return found;
    };
    const first = await etags();
    expect(new Set(first).size).toBe(first.length);
    expect(await etags()).toEqual(first);
  });

  test("are not in openapi.json", async () => {
    const bodyOf = async (metadataPerUser: boolean): Promise<unknown> =>
      (await get(service({ metadataPerUser, routes: [openApiRoute()] }), "openapi.json", User("clerk"))).json();
    expect(await bodyOf(true)).toEqual(await bodyOf(false));
  });

  test("need rules of properties", () => {
    expect(() => service({}, [people({ all: role("hr") })])).toThrow(
      "`metadataPerUser` of odataService has no effect: no set has `authorization.properties`.",
    );
    expect(() => service({ metadataPerUser: "yes" as never })).toThrow("`metadataPerUser`");
  });
});
