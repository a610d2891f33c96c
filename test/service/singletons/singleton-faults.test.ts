import {
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataService,
  singleton,
  type ServiceOptions,
} from "odatakit";
import { expect, test } from "vitest";
import { noFailures } from "../http/model.ts";

const User = entityType("User", { id: edm.int32().key() });
const Order = entityType("Order", { id: edm.int32().key() });
const users = entitySet(User, { getAll: () => [], getByKey: () => null });
const orders = entitySet(Order, { getAll: () => [] });

/** Options that the compiler refuses, too. */
const untyped = singleton as unknown as (type: unknown, options: object) => ReturnType<typeof singleton>;

function faultsOf(singletons: readonly unknown[], options: Partial<ServiceOptions> = {}): readonly string[] {
  const given = { logger: noFailures, entitySets: [users, orders], ...options, singletons } as ServiceOptions;
  try {
    odataService(given);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message }) => message);
  }
}

const key = (): number => 1;
const get = (): { id: number } => ({ id: 1 });

test.each([
  [[singleton(User, { name: "Me", from: users, key }), singleton(User, { name: "Main", get })], []],
  [[5], ["`singletons` contains 5 at position 0."]],
  [[users], ["`singletons` contains an object at position 0."]],
  [[untyped(User, { from: users, key })], ["A singleton has no name.", /is not an identifier/]],
  [[singleton(User, { name: "My self", from: users, key })], [/is not an identifier/]],
  [[untyped(undefined, { name: "Me", get })], ["The singleton has no entity type."]],
  [[untyped(User, { name: "Me", from: users })], ["The singleton has `from`, but no `key`."]],
  [[untyped(User, { name: "Me", from: users, key: 1 })], ["`key` of singleton cannot be 1."]],
  [[untyped(User, { name: "Me", from: users, key, patch: get })], ["singleton has no option `patch`."]],
  [
    [singleton(User, { name: "Me", from: entitySet(User, { getByKey: get }), key })],
    ["`from` of the singleton is not an entity set of this service."],
  ],
  [
    [untyped(User, { name: "Me", from: orders, key })],
    [
      "The singleton has the type User, but Orders contains Order.",
      "The singleton cannot read its entity: Orders has no `getByKey`.",
    ],
  ],
  [[untyped(User, { name: "Me" })], ["The singleton has no handler that reads its entity."]],
  [[untyped(User, { name: "Me", get: 5 })], ["`get` of singleton cannot be 5."]],
  [[untyped(User, { name: "Me", get, getAll: get })], ["singleton has no option `getAll`."]],
  [
    [untyped(User, { name: "Me", get, authorization: { rows: () => true } })],
    ["`authorization.rows` hides rows, but a singleton has one entity."],
  ],
  [
    [
      singleton(User, {
        name: "Me",
        get,
        functions: { all: fn(User, { bound: "collection", returns: edm.int32(), handler: () => 1 }) },
      }),
    ],
    ["`all` is bound to a collection, but a singleton is one entity."],
  ],
  [[singleton(User, { name: "Users", get })], ['The entity set of User and a singleton have the name "Users".']],
  [
    [singleton(User, { name: "users", from: users, key })],
    ['The entity set of User and a singleton have names that differ only in case, "Users" and "users".'],
  ],
  [
    [singleton(User, { name: "Me", get }), singleton(User, { name: "Me", from: users, key })],
    ['The name "Me" is taken twice, both times by a singleton.'],
  ],
])("declarations %#", (singletons, expected) => {
  const faults = faultsOf(singletons);
  for (const message of expected) {
    expect(faults).toContainEqual(typeof message === "string" ? message : expect.stringMatching(message));
  }
  if (expected.length === 0) expect(faults).toEqual([]);
});

test("a singleton and an unbound operation have different names", () => {
  const functions = { Me: fn({ returns: edm.int32(), handler: () => 1 }) };
  expect(faultsOf([singleton(User, { name: "Me", get })], { functions })).toEqual([
    'A singleton and the unbound function `Me` have the name "Me".',
  ]);
});

test("only a single-valued navigation leads to a singleton", () => {
  const from = entitySet(Order, {
    getAll: () => [],
    navigation: {
      one: hasOptional(User, { target: "Me", get }),
      many: hasMany(User, { target: "Me", get: () => [] }),
    },
  });
  expect(faultsOf([singleton(User, { name: "Me", get })], { entitySets: [users, from] })).toEqual([
    '`many` leads to many entities, but its target "Me" is a singleton.',
  ]);
});

test("a singleton that is listed twice exists once", () => {
  const me = singleton(User, { name: "Me", from: users, key });
  expect(faultsOf([me, me])).toEqual([]);
});
