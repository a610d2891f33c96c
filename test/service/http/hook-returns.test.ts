import { complexType, edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";
import { ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";

/** Collections and complex values that a before hook may return. */
const Place = complexType("Place", {
  town: edm.string(),
  zip: edm.int32().nullable(),
  tags: edm.collection(edm.string()),
  made: edm.string().computed().nullable(),
});
const Shop = entityType("Shop", {
  id: edm.int32().key(),
  marks: edm.collection(edm.string().nullable()),
  place: edm.complex(Place),
  note: edm.string().nullable(),
});
const STORED = { id: 1, marks: ["m"], place: { town: "Oslo", zip: 1, tags: ["t"], made: null }, note: null };
const SENT = { Marks: ["a"], Place: { Town: "Rome", Zip: 5, Tags: [] }, Note: "n" };

async function write(method: "POST" | "PATCH", returned: (given: object) => unknown): Promise<readonly unknown[]> {
  const service = odataService({
    logger: noFailures,
    entitySets: [
      entitySet(Shop, {
        getByKey: () => STORED,
        create: (entity) => entity,
        patch: (_id, delta) => ({ ...STORED, ...(delta as object) }),
        before: {
          create: (({ entity }: { readonly entity: object }) => returned(entity)) as never,
          patch: (({ delta }: { readonly delta: object }) => returned(delta)) as never,
        },
      }),
    ],
  });
  const response = await service.fetch(
    new Request(`${ORIGIN}/Shops${method === "POST" ? "" : "(1)"}`, {
      method,
      headers: { "Content-Type": "application/json", Prefer: "return=representation" },
      body: JSON.stringify(method === "POST" ? { Id: 2, ...SENT } : SENT),
    }),
  );
  const { Marks, Place: place, Note, error } = (await response.json()) as Record<string, unknown>;
  return response.status < 300 ? [response.status, Marks, place, Note] : [response.status, error];
}

const whole = { Town: "Rome", Zip: 5, Tags: [], Made: null };

test.each<[string, (given: object) => unknown, unknown]>([
  ["nothing", () => undefined, [["a"], whole, "n"]],
  ["the values", (given) => given, [["a"], whole, "n"]],
  ["null among items", (given) => ({ ...given, marks: ["x", null] }), [["x", null], whole, "n"]],
  [
    "a complex value without members that may be absent",
    (given) => ({ ...given, place: { town: "Bern" } }),
    [["a"], { Town: "Bern", Zip: null, Tags: [], Made: null }, "n"],
  ],
])("a hook of a new entity returns %s", async (_what, returned, expected) => {
  expect(await write("POST", returned)).toEqual([201, ...(expected as unknown[])]);
});

test("a hook of a new entity returns it whole", async () => {
  expect(await write("POST", (given) => ({ ...given, note: undefined }))).toEqual([
    500,
    expect.objectContaining({ code: "InternalServerError" }),
  ]);
  expect(await write("PATCH", (given) => ({ ...given, note: undefined }))).toEqual([200, ["a"], whole, null]);
});

test.each<[string, (given: object) => unknown]>([
  ["a number", () => 5],
  ["a text for a collection", (given) => ({ ...given, marks: "x" })],
  ["null for a collection", (given) => ({ ...given, marks: null })],
  ["a number among texts", (given) => ({ ...given, marks: [5] })],
  ["a text for a complex value", (given) => ({ ...given, place: "Rome" })],
  ["null for a complex value", (given) => ({ ...given, place: null })],
  ["a strange member", (given) => ({ ...given, place: { town: "Rome", city: "Rome" } })],
  ["a complex value without a required member", (given) => ({ ...given, place: { zip: 5 } })],
  ["a property that does not exist", (given) => ({ ...given, city: "Rome" })],
])("a hook that returns %s is a fault of the application", async (_what, returned) => {
  const fault = [500, expect.objectContaining({ code: "InternalServerError" })];
  expect(await write("POST", returned)).toEqual(fault);
  expect(await write("PATCH", returned)).toEqual(fault);
});
