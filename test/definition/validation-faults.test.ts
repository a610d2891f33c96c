import { action, ConfigurationError, edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";

/** JavaScript callers can pass any value. */
function untyped(value: unknown): never {
  return value as never;
}

function faultsOf(make: () => unknown): readonly string[] {
  try {
    make();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ set, message, fix }) => `${set ?? ""}: ${message} ${fix}`);
  }
}

const withProperty = (property: unknown) => (): unknown =>
  odataService({ entitySets: [entitySet(entityType("Thing", untyped({ id: edm.int32().key(), a: property })), {})] });

const SYNTAX = "Write a regular expression of JavaScript without flags, look-around and backreferences.";
const INVERTED = "No value would be valid: give a smaller one.";

test.each<[string, unknown, string]>([
  [
    "minimum above maximum",
    edm.int32({ minimum: 5, maximum: 4 }),
    "`minimum` of PROP is above its `maximum`. " + INVERTED,
  ],
  [
    "bounds of decimals, compared exactly",
    edm.decimal({ minimum: "0.00000000000000000002", maximum: "0.00000000000000000001" }),
    "`minimum` of PROP is above its `maximum`. " + INVERTED,
  ],
  [
    "bounds of Int64, compared exactly",
    edm.int64({ minimum: 9_007_199_254_740_994n, maximum: 9_007_199_254_740_993n }),
    "`minimum` of PROP is above its `maximum`. " + INVERTED,
  ],
  [
    "minLength above maxLength",
    edm.string({ minLength: 3, maxLength: 2 }),
    "`minLength` of PROP is above its `maxLength`. " + INVERTED,
  ],
  [
    "minItems above maxItems",
    edm.collection(edm.string(), { minItems: 3, maxItems: 2 }),
    "`minItems` of PROP is above its `maxItems`. " + INVERTED,
  ],
  [
    "a minimum of another type",
    edm.int32({ minimum: untyped("1") }),
    '`minimum` of PROP cannot be "1": "1" is not an Edm.Int32: write a whole number from -2147483648 to 2147483647. Give a finite Edm.Int32.',
  ],
  [
    "a minimum with a fraction",
    edm.int64({ minimum: 1.5 }),
    "`minimum` of PROP cannot be 1.5: 1.5 is not an Edm.Int64: write a whole number from -9223372036854775808 to 9223372036854775807. Give a finite Edm.Int64.",
  ],
  [
    "a maximum outside of the type",
    edm.byte({ maximum: 300 }),
    "`maximum` of PROP cannot be 300: 300 is not an Edm.Byte: write a whole number from 0 to 255. Give a finite Edm.Byte.",
  ],
  [
    "an infinite bound",
    edm.double({ maximum: Infinity }),
    "`maximum` of PROP cannot be Infinity: It is no finite number. Give a finite Edm.Double.",
  ],
  [
    "NaN as bound",
    edm.double({ minimum: Number.NaN }),
    "`minimum` of PROP cannot be NaN: It is no finite number. Give a finite Edm.Double.",
  ],
  [
    "a negative minLength",
    edm.string({ minLength: -1 }),
    "`minLength` of PROP cannot be -1. Give a whole number of 0 or more.",
  ],
  [
    "minItems of another type",
    edm.collection(edm.string(), { minItems: untyped("1") }),
    '`minItems` of PROP cannot be "1". Give a whole number of 0 or more.',
  ],
  [
    "maxItems of zero",
    edm.collection(edm.string(), { maxItems: 0 }),
    "`maxItems` of PROP cannot be 0. Give a whole number of 1 or more.",
  ],
  [
    "facets of a collection that are no object",
    edm.collection(edm.string(), untyped(5)),
    "The facets of PROP are 5. Give an object, such as { maxLength: 100 }, or leave it out.",
  ],
  [
    "minItems of a single value",
    (edm.string as (facets: unknown) => unknown)({ minItems: 1 }),
    "Edm.String has no facet `minItems`, but PROP has it. Remove it, or use one of `maxLength`, `minLength`, `pattern`.",
  ],
  [
    "a pattern of a number",
    (edm.int32 as (facets: unknown) => unknown)({ pattern: "a" }),
    "Edm.Int32 has no facet `pattern`, but PROP has it. Remove it, or use one of `minimum`, `maximum`.",
  ],
  [
    "a default outside of the bounds",
    edm.int32({ minimum: 5 }).default(4),
    "The default of PROP is not a value of its type: 4 is too small: write a number of at least 5. Give a value of the type.",
  ],
  [
    "a default that does not match",
    edm.string({ pattern: "^a" }).default("b"),
    'The default of PROP is not a value of its type: "b" does not match the pattern ^a. Give a value of the type.',
  ],
  [
    "a default with too few items",
    edm.collection(edm.string(), { minItems: 1 }).default([]),
    "The default of PROP is not a value of its type: The collection has 0 items: write at least 1. Give a value of the type.",
  ],
  [
    "facets of an ignored property",
    edm.string({ minLength: 1 }).ignored(),
    "`minLength` has no effect on PROP, which is ignored. Remove it.",
  ],
  ["an empty pattern", edm.string({ pattern: "" }), "`pattern` of PROP is empty. " + SYNTAX],
  [
    "a pattern of another type",
    edm.string({ pattern: untyped(5) }),
    "`pattern` of PROP is no regular expression. " + SYNTAX,
  ],
  ["a pattern with flags", edm.string({ pattern: /a/i }), '`pattern` of PROP has the flags "i". ' + SYNTAX],
  [
    "a compiled pattern with flags",
    edm.string({ pattern: RE2JS.compile("a", RE2JS.CASE_INSENSITIVE) }),
    "`pattern` of PROP has flags. " + SYNTAX,
  ],
  [
    "look-ahead",
    edm.string({ pattern: "(?=a)" }),
    "`pattern` of PROP does not compile: error parsing regexp: invalid or unsupported Perl syntax: `(?=`. " + SYNTAX,
  ],
  [
    "a backreference",
    edm.string({ pattern: /(a)\1/ }),
    "`pattern` of PROP does not compile: error parsing regexp: invalid escape sequence: `\\1`. " + SYNTAX,
  ],
  [
    "broken syntax",
    edm.string({ pattern: "(" }),
    "`pattern` of PROP does not compile: Invalid regular expression: /(/u: Unterminated group. " + SYNTAX,
  ],
  [
    "syntax of RE2 alone",
    edm.string({ pattern: RE2JS.compile("(?i)a") }),
    "`pattern` of PROP does not compile: Invalid regular expression: /(?i)a/u: Invalid group. " + SYNTAX,
  ],
])("%s is a fault", (_title, property, message) => {
  const expected = `Thing: ${message.replace("PROP", "the property `a` of Thing")}`;
  expect(faultsOf(withProperty(property))).toEqual([expected]);
});

test("facets of a result are a fault, because clients only read it", () => {
  const f = fn({ returns: edm.int32({ minimum: 1 }), handler: () => 1 });
  expect(faultsOf(() => odataService({ entitySets: [], functions: { f } }))).toEqual([
    ": `minimum` has no effect on the result of `f`, which clients only read. Remove it.",
  ]);
});

const User = entityType("User", { id: edm.int32().key(), email: edm.string(), secret: edm.string().ignored() });
const withOptions = (options: object) => (): unknown =>
  odataService({ entitySets: [entitySet(User, { patch: () => null, ...options })] });

describe("options of a set", () => {
  test.each<[string, object, string]>([
    [
      "`validate` that is a function",
      { validate: untyped(() => []) },
      "`validate` of entitySet cannot be a function. Give an object.",
    ],
    [
      "`validate` that is a schema",
      { validate: { "~standard": { version: 1, vendor: "v", validate: () => ({}) }, def: {} } },
      "`validate` is a schema. Give it to the writes that it judges: { create: schema }.",
    ],
    [
      "an unknown rule",
      { validate: { update: () => [] } },
      "`validate` has no option `update`. Remove it, or use one of `create`, `patch`.",
    ],
    [
      "a rule that is neither schema nor function",
      { validate: { create: {} } },
      "`create` of `validate` cannot be an object. Give a schema with the interface Standard Schema, version 1, or a function that returns issues.",
    ],
    [
      "a schema of another version",
      { validate: { patch: { "~standard": { version: 2, vendor: "x", validate: () => ({}) } } } },
      "`patch` of `validate` cannot be an object. Give a schema with the interface Standard Schema, version 1, or a function that returns issues.",
    ],
    [
      "changes without a handler",
      { patch: undefined, validate: { patch: () => [] } },
      "`patch` of `validate` judges nothing: the set has no `patch` handler. Declare the handler, or remove it: `create` of `validate` judges PUT.",
    ],
    [
      "new entities of a set that nothing creates",
      { validate: { create: () => [] } },
      "`create` of `validate` judges nothing: the set has no `create` or `replace` handler, and no navigation creates its entities. Declare a handler, or remove it.",
    ],
    [
      "`constraints` that is a list",
      { constraints: [] },
      "`constraints` of entitySet cannot be an array. Give an object.",
    ],
    [
      "a constraint that is a text",
      { constraints: { c: "No." } },
      '`c` of `constraints` is "No.". Give an object, such as { target: "email", message: "This address is in use." }.',
    ],
    [
      "a constraint without a message",
      { constraints: { c: { target: "email" } } },
      "`c` of `constraints` has no `message`. Give the text for the client.",
    ],
    [
      "an unknown member of a constraint",
      { constraints: { c: { message: "No.", property: "email" } } },
      "`c` of `constraints` has no option `property`. Remove it, or use one of `target`, `message`.",
    ],
    [
      "an unknown property as target",
      { constraints: { c: { target: "mail", message: "No." } } },
      "`c` of `constraints` names `mail`, which User does not have. Did you mean `email`?",
    ],
    [
      "an ignored property as target",
      { constraints: { c: { target: "secret", message: "No." } } },
      "`c` of `constraints` names `secret`, which is ignored. Name a property that clients see, or leave `target` out.",
    ],
  ])("%s is a fault", (_title, options, message) => {
    expect(faultsOf(withOptions(options))).toEqual([`Users: ${message}`]);
  });
});

describe("`validate.create` is no fault of a set whose entities are created", () => {
  const Part = entityType("Part", { id: edm.int32().key(), partId: edm.int32().nullable() });
  const validate = { create: () => [] };
  const parts = (name: string, target: string | null, options: object = {}): unknown => {
    const to = {
      target: target ?? name,
      on: { id: "partId" },
      ...("along" in options ? (options.along as object) : {}),
    };
    const { along: _along, ...others } = { along: undefined, ...options };
    const navigation = target === null ? {} : { parts: hasMany(Part, untyped(to)) };
    return entitySet(Part, untyped({ name, navigation, ...others }));
  };
  const service = (...entitySets: readonly unknown[]): readonly string[] =>
    faultsOf(() => odataService(untyped({ entitySets })));
  const create = (): null => null;

  test.each<[string, readonly unknown[]]>([
    ["by its handler", [parts("As", null, { validate, create })]],
    ["by PUT", [parts("As", null, { validate, replace: create })]],
    ["along a navigation", [parts("As", "Bs", { along: { create } }), parts("Bs", null, { validate })]],
    ["by a deep insert", [parts("As", "Bs", { create, allowDeepInsert: true }), parts("Bs", null, { validate })]],
    [
      "by a deep insert over three sets",
      [
        parts("As", "Bs", { create, allowDeepInsert: true }),
        parts("Bs", "Cs"),
        parts("Cs", null, { validate, before: { create: () => undefined } }),
      ],
    ],
  ])("%s", (_title, sets) => {
    expect(service(...sets)).toEqual([]);
  });

  test.each<[string, readonly unknown[]]>([
    ["only read along a navigation", [parts("As", "Cs", { create }), parts("Cs", null, { validate })]],
    ["its own target", [parts("Cs", "Cs", { validate, allowDeepInsert: true })]],
  ])("but of a set that is %s", (_title, sets) => {
    expect(service(...sets)).toEqual([
      "Cs: `create` of `validate` judges nothing: the set has no `create` or `replace` handler, and no navigation creates its entities. Declare a handler, or remove it.",
    ]);
  });
});

test("`constraints` of a set that nothing writes has no effect", () => {
  const constraints = { c: { message: "No." } };
  const serve = (options: object) => () =>
    odataService({
      entitySets: [entitySet(User, { getAll: () => [], getByKey: () => null, constraints, ...options })],
    });
  expect(faultsOf(serve({}))).toEqual([
    "Users: `constraints` has no effect: nothing writes the set. Remove it, or declare a handler that writes.",
  ]);
  const returns = edm.int32();
  for (const writes of [
    { delete: () => true },
    { actions: { clear: action({ bound: "collection", handler: () => undefined }) } },
    { functions: { next: fn({ bound: "collection", returns, handler: () => 1 }) } },
  ]) {
    expect(faultsOf(serve(writes))).toEqual([]);
  }
});
