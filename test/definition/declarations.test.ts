import { describe, expect, test } from "vitest";
import { applyDelta } from "../../src/definition/model/apply-delta.ts";
import { anyOf, authenticated, resource, role, requireUser } from "../../src/definition/sets/authorization.ts";
import { entitySet } from "../../src/definition/sets/entity-set.ts";
import { hasMany, hasOptional, hasRequired } from "../../src/definition/sets/navigation.ts";
import { action, fn } from "../../src/definition/sets/operation.ts";
import { edm } from "../../src/definition/types/edm-builders.ts";
import { complexType, entityType, enumType } from "../../src/definition/types/entity-type.ts";
import { allRows, noRows } from "../../src/definition/types/row-predicate.ts";

const Order = entityType("Order", {
  id: edm.int64().key(),
  version: edm.int32().computed(),
  margin: edm.decimal().ignored(),
  note: edm.string().nullable(),
  ["__proto__"]: edm.string(),
});

describe("builders", () => {
  test.each([
    ["string", edm.string({ maxLength: 5 }), "Edm.String", { maxLength: 5 }],
    ["boolean", edm.boolean(), "Edm.Boolean", {}],
    ["byte", edm.byte(), "Edm.Byte", {}],
    ["sByte", edm.sByte(), "Edm.SByte", {}],
    ["int16", edm.int16(), "Edm.Int16", {}],
    ["int32", edm.int32(), "Edm.Int32", {}],
    ["int64", edm.int64(), "Edm.Int64", {}],
    ["single", edm.single(), "Edm.Single", {}],
    ["double", edm.double(), "Edm.Double", {}],
    ["decimal", edm.decimal(), "Edm.Decimal", { scale: "variable" }],
    ["decimal with precision", edm.decimal({ precision: 9 }), "Edm.Decimal", { precision: 9, scale: "variable" }],
    ["decimal with scale", edm.decimal({ precision: 9, scale: 0 }), "Edm.Decimal", { precision: 9, scale: 0 }],
    ["guid", edm.guid(), "Edm.Guid", {}],
    ["binary", edm.binary({ maxLength: 5 }), "Edm.Binary", { maxLength: 5 }],
    ["date", edm.date(), "Edm.Date", {}],
    ["timeOfDay", edm.timeOfDay(), "Edm.TimeOfDay", { precision: 12 }],
    ["dateTimeOffset", edm.dateTimeOffset({ precision: 0 }), "Edm.DateTimeOffset", { precision: 0 }],
    ["duration", edm.duration(), "Edm.Duration", { precision: 12 }],
  ])("%s", (_name, property, type, facets) => {
    expect(property.declared.type.name).toBe(type);
    expect(property.declared.facets).toEqual(facets);
  });

  test("each modifier returns a new property", () => {
    const plain = edm.int32();
    const all = plain.nullable().key().ignored().computed().immutable().default(5).json("x").describe("y");
    expect(plain.declared).toEqual(edm.int32().declared);
    expect(all.declared).toMatchObject({
      nullable: true,
      key: true,
      ignored: true,
      computed: true,
      immutable: true,
      defaultValue: { value: 5 },
      json: "x",
      description: "y",
    });
  });

  test("a collection knows its items", () => {
    const property = edm.collection(edm.string({ maxLength: 5 }).nullable());
    expect(property.declared).toMatchObject({ nullable: false, item: { nullable: true }, facets: { maxLength: 5 } });
    expect(edm.collection(Order)).toEqual({ kind: "EntityCollection", of: Order });
  });
});

describe("declarations are frozen", () => {
  const members = { A: 1 };
  const options = { maxTop: 5 };
  const set = entitySet(Order, options);
  test.each<readonly [string, object]>([
    ["edm", edm],
    ["a property", Order.properties.id],
    ["its data", Order.properties.id.declared],
    ["its facets", Order.properties.margin.declared.facets],
    ["an entity type", Order],
    ["its properties", Order.properties],
    ["a complex type", complexType("A", {})],
    ["an enumeration", enumType("A", members)],
    ["its members", enumType("A", members).members],
    ["a collection of entities", edm.collection(Order)],
    ["an entity set", set],
    ["its options", set.options],
    ["a navigation", hasMany(Order)],
    ["an optional navigation", hasOptional(Order)],
    ["a required navigation", hasRequired(Order)],
    ["a function", fn({ returns: edm.string(), handler: () => "" })],
    ["an action", action({ handler: () => {} })],
    ["a rule", authenticated()],
    ["a row predicate", allRows],
  ])("%s", (_title, declaration) => {
    expect(Object.isFrozen(declaration)).toBe(true);
  });

  test("later changes by the application have no effect on them", () => {
    const type = enumType("A", members);
    members.A = 2;
    options.maxTop = 6;
    expect(type.members.A).toBe(1);
    expect(set.options).toEqual({ maxTop: 5 });
  });
});

describe("applyDelta", () => {
  const old = { id: 1n, version: 3, margin: "2", note: "a", ["__proto__"]: "p" };

  test("writes the members of the delta into a copy", () => {
    expect(applyDelta(Order, old, { note: null })).toEqual({ ...old, note: null });
    expect(old.note).toBe("a");
  });

  test("never writes a key, computed, ignored or undeclared member", () => {
    const delta = { id: 2n, version: 9, margin: "9", other: 1, note: "b" } as never;
    expect(applyDelta(Order, old, delta)).toEqual({ ...old, note: "b" });
  });

  test("treats a property named __proto__ like any other", () => {
    const written = applyDelta(Order, old, JSON.parse('{"__proto__":"q"}') as never);
    expect(Object.getOwnPropertyDescriptor(written, "__proto__")?.value).toBe("q");
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype);
  });

  test("returns null without an entity", () => {
    expect(applyDelta(Order, null, {})).toBeNull();
    expect(applyDelta(Order, undefined, {})).toBeNull();
  });
});

describe("requireUser", () => {
  test("returns the user", () => {
    const user = { id: "x" };
    expect(requireUser({ user })).toBe(user);
  });

  test("throws 401 for an anonymous request", () => {
    expect(() => requireUser({ user: null })).toThrow(
      expect.objectContaining({
        status: 401,
        code: "Unauthorized",
        message: "This request requires authentication. Send credentials with the request.",
      }),
    );
  });
});

test("rules and row predicates are data", () => {
  const check = (): boolean => true;
  expect(anyOf(role("a"), resource(check)).requires).toEqual({
    kind: "anyOf",
    rules: [
      { kind: "role", name: "a" },
      { kind: "resource", check },
    ],
  });
  // Constants are folded: no expression contains them.
  expect(allRows.and(noRows.not()).or(noRows).term).toBe(true);
  expect(allRows.not().or(noRows).term).toBe(false);
  expect(allRows.kind).toBe("RowPredicate");
});

test("an operation declared outside its set knows its entity type", () => {
  const apart = fn(Order, { bound: "entity", returns: edm.string(), handler: (key) => String(key) });
  expect(apart).toMatchObject({ operationKind: "Function", bound: "entity", entityType: Order });
  expect(action({ handler: () => {} })).toMatchObject({
    operationKind: "Action",
    bound: undefined,
    entityType: undefined,
  });
});
