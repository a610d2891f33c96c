import {
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  odataService,
} from "odatakit";
import { expect, test } from "vitest";

/** JavaScript callers can pass any value. */
function untyped(value: unknown): never {
  return value as never;
}

/** A registration of one set whose type has this property. */
function withProperty(property: unknown): unknown {
  return withType(entityType("Thing", untyped({ id: edm.int32().key(), a: property })));
}

function withType(type: unknown, options: unknown = {}): unknown {
  return { entitySets: [entitySet(untyped(type), untyped(options))] };
}

const Thing = entityType("Thing", { id: edm.int32().key() });
const Part = complexType("Part", { x: edm.int32() });

test.each<[string, () => unknown, RegExp]>([
  ["a set without options", () => withType(Thing, null), /set at position 0 of `entitySets` are null\. Give an object/],
  ["an entity type without properties", () => withType(entityType("T", untyped(undefined))), /properties of T are und/],
  [
    "an entity type without a name",
    () => withType(entityType(untyped(undefined), { id: edm.int32().key() })),
    /not an identifier/,
  ],
  [
    "a complex type without properties",
    () => withProperty(edm.complex(complexType("P", untyped(null)))),
    /of P are nu/,
  ],
  [
    "its default",
    () => withProperty(edm.complex(complexType("P", untyped(null))).default(untyped({}))),
    /of P are null/,
  ],
  [
    "an enumeration without members",
    () => withProperty(edm.enum(enumType("E", untyped(undefined)))),
    /E has no members/,
  ],
  [
    "an option that it does not have",
    () => withProperty(edm.enum(flags({ flags: true }))),
    /no option `flags`.*isFlags/,
  ],
  ["a flag of another type", () => withProperty(edm.enum(flags({ isFlags: "yes" }))), /`isFlags` of .*cannot be "yes"/],
  ["options that are not an object", () => withProperty(edm.enum(flags(true))), /The options of E are true/],
  [
    "a collection of nothing",
    () => withProperty(edm.collection(untyped(undefined))),
    /items of .*`a` of Thing are null/,
  ],
  [
    "a collection of a type",
    () => withProperty(edm.collection(untyped(Part))),
    /items of .*`a` of Thing are an object\. Give a builder/,
  ],
  [
    "facets that are a number",
    () => withProperty(edm.string(untyped(100))),
    /The facets of the property `a` .* are 100/,
  ],
  [
    "facets that are null",
    () => withProperty(edm.decimal(untyped(null))),
    /The facets of the property `a` .* are null/,
  ],
  [
    "a facet of another type",
    () => withProperty((edm.int32 as (facets: object) => unknown)({ maxLength: 5 })),
    /Int32 has no facet `maxLength`/,
  ],
  [
    "a description that is not a string",
    () => withProperty(edm.string().describe(untyped(5))),
    /description of .* cannot be 5/,
  ],
  [
    "a function for a type that throws",
    () => withType(Thing, { navigation: { all: hasMany(failing) } }),
    /`all`.*: Thing is not ready/,
  ],
  [
    "a function without options",
    () => ({ entitySets: [], functions: { f: fn(untyped(undefined)) } }),
    /has no handler/,
  ],
])("%s is a fault with a fix", (_what, declare, message) => {
  const options = declare();
  const faults = faultsOf(options);
  expect(faults.filter((fault) => message.test(fault))).not.toEqual([]);
});

function flags(options: unknown) {
  return enumType("E", { A: 1 }, untyped(options));
}

function failing(): never {
  throw new ReferenceError("Thing is not ready");
}

function faultsOf(options: unknown): readonly string[] {
  try {
    odataService(untyped(options));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split(/\n {2}\d+\. /).slice(1);
  }
  return [];
}
