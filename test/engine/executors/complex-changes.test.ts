import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { caseCount } from "../../cases.ts";
import {
  auditedMemory,
  auditedTable,
  createTable,
  type Service,
  tableService,
  memoryService,
  ask,
  WHOLE,
  SHOWN,
  EMPTY,
  ADDRESSES,
  missing,
  shown,
  withoutTag,
  withoutVersion,
} from "./complex-people.ts";
import { ENGINES, isSpread } from "./engines.ts";

/** PATCH merges complex values at every depth: over arrays, in a column per member, and in one column of JSON. */

afterEach(() => {
  vi.useRealTimers();
});

const RUNS = { sqlite: 40, postgres: 20, mariadb: 20 } as const;

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

test.skipIf(isSpread())("over arrays PATCH merges complex values at every depth", async () => {
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

  test("are written with hooks and values that the server sets as they are over arrays", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-04T05:06:07.891Z") });
    const { db, close } = await engine.open();
    await createTable(db, engine, true);
    let id = 0;
    const [memory, table] = [auditedMemory(), auditedTable(db)];
    const body = change.map((each) => ({ ...each, Author: "eve", Changed: "2000-01-01T00:00:00Z" }));
    const write = fc.oneof(
      { weight: 3, arbitrary: body.map((each) => ["PATCH", "", each] as const) },
      { weight: 1, arbitrary: body.map((each) => ["PUT", "", { ...WHOLE, ...each }] as const) },
      { weight: 1, arbitrary: address.map((value) => ["PUT", "/Home", { value }] as const) },
      { weight: 1, arbitrary: fc.constant(["DELETE", "/Spot", undefined] as const) },
    );
    const user = fc.constantFrom("ann", "bob");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(WHOLE, EMPTY),
        user,
        fc.array(fc.tuple(user, write), { minLength: 1, maxLength: 6 }),
        async (before, author, writes) => {
          id += 1;
          const target = `People(${String(id)})`;
          const both = async (
            by: string,
            ...[method, path, given]: Parameters<typeof ask> extends [unknown, ...infer R] ? R : never
          ) => {
            const headers = { "X-User": by };
            const expected = withoutVersion(await ask(memory, method, path, given, headers));
            const said = `${method} ${path} ${JSON.stringify(given)}`;
            expect(withoutVersion(await ask(table, method, path, given, headers)), said).toEqual(expected);
            return expected;
          };
          const [status, , created] = await both(author, "POST", "People", { Id: id, ...before, Editor: "eve" });
          expect([status, created]).toEqual([201, expect.objectContaining({ Author: author, Editor: author })]);
          for (const [by, [method, path, given]] of writes) {
            vi.setSystemTime(Date.now() + 1000);
            await both(by, method, target + path, given);
            await both(by, "GET", target, undefined);
          }
        },
      ),
      { numRuns: caseCount(RUNS[engine.name]), seed: 12 },
    );
    await close();
  });
});
