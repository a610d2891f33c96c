import {
  applyDelta,
  type BodyOf,
  type DeltaOf,
  edm,
  entitySet,
  entityType,
  type EntityOf,
  enumType,
  fn,
  hasMany,
  odataError,
  odataService,
  requireUser,
  singleton,
  type User as Principal,
} from "odatakit";
import { expectTypeOf, test } from "vitest";

const Theme = enumType("Theme", { Light: 0, Dark: 1 });
const Order = entityType("Order", { id: edm.int32().key(), userId: edm.int64() });
const User = entityType("User", {
  id: edm.int64().key(),
  name: edm.string(),
  theme: edm.enum(Theme),
  version: edm.int32().computed(),
});
const users = entitySet(User, { getByKey: () => null });
const orders = entitySet(Order, { getAll: () => [] });

declare const found: EntityOf<typeof User>;

test("a singleton over a set has the key of the set", () => {
  singleton(User, {
    name: "Me",
    from: users,
    key: (ctx) => {
      expectTypeOf(ctx.user).toEqualTypeOf<Principal | null>();
      return BigInt(requireUser(ctx).id ?? 0);
    },
  });
  singleton(User, { name: "Me", from: users, key: async () => null });
  singleton(User, { name: "Me", from: users, key: () => undefined });
  singleton(User, { name: "Me", from: users, key: () => odataError(404, "None", "None.") });
  // @ts-expect-error -- the key is a bigint
  singleton(User, { name: "Me", from: users, key: () => "1" });
  // @ts-expect-error -- the user may be null
  singleton(User, { name: "Me", from: users, key: (ctx) => BigInt(ctx.user.id ?? 0) });
  // @ts-expect-error -- the set contains entities of another type
  singleton(User, { name: "Me", from: orders, key: () => 1n });
  // @ts-expect-error -- the key is missing
  singleton(User, { name: "Me", from: users });
  // @ts-expect-error -- handlers belong to the set
  singleton(User, { name: "Me", from: users, key: () => 1n, get: () => found });
});

test("a singleton with handlers infers their parameters and checks their results", () => {
  const me = singleton(User, {
    name: "Me",
    get: (ctx) => {
      expectTypeOf(ctx.user).toEqualTypeOf<Principal | null>();
      return { id: 1n, name: "Ann", theme: "Dark", version: 1 };
    },
    patch: (delta, ctx) => {
      expectTypeOf(delta).toEqualTypeOf<DeltaOf<typeof User>>();
      expectTypeOf(ctx.user).toEqualTypeOf<Principal | null>();
      return applyDelta(User, found, delta);
    },
    replace: async (body) => {
      expectTypeOf(body).toEqualTypeOf<BodyOf<typeof User>>();
      return { ...body, version: 1 };
    },
    etag: ["version"],
    selectProperties: ["name", "orders"],
    navigation: {
      orders: hasMany(Order, {
        get: (key) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          return [];
        },
      }),
    },
    functions: {
      age: fn(User, {
        bound: "entity",
        returns: edm.int32(),
        handler: (key) => {
          expectTypeOf(key).toEqualTypeOf<bigint>();
          return 1;
        },
      }),
    },
  });
  odataService({ entitySets: [users], singletons: [me] });
  // @ts-expect-error -- a property is missing
  singleton(User, { name: "Me", get: () => ({ id: 1n }) });
  // @ts-expect-error -- the saved entity has a wrong member
  singleton(User, { name: "Me", get: () => found, patch: () => ({ ...found, theme: "Blue" }) });
  // @ts-expect-error -- a handler returns an entity or null
  singleton(User, { name: "Me", get: () => found, patch: () => true });
  // @ts-expect-error -- `get` is missing
  singleton(User, { name: "Me", patch: () => found });
  // @ts-expect-error -- the name is missing
  singleton(User, { get: () => found });
  // @ts-expect-error -- the type has no such property
  singleton(User, { name: "Me", get: () => found, etag: ["age"] });
  // @ts-expect-error -- one entity is not counted
  singleton(User, { name: "Me", get: () => found, maxTop: 5 });
  // @ts-expect-error -- a singleton has no rows
  singleton(User, { name: "Me", get: () => found, authorization: { rows: () => null } });
  // @ts-expect-error -- singletons are made with `singleton`
  odataService({ entitySets: [users], singletons: [{ name: "Me", get: () => found }] });
});
