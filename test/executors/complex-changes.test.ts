// Statements: docs/reference/properties.md#paths-into-values
// Statements: docs/reference/table-writes.md#writes
// Statements: docs/reference/writing.md#changes-of-complex-values
import fc from "fast-check";
import { sql } from "kysely";
import {
  applyDelta,
  complexType,
  edm,
  entitySet,
  entityType,
  odataError,
  odataService,
  type BodyOf,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { caseCount } from "../cases.ts";
import { ENGINES, type AnyDatabase, type DatabaseEngine } from "./engines.ts";

/** PATCH merges complex values at every depth: over arrays, in a column per member, and in one column of JSON. */

const ORIGIN = "http://service.example";
const RUNS = { sqlite: 40, postgres: 20, mariadb: 20 } as const;

const Geo = complexType("Geo", { latitude: edm.int32(), name: edm.string().nullable() });
const Address = complexType("Address", {
  street: edm.string(),
  city: edm.string().nullable(),
  zip: edm.string().default("0000"),
  geo: edm.complex(Geo).nullable(),
  since: edm.int32().nullable().immutable(),
  seen: edm.int32().nullable().computed(),
  secret: edm.string().nullable().ignored(),
  tags: edm.collection(edm.string()),
});
const Loose = complexType("Loose", { a: edm.string().nullable(), b: edm.string().nullable() });
const Person = entityType("Person", {
  id: edm.int32().key(),
  home: edm.complex(Address),
  work: edm.complex(Address).nullable(),
  away: edm.complex(Address).nullable(),
  office: edm.complex(Address),
  loose: edm.complex(Loose).nullable(),
  note: edm.complex(Loose),
  spot: edm.complex(Loose).nullable(),
  stops: edm.collection(edm.complex(Geo)),
  version: edm.int32().computed(),
});
type Person = EntityOf<typeof Person>;

const COLUMNS = ["street", "city", "zip", "geo_latitude", "geo_name", "since", "seen", "tags"] as const;

async function createTable(db: AnyDatabase, engine: DatabaseEngine): Promise<void> {
  const json = engine.name === "postgres" ? "jsonb" : "text";
  const members = ["home", "work"].flatMap((property) =>
    COLUMNS.map((column) => {
      const isNumber = ["geo_latitude", "since", "seen"].includes(column);
      const type = isNumber ? "int" : ({ tags: json }[column as string] ?? "varchar(50)");
      const isRequired = property === "home" && ["street", "zip", "tags"].includes(column);
      return `${property}_${column} ${type} ${isRequired ? "not null" : "null"}`;
    }),
  );
  const columns = [
    "id int primary key",
    ...members,
    `away ${json} null`,
    `office ${json} not null`,
    "loose_a varchar(50) null",
    "loose_b varchar(50) null",
    "note_a varchar(50) null",
    "note_b varchar(50) null",
    "spot varchar(50) null",
    `stops ${json} not null`,
    "version int not null",
  ];
  await sql.raw(`create table people (${columns.join(", ")})`).execute(db);
}

const OPERATIONS = ["read", "create", "replace", "patch"] as const;
const JSON_COLUMN = { storage: "json" } as const;

/** A complex value in one column, in a custom form. */
const SPOT = {
  fromDatabase: (cell: unknown) => {
    const [a = null, b = null] = String(cell)
      .split("|")
      .map((text) => (text === "" ? null : text));
    return { a, b };
  },
  toDatabase: (value: { readonly a: string | null; readonly b: string | null }) => `${value.a ?? ""}|${value.b ?? ""}`,
};

type Service = ReturnType<typeof odataService>;
type Profile = "specification" | "standard";

function tableService(db: AnyDatabase, guarded: boolean = false, profile: Profile = "specification"): Service {
  return odataService({
    namespace: "Test",
    profile,
    entitySets: [
      sqlEntitySet(Person, {
        name: "People",
        db,
        table: "people",
        operations: OPERATIONS,
        rowVersion: "version",
        etag: ["version"],
        columns: { away: JSON_COLUMN, office: JSON_COLUMN, spot: { convert: SPOT } },
        authorization: guarded ? { rows: (_user, row) => row.work.isNull() } : {},
      }),
    ],
    authenticate: () => ({ id: "u", roles: [] }),
  });
}

function saved(id: number, body: BodyOf<typeof Person>, version: number): Person {
  return fill({ ...body, id, version });
}

/** Computed members without a value are null. */
function fill(person: Person): Person {
  const address = <A extends Person["work"]>(value: A): A =>
    value === null ? value : { ...value, seen: value.seen ?? null };
  return {
    ...person,
    home: address(person.home),
    work: address(person.work),
    away: address(person.away),
    office: address(person.office),
  };
}

function memoryService(
  propertyNaming: "PascalCase" | "camelCase" = "PascalCase",
  guarded: boolean = false,
  profile: Profile = "specification",
): Service {
  const people = new Map<number, Person>();
  const store = (person: Person): Person => {
    people.set(person.id, person);
    return person;
  };
  return odataService({
    namespace: "Test",
    profile,
    propertyNaming,
    entitySets: [
      entitySet(Person, {
        name: "People",
        etag: ["version"],
        getByKey: (id) => people.get(id) ?? null,
        create: (body) => store(saved(body.id, body, 1)),
        replace: (id, body) => store(saved(id, body, (people.get(id)?.version ?? 0) + 1)),
        patch: (id, delta) => {
          const old = people.get(id);
          if (old === undefined) return odataError(404, "NotFound", "none");
          const changed = applyDelta(Person, old, delta);
          return store({ ...fill(changed), version: old.version + 1 });
        },
        authorization: guarded ? { rows: (_user, row) => row.work.isNull() } : {},
      }),
    ],
    authenticate: () => ({ id: "u", roles: [] }),
  });
}

/** The parts of a response that a client sees: status, ETag, whole body. */
async function ask(
  service: Service,
  method: string,
  target: string,
  body?: unknown,
  headers = {},
): Promise<readonly unknown[]> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await service.fetch(
    new Request(`${ORIGIN}/${target}`, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...init,
    }),
  );
  const text = await answer.text();
  return [answer.status, answer.headers.get("ETag") === null ? "no ETag" : "ETag", text === "" ? "" : JSON.parse(text)];
}

const GEO = { Latitude: 1, Name: "n" };
const ADDRESS = { Street: "A", City: "B", Zip: "1", Geo: GEO, Since: 1, Tags: ["t"] };
const WHOLE = {
  Home: ADDRESS,
  Work: ADDRESS,
  Away: ADDRESS,
  Office: ADDRESS,
  Loose: { A: "a", B: "b" },
  Note: { A: "a", B: "b" },
  Spot: { A: "a", B: "b" },
  Stops: [GEO],
};
const SHOWN = { ...ADDRESS, Seen: null };
const EMPTY = {
  ...WHOLE,
  Work: null,
  Away: null,
  Loose: null,
  Spot: null,
  Home: { ...ADDRESS, Geo: null },
  Office: { ...ADDRESS, Geo: null },
};

const ADDRESSES = ["Home", "Work", "Away", "Office"] as const;

/** A change of a person's complex values, and the expected difference, or the error of a refused change. */
type Case = readonly [before: object, change: object, after: object];

const MERGED: readonly Case[] = ADDRESSES.flatMap((name): readonly Case[] => [
  [WHOLE, { [name]: { City: "Bergen" } }, { [name]: { ...SHOWN, City: "Bergen" } }],
  [WHOLE, { [name]: { City: null } }, { [name]: { ...SHOWN, City: null } }],
  [WHOLE, { [name]: {} }, {}],
  [WHOLE, { [name]: { Geo: { Latitude: 2 } } }, { [name]: { ...SHOWN, Geo: { Latitude: 2, Name: "n" } } }],
  [WHOLE, { [name]: { Geo: { Name: null } } }, { [name]: { ...SHOWN, Geo: { Latitude: 1, Name: null } } }],
  [WHOLE, { [name]: { Geo: null } }, { [name]: { ...SHOWN, Geo: null } }],
  [WHOLE, { [name]: { Tags: ["x", "y"] } }, { [name]: { ...SHOWN, Tags: ["x", "y"] } }],
  [WHOLE, { [name]: { Since: 9, Seen: 9, City: "C" } }, { [name]: { ...SHOWN, City: "C" } }],
  [
    WHOLE,
    { [name]: { "@odata.type": "#Test.Address", "City@odata.type": "#String", City: "C" } },
    { [name]: { ...SHOWN, City: "C" } },
  ],
  [
    EMPTY,
    { [name]: { Geo: { Latitude: 7 }, Street: "S" } },
    {
      [name]: {
        ...(["Home", "Office"].includes(name) ? SHOWN : { ...SHOWN, City: null, Zip: "0000", Since: null, Tags: [] }),
        Street: "S",
        Geo: { Latitude: 7, Name: null },
      },
    },
  ],
]);
const OTHERS: readonly Case[] = [
  [WHOLE, { Work: null, Away: null, Loose: null }, { Work: null, Away: null, Loose: null }],
  [WHOLE, { Loose: { A: "x" }, Note: { B: "y" } }, { Loose: { A: "x", B: "b" }, Note: { A: "a", B: "y" } }],
  [
    WHOLE,
    { Loose: { A: null }, Note: { A: null, B: null } },
    { Loose: { A: null, B: "b" }, Note: { A: null, B: null } },
  ],
  [EMPTY, { Loose: { A: "x" }, Spot: { B: "x" } }, { Loose: { A: "x", B: null }, Spot: { A: null, B: "x" } }],
  [WHOLE, { Spot: { B: "x" } }, { Spot: { A: "a", B: "x" } }],
  [WHOLE, { Spot: { B: null } }, { Spot: { A: "a", B: null } }],
  [WHOLE, { Stops: [{ Latitude: 3 }] }, { Stops: [{ Latitude: 3, Name: null }] }],
  [
    EMPTY,
    { Work: { Street: "S", Since: 5 }, Away: { Street: "S", Since: 5 } },
    {
      Work: { Street: "S", City: null, Zip: "0000", Geo: null, Since: 5, Seen: null, Tags: [] },
      Away: { Street: "S", City: null, Zip: "0000", Geo: null, Since: 5, Seen: null, Tags: [] },
    },
  ],
];
/** The target of the error. */
const REFUSED: ReadonlyArray<readonly [before: object, change: object, target: string]> = [
  [EMPTY, { Work: { City: "Bergen" } }, "Work/Street"],
  [EMPTY, { Away: { City: "Bergen" } }, "Away/Street"],
  [EMPTY, { Work: {} }, "Work/Street"],
  [EMPTY, { Home: { Geo: { Name: "x" } } }, "Home/Geo/Latitude"],
  [EMPTY, { Office: { Geo: { Name: "x" } } }, "Office/Geo/Latitude"],
  [EMPTY, { Away: { Street: "S", Geo: { Name: "x" } } }, "Away/Geo/Latitude"],
  [EMPTY, { Work: { Street: "S", Geo: { Name: "x" } } }, "Work/Geo/Latitude"],
];

function missing(target: string): readonly unknown[] {
  const message = `${target} is missing. The enclosing value is null, so send all required members.`;
  return [400, "no ETag", { error: { code: "InvalidBody", message, target } }];
}

function shown(id: number, before: object, after: object, version: unknown): object {
  const whole: Record<string, unknown> = { ...before };
  for (const name of ADDRESSES) {
    if (whole[name] !== null) whole[name] = { ...(whole[name] as object), Seen: null };
  }
  const { "@odata.etag": _etag, ...rest } = { "@odata.etag": "", ...whole, ...after };
  return {
    "@odata.context": `${ORIGIN}/$metadata#People/$entity`,
    "@odata.id": `${ORIGIN}/People(${String(id)})`,
    Id: id,
    ...rest,
    Version: version,
  };
}

/** Removes the ETag, whose value means nothing. */
function withoutTag([status, tag, body]: readonly unknown[]): readonly unknown[] {
  if (typeof body !== "object" || body === null) return [status, tag, body];
  const { "@odata.etag": _etag, ...rest } = body as Record<string, unknown>;
  return [status, tag, rest];
}

const CASES = [...MERGED, ...OTHERS];

async function checkCases(service: Service): Promise<void> {
  for (const [index, [before, change, after]] of CASES.entries()) {
    const id = index + 1;
    const target = `People(${String(id)})`;
    await ask(service, "POST", "People", { Id: id, ...before });
    // A change without members is not a write of a table.
    const version = expect.toSatisfy(
      (count: number) => count === 2 || (count === 1 && Object.keys(after).length === 0),
    );
    const expected = [200, "ETag", shown(id, before, after, version)];
    expect(
      withoutTag(await ask(service, "PATCH", target, change, { "If-Match": "*" })),
      JSON.stringify(change),
    ).toEqual(expected);
    expect(withoutTag(await ask(service, "GET", target)), JSON.stringify(change)).toEqual(expected);
  }
  for (const [index, [before, change, target]] of REFUSED.entries()) {
    const id = index + 1000;
    await ask(service, "POST", "People", { Id: id, ...before });
    expect(await ask(service, "PATCH", `People(${String(id)})`, change), JSON.stringify(change)).toEqual(
      missing(target),
    );
    expect(withoutTag(await ask(service, "GET", `People(${String(id)})`))).toEqual([
      200,
      "ETag",
      shown(id, before, {}, 1),
    ]);
  }
}

/** A property route replaces the value: missing members get their default. PUT of the entity replaces it too. */
async function checkReplacements(service: Service): Promise<void> {
  await ask(service, "POST", "People", { Id: 5000, ...WHOLE });
  const address = { Street: "S", City: null, Zip: "0000", Geo: null, Since: 1, Seen: null, Tags: [] };
  for (const name of ADDRESSES) {
    expect(await ask(service, "PUT", `People(5000)/${name}`, { value: { Street: "S" } })).toEqual([204, "ETag", ""]);
    expect((await ask(service, "PATCH", `People(5000)/${name}`, { value: { City: "x" } }))[2]).toMatchObject({
      error: { code: "NotSupported", target: name },
    });
  }
  const after = { Home: address, Work: address, Away: address, Office: address };
  expect(withoutTag(await ask(service, "GET", "People(5000)"))).toEqual([200, "ETag", shown(5000, WHOLE, after, 5)]);
  const fresh = { ...address, Since: null };
  const put = { Home: { Street: "S" }, Away: { Street: "S" }, Office: { Street: "S" }, Note: { A: "x" } };
  expect(withoutTag(await ask(service, "PUT", "People(5000)", put))).toEqual([
    200,
    "ETag",
    shown(
      5000,
      WHOLE,
      {
        Spot: null,
        Home: fresh,
        Work: null,
        Away: fresh,
        Office: fresh,
        Loose: null,
        Note: { A: "x", B: null },
        Stops: [],
      },
      6,
    ),
  ]);
}

/** A write of a path into a complex value, with the expected status, and the difference of the entity or the target of the error. */
type PathCase = readonly [
  before: object,
  write: readonly [string, string, unknown?],
  status: number,
  after: object | string,
];

const PATHS: readonly PathCase[] = [
  ...ADDRESSES.flatMap((name): readonly PathCase[] => [
    [WHOLE, ["PUT", `${name}/City`, { value: "C" }], 204, { [name]: { ...SHOWN, City: "C" } }],
    [WHOLE, ["PATCH", `${name}/City`, { value: null }], 204, { [name]: { ...SHOWN, City: null } }],
    [WHOLE, ["DELETE", `${name}/City`], 204, { [name]: { ...SHOWN, City: null } }],
    [WHOLE, ["PUT", `${name}/Tags`, { value: ["x", "y"] }], 204, { [name]: { ...SHOWN, Tags: ["x", "y"] } }],
    [WHOLE, ["PUT", `${name}/Geo`, { Latitude: 7 }], 204, { [name]: { ...SHOWN, Geo: { Latitude: 7, Name: null } } }],
    [WHOLE, ["PATCH", `${name}/Geo`, { Latitude: 7 }], 204, { [name]: { ...SHOWN, Geo: { Latitude: 7, Name: "n" } } }],
    [WHOLE, ["DELETE", `${name}/Geo`], 204, { [name]: { ...SHOWN, Geo: null } }],
    [
      WHOLE,
      ["PUT", `${name}/Geo/Latitude`, { value: 9 }],
      204,
      { [name]: { ...SHOWN, Geo: { Latitude: 9, Name: "n" } } },
    ],
    [WHOLE, ["DELETE", `${name}/Geo/Name`], 204, { [name]: { ...SHOWN, Geo: { Latitude: 1, Name: null } } }],
    // Below null there is nothing to clear, and a value needs the members around it.
    [EMPTY, ["DELETE", `${name}/Geo/Name`], 204, {}],
    [
      EMPTY,
      ["PUT", `${name}/Geo/Name`, { value: "x" }],
      400,
      ["Home", "Office"].includes(name) ? `${name}/Geo/Latitude` : `${name}/Street`,
    ],
    [WHOLE, ["DELETE", `${name}/Street`], 400, `${name}/Street`],
    [WHOLE, ["DELETE", `${name}/Geo/Latitude`], 400, `${name}/Geo/Latitude`],
    [WHOLE, ["DELETE", `${name}/Tags`], 400, `${name}/Tags`],
    [WHOLE, ["PATCH", `${name}/Tags`, { value: [] }], 400, `${name}/Tags`],
    [WHOLE, ["PUT", `${name}/Since`, { value: 3 }], 400, `${name}/Since`],
    [WHOLE, ["PUT", `${name}/Seen`, { value: 3 }], 400, `${name}/Seen`],
    [WHOLE, ["PUT", `${name}/Geo/Latitude`, { value: "x" }], 400, `${name}/Geo/Latitude`],
    [WHOLE, ["PUT", `${name}/Geo`, { Name: "x" }], 400, `${name}/Geo/Latitude`],
    [WHOLE, ["PUT", `${name}/City`, { value: 5 }], 400, `${name}/City`],
    [WHOLE, ["PUT", `${name}/Street`, { value: null }], 400, `${name}/Street`],
  ]),
  [EMPTY, ["DELETE", "Work/City"], 204, {}],
  [EMPTY, ["DELETE", "Away/Geo/Name"], 204, {}],
  [EMPTY, ["PUT", "Away/City", { value: "x" }], 400, "Away/Street"],
  [EMPTY, ["DELETE", "Loose/A"], 204, {}],
  [EMPTY, ["PUT", "Loose/A", { value: "x" }], 204, { Loose: { A: "x", B: null } }],
  [WHOLE, ["PUT", "Spot/B", { value: "x" }], 204, { Spot: { A: "a", B: "x" } }],
];

async function checkPaths(service: Service): Promise<void> {
  for (const [index, [before, [method, path, body], status, after]] of PATHS.entries()) {
    const id = index + 2000;
    const name = `${method} ${path}`;
    await ask(service, "POST", "People", { Id: id, ...before });
    const answer = await ask(service, method, `People(${String(id)})/${path}`, body, { "If-Match": "*" });
    const expected = typeof after === "string" ? { error: expect.objectContaining({ target: after }) } : "";
    expect(answer, name).toEqual([status, status === 204 ? "ETag" : "no ETag", expected]);
    const difference = typeof after === "string" ? {} : after;
    const version = Object.keys(difference).length === 0 ? 1 : 2;
    expect(withoutTag(await ask(service, "GET", `People(${String(id)})`)), name).toEqual([
      200,
      "ETag",
      shown(id, before, difference, version),
    ]);
    expect(
      (await ask(service, "PUT", `People(${String(id)})/Home/City`, { value: "x" }, { "If-Match": '"x"' }))[0],
    ).toBe(412);
  }
  expect((await ask(service, "PUT", "People(9)/Home/City", { value: "x" }))[0]).toBe(404);
  expect((await ask(service, "DELETE", "People(9)/Home/City"))[0]).toBe(404);
  await checkPathReads(service);
}

/** Reads paths into complex values of two entities: each value, its raw value and its count. */
async function checkPathReads(service: Service): Promise<void> {
  await ask(service, "POST", "People", { Id: 1, ...WHOLE });
  await ask(service, "POST", "People", { Id: 2, ...EMPTY });
  const context = (path: string) => ({ "@odata.context": `${ORIGIN}/$metadata#${path}` });
  for (const name of ADDRESSES) {
    const at = `People(1)/${name}`;
    const cases: ReadonlyArray<readonly [path: string, body: unknown]> = [
      [`${at}/City`, { ...context(`${at}/City`), value: "B" }],
      [`${at}/Tags`, { ...context(`${at}/Tags`), value: ["t"] }],
      [`${at}/Geo`, { ...context(`${at}/Geo`), ...GEO }],
      [`${at}/Geo/Latitude`, { ...context(`${at}/Geo/Latitude`), value: 1 }],
    ];
    for (const [path, body] of cases) expect(await ask(service, "GET", path), path).toEqual([200, "ETag", body]);
    expect(await ask(service, "GET", `${at}/Geo/Latitude/$value`)).toEqual([200, "no ETag", 1]);
    expect(await ask(service, "GET", `${at}/Tags/$count`)).toEqual([200, "no ETag", 1]);
    expect(await ask(service, "GET", `People(2)/${name}/Geo/Name`)).toEqual([204, "ETag", ""]);
    expect(await ask(service, "GET", `People(2)/${name}/Geo/Name/$value`)).toEqual([204, "no ETag", ""]);
  }
  expect(await ask(service, "GET", "People(1)/Stops/$count")).toEqual([200, "no ETag", 1]);
  expect(await ask(service, "GET", "People(2)/Work/Tags/$count")).toEqual([200, "no ETag", 0]);
  expect(await ask(service, "GET", "People(2)/Work/Tags")).toEqual([
    200,
    "ETag",
    { ...context("People(2)/Work/Tags"), value: [] },
  ]);
  expect((await ask(service, "GET", "People(9)/Work/City"))[0]).toBe(404);
  expect((await ask(service, "GET", "People(9)/Stops/$count"))[0]).toBe(404);
}

test("over arrays paths into complex values are read and written in the standard profile", async () => {
  await checkPaths(memoryService("PascalCase", false, "standard"));
});

test("over arrays PATCH merges complex values at every depth", async () => {
  await checkCases(memoryService());
  await checkReplacements(memoryService());
});

test("an error for a missing member uses the names of the service", async () => {
  const service = memoryService("camelCase");
  const address = { street: "A", tags: [] };
  await ask(service, "POST", "People", { id: 1, home: address, office: address, note: {}, stops: [] });
  expect(await ask(service, "PATCH", "People(1)", { work: { city: "x" } })).toEqual(missing("work/street"));
});

const text = fc.constantFrom("a", "b", "ü", "");
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null, freq: 4 });
const geo = fc.record({ Latitude: fc.integer({ min: -5, max: 5 }), Name: orNull(text) }, { requiredKeys: [] });
const address = fc.record(
  {
    Street: text,
    City: orNull(text),
    Zip: text,
    Geo: orNull(geo),
    Since: orNull(fc.integer({ min: 0, max: 3 })),
    Seen: fc.constant(5),
    Tags: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const change = fc.record(
  {
    Home: address,
    Work: orNull(address),
    Away: orNull(address),
    Office: address,
    Note: fc.record({ A: orNull(text), B: orNull(text) }, { requiredKeys: [] }),
    Stops: fc.array(fc.record({ Latitude: fc.integer({ min: 0, max: 2 }), Name: orNull(text) }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

describe.each(ENGINES)("complex values in tables of $title", (engine) => {
  test("are merged as they are over arrays, in columns per member and in JSON", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    await checkCases(tableService(db));
    await checkReplacements(tableService(db));
    let id = 10_000;
    const [memory, table] = [memoryService(), tableService(db)];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(WHOLE, EMPTY),
        fc.array(change, { minLength: 1, maxLength: 6 }),
        async (before, changes) => {
          id += 1;
          const target = `People(${String(id)})`;
          for (const service of [memory, table]) await ask(service, "POST", "People", { Id: id, ...before });
          for (const body of changes) {
            const expected = await ask(memory, "PATCH", target, body);
            // An empty change is not a write of a table.
            const answer = await ask(table, "PATCH", target, body);
            expect(withoutVersion(answer), JSON.stringify(body)).toEqual(withoutVersion(expected));
          }
          expect(withoutVersion(await ask(table, "GET", target))).toEqual(
            withoutVersion(await ask(memory, "GET", target)),
          );
        },
      ),
      { numRuns: caseCount(RUNS[engine.name]), seed: 11 },
    );
    await close();
  });

  test("are read and written by paths in the standard profile, as over arrays", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    await checkPaths(tableService(db, false, "standard"));
    await close();
  });

  test("keep what other writers of other members write at the same time", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    const service = tableService(db);
    await ask(service, "POST", "People", { Id: 1, ...WHOLE });
    const writes = [1, 2, 3, 4].flatMap((round) =>
      ADDRESSES.flatMap((name) => [
        { [name]: { Street: `s${String(round)}` } },
        { [name]: { City: `c${String(round)}` } },
        { [name]: { Geo: { Latitude: round } } },
        { [name]: { Geo: { Name: `g${String(round)}` } } },
      ]),
    );
    const statuses = await Promise.all(writes.map(async (body) => (await ask(service, "PATCH", "People(1)", body))[0]));
    expect(statuses).toEqual(writes.map(() => 200));
    const [, , body] = await ask(service, "GET", "People(1)");
    for (const name of ADDRESSES) {
      expect((body as Record<string, unknown>)[name]).toEqual({
        ...SHOWN,
        Street: expect.stringMatching(/^s[1-4]$/),
        City: expect.stringMatching(/^c[1-4]$/),
        Geo: {
          Latitude: expect.toSatisfy((value: number) => value >= 1 && value <= 4),
          Name: expect.stringMatching(/^g[1-4]$/),
        },
      });
    }
    await close();
  });

  test("keep members of JSON that the model does not know, and the digits of numbers", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    const service = tableService(db);
    await ask(service, "POST", "People", { Id: 1, ...WHOLE });
    const stored =
      '{"city": "B", "secret": "kept", "other": [1.10, 9007199254740993, {"x": null}], "street": "A", "tags": [], "zip": "1", "geo": {"latitude": 1, "old": true}}';
    await sql`update people set office = ${stored}`.execute(db);
    expect((await ask(service, "PATCH", "People(1)", { Office: { City: "C", Geo: { Name: "n" } } }))[0]).toBe(200);
    const { rows } = await sql<{
      text: string;
    }>`select ${sql.raw(engine.name === "postgres" ? "office::text" : "office")} as text from people`.execute(db);
    expect(rows[0]?.text).toContain(
      engine.name === "postgres" ? "[1.10, 9007199254740993, " : "[1.10,9007199254740993,",
    );
    expect(JSON.parse(rows[0]?.text ?? "")).toEqual({
      city: "C",
      secret: "kept",
      other: [1.1, 9_007_199_254_740_992, { x: null }],
      street: "A",
      tags: [],
      zip: "1",
      geo: { latitude: 1, old: true, name: "n" },
    });
    await close();
  });

  test("in columns are not written when only nulls would be left", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    const service = tableService(db);
    await ask(service, "POST", "People", { Id: 1, ...WHOLE });
    const message =
      "The value is stored in a column per member, so it cannot have only null members: write null instead.";
    const refused = [400, "no ETag", { error: { code: "InvalidBody", message, target: "Loose" } }];
    expect(await ask(service, "PATCH", "People(1)", { Loose: { A: null, B: null } })).toEqual(refused);
    expect((await ask(service, "PATCH", "People(1)", { Loose: { A: null } }))[0]).toBe(200);
    expect(await ask(service, "PATCH", "People(1)", { Loose: { B: null } })).toEqual(refused);
    expect((await ask(service, "PATCH", "People(1)", { Loose: null }))[0]).toBe(200);
    expect(await ask(service, "PATCH", "People(1)", { Loose: {} })).toEqual(refused);
    await close();
  });

  test("are judged by row rules as they are then", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    for (const service of [memoryService("PascalCase", true), tableService(db, true)]) {
      await ask(service, "POST", "People", { Id: 1, ...EMPTY });
      expect((await ask(service, "PATCH", "People(1)", { Home: { City: "x" } }))[0]).toBe(200);
      expect((await ask(service, "PATCH", "People(1)", { Work: { Street: "x" } }))[0]).toBe(403);
      expect(await ask(service, "PATCH", "People(1)", { Work: {} })).toEqual(missing("Work/Street"));
      expect(await ask(service, "PATCH", "People(1)", { Away: { City: "x" } })).toEqual(missing("Away/Street"));
      expect((await ask(service, "GET", "People(1)"))[2]).toMatchObject({
        Home: { Street: "A", City: "x" },
        Work: null,
        Away: null,
      });
    }
    await close();
  });
});

function withoutVersion([status, tag, body]: readonly unknown[]): readonly unknown[] {
  const [, , rest] = withoutTag([status, tag, body]);
  return [status, tag, { ...(rest as object), Version: 0 }];
}
