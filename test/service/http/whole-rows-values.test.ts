import { applyDelta, arraySource, complexType, edm, entitySet, entityType, odataService, role } from "odatakit";
import { describe, expect, test } from "vitest";
import { ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";

/** Defaults of every kind, which clients send back for properties that the user may not write. */
const Place = complexType("Place", {
  town: edm.string().default("Oslo"),
  zip: edm.int32().nullable(),
  tags: edm.collection(edm.string()).default([]),
});
const Shop = entityType("Shop", {
  id: edm.int32().key(),
  tags: edm.collection(edm.string().nullable()).default(["a", null]),
  days: edm.collection(edm.date()).default(["2024-02-11"]),
  place: edm.complex(Place).default({ town: "Rome", zip: null, tags: ["x"] }),
  places: edm.collection(edm.complex(Place)).default([{ town: "Rome", zip: 1, tags: [] }]),
  ratio: edm.double().default(Number.NaN),
  price: edm.decimal({ precision: 9, scale: 2 }).default("1.5"),
  bytes: edm.binary().nullable(),
});
const STORED = {
  id: 1,
  tags: ["s", null],
  days: ["2020-01-01"],
  place: { town: "Bonn", zip: 5, tags: [] },
  places: [],
  ratio: 2,
  price: "3.25",
  bytes: null,
};

const boss = role("boss");
const written = { create: boss, update: boss };
const rows = new Map<number, object>();
const save = (row: object): object => {
  rows.set(Number(Reflect.get(row, "id")), row);
  return row;
};
const service = odataService({
  profile: "standard",
  logger: noFailures,
  authenticate: () => ({ id: "ann", roles: [] }),
  entitySets: [
    entitySet(Shop, {
      queryable: () => arraySource(Shop, [...rows.values()] as never),
      getByKey: (id) => (rows.get(id) ?? null) as never,
      create: (entity) => save(entity) as never,
      patch: (id, delta) => save(applyDelta(Shop, rows.get(id) as never, delta)) as never,
      authorization: {
        properties: {
          tags: written,
          days: written,
          place: written,
          places: written,
          ratio: written,
          price: written,
          bytes: written,
        },
      },
    }),
  ],
});

async function send(method: string, path: string, body: object): Promise<readonly [number, string]> {
  const response = await service.fetch(
    new Request(`${ORIGIN}/${path}`, {
      method,
      headers: { "Content-Type": "application/json", Prefer: "return=representation" },
      body: JSON.stringify(body),
    }),
  );
  return [response.status, await response.text()];
}

const DEFAULTS: ReadonlyArray<readonly [string, unknown]> = [
  ["Tags", ["a", null]],
  ["Tags", null],
  ["Days", ["2024-02-11"]],
  ["Days", ["2024-02-11T00:00:00.000Z"]],
  ["Place", { Town: "Rome", Zip: null, Tags: ["x"] }],
  ["Place", { Tags: ["x"], Town: "Rome" }],
  ["Places", [{ Town: "Rome", Zip: 1, Tags: [] }]],
  ["Places", [{ Town: "Rome", Zip: 1 }]],
  ["Ratio", "NaN"],
  ["Price", 1.5],
  ["Bytes", null],
];
const OTHERS: ReadonlyArray<readonly [string, unknown]> = [
  ["Tags", ["a"]],
  ["Tags", ["a", "b"]],
  ["Tags", [null, "a"]],
  ["Days", ["2024-02-12"]],
  ["Place", { Town: "Oslo", Zip: null, Tags: ["x"] }],
  ["Place", { Zip: null, Tags: ["x"] }],
  ["Place", { Town: "Rome", Zip: 5, Tags: ["x"] }],
  ["Places", [{ Town: "Rome", Zip: 2, Tags: [] }]],
  ["Places", [{ Town: "Rome", Zip: 1, Tags: ["x"] }]],
  ["Ratio", "INF"],
  ["Price", 1.51],
  ["Bytes", "AQID"],
];
/** The stored values of the properties of `STORED`. */
const SAME: ReadonlyArray<readonly [string, unknown]> = [
  ["Places", []],
  ["Ratio", 2],
  ["Price", 3.25],
];
const INVALID: ReadonlyArray<readonly [string, unknown]> = [
  ["Tags", "a"],
  ["Tags", [5, null]],
  ["Days", ["2024-02-11T01:00:00.000Z"]],
  ["Place", { Town: "Rome", Zip: null, Tags: ["x"], More: 1 }],
  ["Place", { Town: "Rome", Zip: "5", Tags: ["x"] }],
  ["Place", "Rome"],
  ["Places", [null]],
];

describe("a value of a property that the user may not write", () => {
  test.each(DEFAULTS)("is absent in a new entity: %s is %j", async (name, value) => {
    rows.clear();
    const [status, text] = await send("POST", "Shops", { Id: 2, [name]: value });
    expect([status, JSON.parse(text)]).toEqual([
      201,
      {
        "@odata.context": `${ORIGIN}/$metadata#Shops/$entity`,
        "@odata.id": `${ORIGIN}/Shops(2)`,
        Id: 2,
        Tags: ["a", null],
        Days: ["2024-02-11"],
        Place: { Town: "Rome", Zip: null, Tags: ["x"] },
        Places: [{ Town: "Rome", Zip: 1, Tags: [] }],
        Ratio: "NaN",
        Price: 1.5,
        Bytes: null,
      },
    ]);
  });

  test.each([...OTHERS.map((each) => [403, ...each] as const), ...INVALID.map((each) => [400, ...each] as const)])(
    "is %i otherwise: %s is %j",
    async (expected, name, value) => {
      rows.clear();
      rows.set(1, STORED);
      for (const [method, path] of [
        ["POST", "Shops"],
        ["PATCH", "Shops(1)"],
      ] as const) {
        const [status, text] = await send(
          method,
          path,
          method === "POST" ? { Id: 2, [name]: value } : { [name]: value },
        );
        expect([method, status, text]).toEqual([method, expected, expect.stringContaining(name)]);
      }
      expect([...rows]).toEqual([[1, STORED]]);
    },
  );

  test.each(SAME)("is accepted if it is stored: %s is %j", async (name, value) => {
    rows.clear();
    rows.set(1, STORED);
    const [status] = await send("PATCH", "Shops(1)", { [name]: value });
    expect([status, [...rows]]).toEqual([200, [[1, STORED]]]);
    const [created] = await send("POST", "Shops", { Id: 2, [name]: value });
    expect(created).toBe(403);
  });

  test.each(DEFAULTS)("keeps what is stored: %s is %j", async (name, value) => {
    rows.clear();
    rows.set(1, STORED);
    const [status] = await send("PATCH", "Shops(1)", { [name]: value });
    expect([status, [...rows]]).toEqual([200, [[1, STORED]]]);
  });
});
