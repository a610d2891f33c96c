import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntityType, Model } from "../../src/edm/model.ts";
import type { PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import { bindEntityKey } from "../../src/language/binder/bind-key.ts";
import { resolvePath } from "../../src/language/binder/resolve-path.ts";
import { parseResourcePath } from "../../src/language/syntax/path-parser.ts";
import { entityUrl } from "../../src/payload/urls.ts";
import { anyCharacter } from "../any-character.ts";
import { Access, Status, entitySet, entityType, model, property } from "./model.ts";

const root = "https://example.com/odata";

/** Returns the key that the service reads from its own URL, after a client has parsed it. */
function readBack(type: EntityType, entity: object): unknown {
  const set = entitySet("Things", type);
  const things: Model = {
    ...model,
    entityContainer: { ...model.entityContainer, entitySets: new Map([["Things", set]]) },
    operations: [],
  };
  const { pathname, search, hash } = new URL(entityUrl(root, set, entity));
  expect(search + hash).toBe("");
  const path = resolvePath(parseResourcePath(pathname.slice("/odata/".length)), things);
  if (path.kind !== "entity") throw new Error(`${pathname} is of kind ${path.kind}`);
  return bindEntityKey(path.key, type, new Map());
}

const digits = (most: number, length: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(length, "0"));
const date = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) =>
    [String(year).padStart(4, "0"), ...[month, day].map((part) => String(part).padStart(2, "0"))].join("-"),
  );
const time = fc.tuple(digits(23, 2), digits(59, 2), digits(59, 2)).map((parts) => parts.join(":"));

describe("the key in an entity's URL round-trips", () => {
  const keys: ReadonlyArray<readonly [PrimitiveTypeName | typeof Status, fc.Arbitrary<unknown>]> = [
    ["Edm.Boolean", fc.boolean()],
    ["Edm.Byte", fc.integer({ min: 0, max: 255 })],
    ["Edm.SByte", fc.integer({ min: -128, max: 127 })],
    ["Edm.Int16", fc.integer({ min: -32_768, max: 32_767 })],
    ["Edm.Int32", fc.integer()],
    ["Edm.Int64", fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
    [
      "Edm.Decimal",
      fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), digits(9999, 4)).map((parts) => parts.join(".")),
    ],
    ["Edm.String", fc.string({ unit: anyCharacter })],
    ["Edm.String", fc.string({ unit: fc.constantFrom("'", "/", "%", "(", ")", ",", "=", "+", " ", "\u0000", "a") })],
    ["Edm.Guid", fc.uuid()],
    ["Edm.Date", date],
    ["Edm.TimeOfDay", time],
    [
      "Edm.DateTimeOffset",
      fc
        .tuple(date, time, fc.constantFrom("Z", "+02:00", "-11:30"))
        .map(([day, clock, offset]) => `${day}T${clock}${offset}`),
    ],
    ["Edm.Duration", fc.integer({ min: 0, max: 100_000 }).map((minutes) => `PT${String(minutes)}M`)],
    [Status, fc.constantFrom("Draft", "Paid", "Shipped")],
    [Access, fc.constantFrom("Read", "Read,Write", "Admin")],
  ];
  test.each(keys)("%o %#", (type, values) => {
    const thing = entityType("Thing", [property("Id", type, { isKey: true })]);
    fc.assert(
      fc.property(values, (id) => {
        expect(readBack(thing, { id })).toBe(id);
      }),
    );
  });

  test("of several properties", () => {
    const thing = entityType("Thing", [
      property("Order", "Edm.Int64", { isKey: true }),
      property("Number", "Edm.String", { isKey: true }),
    ]);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1000n }), fc.string({ unit: anyCharacter }), (order, number) => {
        expect(readBack(thing, { order, number })).toEqual({ order, number });
      }),
    );
  });
});
