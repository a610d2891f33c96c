import { describe, expect, test } from "vitest";
import {
  ORIGIN,
  createTable,
  type Service,
  tableService,
  memoryService,
  ask,
  GEO,
  WHOLE,
  SHOWN,
  EMPTY,
  ADDRESSES,
  shown,
  withoutTag,
} from "./complex-people.ts";
import { ENGINES, isSpread } from "./engines.ts";

/** Paths into complex values are read and written: over arrays, in a column per member, and in one column of JSON. */

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

test.skipIf(isSpread())(
  "over arrays paths into complex values are read and written in the standard profile",
  async () => {
    await checkPaths(memoryService("PascalCase", false, "standard"));
  },
);

describe.each(ENGINES)("complex values in tables of $title", (engine) => {
  test("are read and written by paths in the standard profile, as over arrays", async () => {
    const { db, close } = await engine.open();
    await createTable(db, engine);
    await checkPaths(tableService(db, false, "standard"));
    await close();
  });
});
