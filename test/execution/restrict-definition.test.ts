import {
  allRows,
  arraySource,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  noRows,
  odataError,
  type EntityOf,
  type EntitySet,
  type Principal,
  type RowPredicate,
} from "odatakit";
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/definition/context.ts";
import type { ServiceDefinition } from "../../src/definition/service-definition.ts";
import type { CollectionQuery } from "../../src/definition/sets/handlers.ts";
import { resolveSources } from "../../src/execution/resolve-sources.ts";
import { restrictDefinition } from "../../src/execution/restrict-definition.ts";
import { conditionOf, restrictionOf } from "../../src/execution/row-restriction.ts";
import { trustedContext } from "../../src/execution/trusted-context.ts";
import { findEntity, isVisible, visibleEntities, visibleOfType } from "../../src/execution/visible-entities.ts";
import type { QueryableSource } from "../../src/query/source.ts";
import { declare, requestOf, setOf } from "./guarded-service.ts";

const Owner = entityType("Owner", { id: edm.int32().key(), team: edm.string().nullable() });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  made: edm.dateTimeOffset().nullable(),
  ownerId: edm.int32().nullable(),
  level: edm.int32(),
  hash: edm.string().nullable().computed(),
  secret: edm.string().nullable().ignored(),
});
type Thing = EntityOf<typeof Thing>;

const OWNERS = [
  { id: 1, team: "red" },
  { id: 2, team: "blue" },
];
const THINGS: readonly Thing[] = [
  { id: 10, made: null, ownerId: 1, level: 1, hash: "a", secret: "x" },
  { id: 11, made: null, ownerId: 2, level: 1, hash: "b", secret: "y" },
  { id: 12, made: null, ownerId: null, level: 2, hash: "c", secret: "x" },
  { id: 13, made: null, ownerId: 1, level: 3, hash: null, secret: "x" },
];

/** What rules ask of the row of a thing. */
interface ThingRow {
  readonly level: { eq(value: number): RowPredicate; le(value: number): RowPredicate };
  readonly ownerId: { eq(value: number): RowPredicate; isNull(): RowPredicate };
  readonly hash: { eq(value: string): RowPredicate };
  readonly secret: { eq(value: string): RowPredicate };
  readonly owner: { readonly team: { eq(value: string): RowPredicate } };
}
type Rule = (user: Principal, row: ThingRow) => RowPredicate;

// Options are put together here, so that their types are not known to the compiler.
const make = entitySet as unknown as (type: unknown, options: object) => EntitySet;

function things(rule: Rule | null, handlers: object = {}): EntitySet {
  return make(Thing, {
    queryable: () => arraySource(Thing, THINGS),
    getByKey: (key: number) => THINGS.find(({ id }) => id === key) ?? null,
    navigation: { owner: hasOptional(Owner, { on: { ownerId: "id" }, target: "Owners" }) },
    ...(rule === null ? {} : { authorization: { rows: rule } }),
    ...handlers,
  });
}

function owners(options: object = {}): EntitySet {
  return make(Owner, {
    queryable: () => arraySource(Owner, OWNERS),
    getByKey: (key: number) => OWNERS.find(({ id }) => id === key) ?? null,
    navigation: { things: hasMany(Thing, { on: { id: "ownerId" }, target: "Things" }) },
    ...options,
  });
}

const ofLevelOne: Rule = (_user, { level }) => level.eq(1);
const ofRed: Rule = (_user, { owner }) => owner.team.eq("red");
const USER: Principal = { id: "u" };

function guard(...sets: readonly EntitySet[]): { readonly service: ServiceDefinition; readonly context: Context } {
  const service = restrictDefinition(declare(...sets));
  return { service, context: requestOf(service, USER) };
}

function idsOf(entities: Iterable<unknown>): readonly number[] {
  return Array.from(entities, (entity) => (entity as Thing).id);
}

describe("a service", () => {
  test("without rules stays what it is", () => {
    const declared = declare(things(null), owners());
    expect(restrictDefinition(declared)).toBe(declared);
    const context = requestOf(declared, USER);
    expect(trustedContext(context)).toBe(context);
  });

  test("keeps the handlers of sets that no rule is about", () => {
    const declared = declare(things(ofLevelOne), owners());
    const restricted = restrictDefinition(declared);
    expect(setOf(restricted, "Owners").handlers).toEqual(setOf(declared, "Owners").handlers);
    expect(setOf(restricted, "Owners").handlers.getByKey).toBe(setOf(declared, "Owners").handlers.getByKey);
    expect(setOf(restricted, "Owners").restriction).toBeUndefined();
    expect(setOf(restricted, "Things").restriction).toBeTypeOf("function");
  });

  test("keeps handlers that obey the rules by themselves", () => {
    const obedient = Object.assign(() => null, { obeysRestriction: true });
    const handlers = { create: obedient, replace: obedient, patch: obedient, delete: obedient };
    const { service } = guard(things(ofLevelOne, handlers), owners());
    expect(setOf(service, "Things").handlers).toMatchObject(handlers);
  });

  test("tells what each handler stands for", () => {
    const declared = declare(things(ofLevelOne, { delete: () => true }), owners());
    const { handlers } = setOf(restrictDefinition(declared), "Things");
    for (const name of ["queryable", "getByKey", "delete"] as const) {
      expect(Reflect.get(handlers[name] ?? {}, "wrapped")).toBe(setOf(declared, "Things").handlers[name]);
    }
  });
});

describe("a rule", () => {
  test("is asked once by a request, and again by the next", () => {
    let asked = 0;
    const { service, context } = guard(
      things(() => {
        asked += 1;
        return noRows;
      }),
      owners(),
    );
    const set = setOf(service, "Things");
    expect(conditionOf(set, context)).toBe("none");
    expect(conditionOf(set, trustedContext(context))).toBe("none");
    expect(restrictionOf(set, context)).toBe(restrictionOf(set, context));
    expect(asked).toBe(1);
    conditionOf(set, requestOf(service, USER));
    expect(asked).toBe(2);
  });

  test("that throws does so each time", () => {
    let asked = 0;
    const { service, context } = guard(
      things(() => {
        asked += 1;
        throw odataError(429, "TooMany", "Later.");
      }),
      owners(),
    );
    expect(() => conditionOf(setOf(service, "Things"), context)).toThrow("Later.");
    expect(() => conditionOf(setOf(service, "Things"), context)).toThrow("Later.");
    expect(() => setOf(service, "Things").handlers.getByKey?.(10, context)).toThrow("Later.");
    expect(asked).toBe(1);
  });

  test("that says the same of all users is one filter", () => {
    const { service, context } = guard(things(ofRed), owners());
    const set = setOf(service, "Things");
    const [one, other] = [restrictionOf(set, context), restrictionOf(set, requestOf(service, { id: "v" }))];
    if (one === null || other === null || "then" in one || "then" in other) throw new Error("There is no restriction.");
    expect(one).not.toBe(other);
    expect(one.filter).toBe(other.filter);
    expect(one.values).toEqual(["red"]);
    expect([...one.sources.keys()].map(({ name }) => name)).toEqual(["Owners"]);
  });

  test("is not called for somebody unknown, who sees nothing", () => {
    const { service } = guard(
      things(() => {
        throw new Error("asked");
      }),
      owners(),
    );
    expect(conditionOf(setOf(service, "Things"), requestOf(service, null))).toBe("none");
  });
});

describe("the trusted context", () => {
  test("is one of each request, and shows all rows", () => {
    const { context, service } = guard(things(ofLevelOne), owners());
    const trusted = trustedContext(context);
    expect(trustedContext(context)).toBe(trusted);
    expect(trustedContext(trusted)).toBe(trusted);
    expect(trusted).toMatchObject({ user: USER, request: context.request, transaction: undefined });
    expect(trusted.signal).toBe(context.signal);
    const { entitySet: set } = setOf(service, "Things");
    expect(visibleEntities(set, THINGS, trusted)).toBe(THINGS);
    expect(visibleEntities(set, THINGS, context)).not.toBe(THINGS);
  });

  test("a `queryable` handler is called once for both contexts of a request, with what the request brought", () => {
    const given: Context[] = [];
    const queryable = (context: Context) => {
      given.push(context);
      return arraySource(Thing, THINGS);
    };
    const { context, service } = guard(things(ofLevelOne, { queryable }), owners());
    const { entitySet: set } = setOf(service, "Things");
    const read = (from: Context): readonly number[] => {
      const sources = resolveSources([set], from);
      if ("then" in sources) throw new Error("No handler needs a promise.");
      return idsOf(sources.get(set)?.entities?.() ?? []);
    };
    expect(read(trustedContext(context))).toEqual([10, 11, 12, 13]);
    expect(read(context)).toEqual([10, 11]);
    expect(given).toEqual([context]);
    expect(given[0]).toBe(context);
  });

  test("a path of a rule sees what the rule of its own set hides", async () => {
    const { context, service } = guard(things(ofRed), owners({ authorization: { rows: () => noRows } }));
    const { entitySet: set } = setOf(service, "Things");
    expect(idsOf(await visibleEntities(set, THINGS, context))).toEqual([10, 13]);
    expect([...(await visibleEntities(setOf(service, "Owners").entitySet, OWNERS, context))]).toEqual([]);
  });
});

describe("visible entities", () => {
  test("are the same list where all are seen, and looked at no further than they are read", () => {
    const all = guard(
      things(() => allRows),
      owners(),
    );
    expect(visibleEntities(setOf(all.service, "Things").entitySet, THINGS, all.context)).toBe(THINGS);
    const { context, service } = guard(things(ofLevelOne), owners());
    let read = 0;
    const endless = {
      *[Symbol.iterator]() {
        for (;;) {
          read += 1;
          yield THINGS[read % THINGS.length];
        }
      },
    };
    const seen = visibleEntities(setOf(service, "Things").entitySet, endless, context) as Iterable<Thing>;
    for (const { id } of seen) {
      expect(id).toBe(11);
      break;
    }
    expect(read).toBe(1);
  });

  test("pass on what is no entity, for others to refuse", () => {
    const { context, service } = guard(things(ofLevelOne), owners());
    const { entitySet: set } = setOf(service, "Things");
    expect([...(visibleEntities(set, [null, 5, THINGS[2], THINGS[0]], context) as Iterable<unknown>)]).toEqual([
      null,
      5,
      THINGS[0],
    ]);
    expect(isVisible(set, THINGS[0], context)).toBe(true);
    expect(isVisible(set, THINGS[2], context)).toBe(false);
  });

  test("load nothing for what is hidden by itself", async () => {
    const asked: unknown[] = [];
    const owner = hasOptional(Owner, {
      target: "Owners",
      getBatch: (keys) => {
        asked.push(...keys);
        return new Map(keys.map((key) => [key, { id: 1, team: "red" }] as const));
      },
    });
    const rule: Rule = (_user, { owner: of, level }) => of.team.eq("red").and(level.le(2));
    const { context, service } = guard(things(rule, { navigation: { owner } }), owners());
    expect(idsOf(await visibleEntities(setOf(service, "Things").entitySet, THINGS, context))).toEqual([10, 11, 12]);
    expect(asked).toEqual([10, 11, 12]);
  });

  test("of a type must be shown by every set that keeps it back", () => {
    const twins = [
      make(Thing, { name: "Small", getAll: () => THINGS, authorization: { rows: ofLevelOne } }),
      make(Thing, {
        name: "Mine",
        getAll: () => THINGS,
        authorization: { rows: ((_user, { ownerId }) => ownerId.eq(1)) as Rule },
      }),
      make(Thing, { name: "Open", getAll: () => THINGS }),
    ];
    const { context, service } = guard(...twins);
    const { entityType: type } = setOf(service, "Open").entitySet;
    expect(idsOf(visibleOfType(type, THINGS, context) as Iterable<unknown>)).toEqual([10]);
    expect(visibleOfType(type, THINGS, trustedContext(context))).toBe(THINGS);
    expect(visibleEntities(setOf(service, "Open").entitySet, THINGS, context)).toBe(THINGS);
  });
});

describe("an entity that is found", () => {
  test("is whole, in canonical form, with ignored members as they are", async () => {
    const stored = { id: 10, made: new Date(0), level: 1, secret: "x" };
    const { context, service } = guard(things(ofLevelOne, { getByKey: () => Promise.resolve(stored) }), owners());
    expect(await findEntity(setOf(service, "Things").entitySet, 10, context)).toEqual({
      id: 10,
      made: "1970-01-01T00:00:00.000Z",
      ownerId: null,
      level: 1,
      hash: null,
      secret: "x",
    });
  });

  test("is none where it is hidden, or missing", () => {
    const { context, service } = guard(things(ofLevelOne), owners());
    const { entitySet: set } = setOf(service, "Things");
    expect(findEntity(set, 12, context)).toBeNull();
    expect(findEntity(set, 99, context)).toBeNull();
    expect(findEntity(set, 12, trustedContext(context))).toMatchObject({ id: 12 });
  });

  test("holds no value of another type", () => {
    const { context, service } = guard(
      things(ofLevelOne, { getByKey: () => ({ id: 10, level: 1, made: 5 }) }),
      owners(),
    );
    expect(() => findEntity(setOf(service, "Things").entitySet, 10, context)).toThrow(TypeError);
  });
});

describe("sources", () => {
  test("that can keep nothing back show nothing", () => {
    const source: QueryableSource = { kind: "EntitySource", read: () => ({ entities: THINGS }) };
    const { context, service } = guard(things(ofLevelOne, { queryable: () => source }), owners());
    expect(() => setOf(service, "Things").handlers.queryable?.(context)).toThrow("cannot keep rows back");
  });

  test("of a database are asked to keep rows back, and tell at startup what they join", () => {
    const rows: QueryableSource = {
      kind: "EntitySource",
      read: () => ({ entities: [] }),
      relational: {
        joins: (other) => other === rows,
        readRow: () => null,
        readRelated: () => ({ rowShape: { columns: new Map() }, related: [] }),
      },
      restrict: ({ values }) => ({ kind: "EntitySource", read: () => ({ entities: [...values] }) }),
    };
    const queryable = Object.assign(() => rows, { source: rows });
    const { context, service } = guard(
      things((_user, { level }) => level.eq(7), { queryable }),
      owners(),
    );
    const { handlers } = setOf(service, "Things");
    const source = handlers.queryable?.source;
    expect(source?.relational?.joins(rows)).toBe(true);
    expect(() => source?.read({} as never)).toThrow("made for each request");
    expect(() => source?.relational?.readRelated({} as never)).toThrow("made for each request");
    const restricted = handlers.queryable?.(context) as QueryableSource;
    expect(restricted.read({} as never)).toEqual({ entities: [7] });
    // The rule goes where the database cannot.
    const far = guard(things(ofRed, { queryable }), owners());
    expect(() => setOf(far.service, "Things").handlers.queryable?.(far.context)).toThrow("cannot join");
  });
});

describe("applyQuery", () => {
  const query: CollectionQuery = {
    filter: null,
    orderBy: [],
    select: null,
    expand: null,
    search: null,
    skip: 0,
    top: undefined,
    count: true,
    pageSize: null,
  };

  function applied(
    rule: Rule,
    given: CollectionQuery = query,
  ): { readonly got: CollectionQuery | null; readonly answer: unknown } {
    let got: CollectionQuery | null = null;
    const applyQuery = (asked: CollectionQuery) => {
      got = asked;
      return { items: THINGS };
    };
    const { context, service } = guard(things(rule, { queryable: undefined, applyQuery }), owners());
    return {
      answer: setOf(service, "Things").handlers.applyQuery?.(given, context),
      get got() {
        return got;
      },
    };
  }

  test("gets the rule as a part of the filter, with its values in place", () => {
    const { got } = applied((_user, { level }) => level.eq(7));
    expect(got?.filter?.expression).toMatchObject({
      kind: "comparison",
      left: { kind: "property", property: { field: "level" } },
      right: { kind: "literal", value: 7 },
    });
    const filter = {
      expression: { kind: "literal", value: true, type: { kind: "PrimitiveType", name: "Edm.Boolean" } },
    };
    const both = applied((_user, { level }) => level.eq(7), { ...query, filter: filter as never });
    expect(both.got?.filter?.expression).toMatchObject({
      kind: "logical",
      operator: "and",
      operands: [{ kind: "comparison" }, { kind: "literal", value: true }],
    });
  });

  test("gets the query as it is where the user sees all, and none where the user sees nothing", () => {
    expect(applied(() => allRows).got).toEqual(query);
    const { got, answer } = applied(() => noRows);
    expect(got).toBeNull();
    expect(answer).toEqual({ items: [], count: 0 });
  });
});

describe("writes of handlers of the application", () => {
  function writable(rule: Rule, more: object = {}) {
    const calls: unknown[][] = [];
    const note =
      (name: string, answer: unknown) =>
      (...given: readonly unknown[]): unknown => {
        calls.push([name, ...given.slice(0, -1)]);
        return answer;
      };
    const { context, service } = guard(
      things(rule, { replace: note("replace", {}), patch: note("patch", {}), delete: note("delete", true), ...more }),
      owners(),
    );
    return { calls, context, handlers: setOf(service, "Things").handlers, note };
  }

  test("a hidden entity is not there", async () => {
    const { handlers, calls, context } = writable(ofLevelOne, { create: () => null });
    for (const key of [12, 99]) {
      expect(await handlers.replace?.(key, { id: key, level: 1 }, context)).toBeNull();
      expect(await handlers.patch?.(key, { level: 1 }, context)).toBeNull();
      expect(await handlers.delete?.(key, context)).toBe(false);
    }
    expect(calls).toEqual([]);
    expect(await handlers.delete?.(10, context)).toBe(true);
    expect(calls).toEqual([["delete", 10]]);
  });

  test("a handler that replaces and creates meets what is missing, but nothing that is hidden", () => {
    const { handlers, calls, context } = writable(ofLevelOne);
    expect(() => handlers.replace?.(12, { id: 12, level: 1 }, context)).toThrow("has this key already");
    handlers.replace?.(99, { id: 99, level: 1 }, context);
    expect(calls).toEqual([["replace", 99, { id: 99, level: 1 }]]);
    expect(() => handlers.replace?.(99, { id: 99, level: 2 }, context)).toThrow("could not see it afterwards");
  });

  test("such a handler is not called for who sees nothing, and no key that is taken tells of anything", () => {
    const { handlers, calls, context } = writable(() => noRows);
    for (const key of [12, 99]) {
      const replace = (by: Context) => () => handlers.replace?.(key, { id: key, level: 1 }, by);
      expect(replace(context)).toThrow("could not see it afterwards");
      expect(replace({ ...context, user: null })).toThrow("It takes a user to write entities of Things");
    }
    expect(calls).toEqual([]);
  });

  test("what the server fills in, and what is not loaded, is left to the handler", () => {
    const computed = writable((_user, { hash }) => hash.eq("a"));
    computed.handlers.patch?.(10, { level: 5 }, computed.context);
    expect(computed.calls).toEqual([["patch", 10, { level: 5 }]]);
    const ignored = writable((_user, { secret, level }) => secret.eq("x").and(level.le(3)));
    ignored.handlers.patch?.(10, { level: 2 }, ignored.context);
    expect(() => ignored.handlers.patch?.(10, { level: 5 }, ignored.context)).toThrow("could not see it afterwards");
    expect(ignored.calls).toHaveLength(1);
  });

  test("an entity of a class is known by what it gives", () => {
    class Stored {
      readonly id = 10;
      readonly level = 1;
      readonly #ownerId = 5;

      get ownerId(): number {
        return this.#ownerId;
      }
    }
    const { handlers, calls, context } = writable((_user, { level, ownerId }) => level.eq(1).or(ownerId.eq(6)), {
      getByKey: () => new Stored(),
    });
    expect(() => handlers.patch?.(10, { level: 2 }, context)).toThrow("could not see it afterwards");
    handlers.patch?.(10, { ownerId: 6 }, context);
    expect(calls).toEqual([["patch", 10, { ownerId: 6 }]]);
  });

  test("what a handler leaves out is null", () => {
    const { handlers, calls, context } = writable((_user, { level, ownerId }) => level.eq(1).or(ownerId.eq(6)), {
      getByKey: () => ({ id: 10, level: 1 }),
    });
    expect(() => handlers.patch?.(10, { level: 2 }, context)).toThrow("could not see it afterwards");
    expect(calls).toEqual([]);
  });

  test("a change of what a join goes by is judged by where it leads then", () => {
    const { handlers, calls, context } = writable(ofRed);
    expect(() => handlers.patch?.(10, { ownerId: 2 }, context)).toThrow("could not see it afterwards");
    expect(() => handlers.patch?.(10, { ownerId: null }, context)).toThrow("could not see it afterwards");
    handlers.patch?.(10, { level: 9 }, context);
    expect(calls).toEqual([["patch", 10, { level: 9 }]]);
  });

  test("a handler of keys that answers an error for what is missing creates all the same", () => {
    const created: unknown[] = [];
    const { handlers, context } = writable(ofLevelOne, {
      create: (entity: unknown) => created.push(entity),
      getByKey: (key: number) =>
        THINGS.find(({ id }) => id === key) ?? odataError(404, "NoSuchThing", "There is no such thing."),
    });
    handlers.create?.({ id: 99, level: 1 }, context);
    expect(created).toEqual([{ id: 99, level: 1 }]);
    expect(() => handlers.create?.({ id: 12, level: 1 }, context)).toThrow("has this key already");
    expect(() => handlers.create?.({ id: 98, level: 2 }, context)).toThrow("could not see it afterwards");
  });
});

describe("batches along a navigation", () => {
  test("keep their keys, their errors, and what is seen of each", async () => {
    const failure = odataError(400, "Broken", "No.");
    const batch = new Map<number, unknown>([
      [1, THINGS.slice(0, 3)],
      [2, failure],
    ]);
    const navigation = { things: hasMany(Thing, { target: "Things", getBatch: () => batch as never }) };
    const { context, service } = guard(things(ofLevelOne), owners({ navigation }));
    const { getBatch } = setOf(service, "Owners").navigationHandlers.get("Things") ?? {};
    const seen = (await getBatch?.([1, 2], context)) as ReadonlyMap<unknown, unknown>;
    expect([...seen]).toEqual([
      [1, THINGS.slice(0, 2)],
      [2, failure],
    ]);
  });
});
