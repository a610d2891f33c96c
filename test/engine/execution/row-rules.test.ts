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
import type { Context } from "../../../src/definition/context.ts";
import type { CollectionQuery } from "../../../src/definition/handlers.ts";
import type { ServiceDefinition } from "../../../src/definition/model/service-definition.ts";
import { entityKeyReader } from "../../../src/engine/entities/entity-key.ts";
import { type Reader, seesEntity } from "../../../src/engine/entities/reader.ts";
import { restrictQuery } from "../../../src/engine/plan/row-rules.ts";
import { askByKey } from "../../../src/engine/reads/ask-by-key.ts";
import { readerOf, ROW_RULES, visibleOfType } from "../../../src/engine/reads/gate.ts";
import { findEntity, getEntity } from "../../../src/engine/reads/read-by-key.ts";
import { resolveSources, restrictionOf } from "../../../src/engine/reads/resolve-sources.ts";
import { conditionFor, conditionOf, conditionsFor, ServiceContext } from "../../../src/engine/rules/row-access.ts";
import { runCreate, runDelete, runPatch, runReplace } from "../../../src/engine/writes/write-entity.ts";
import type { QueryableSource } from "../../../src/language/query/source.ts";
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

/** The operands of rules for things. */
interface ThingRow {
  readonly level: { eq(value: number): RowPredicate; le(value: number): RowPredicate };
  readonly ownerId: { eq(value: number): RowPredicate; isNull(): RowPredicate };
  readonly hash: { eq(value: string): RowPredicate };
  readonly secret: { eq(value: string): RowPredicate };
  readonly owner: { readonly team: { eq(value: string): RowPredicate } };
}
type Rule = (user: Principal, row: ThingRow) => RowPredicate;

// The tests compose options, so the compiler does not know their types.
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
  const service = declare(...sets);
  return { service, context: requestOf(service, USER) };
}

/** Returns a reader to whom no rule applies. */
function trusting(context: Context): Reader {
  return { context, gate: null };
}

type Set = ReturnType<typeof setOf>["entitySet"];

function visibleEntities(set: Set, entities: Iterable<unknown>, { gate, context }: Reader) {
  return gate?.keep(set, entities, context) ?? entities;
}

function sourceOf(set: Set, reader: Reader): QueryableSource {
  const sources = resolveSources([set], reader);
  const source = "then" in sources ? undefined : sources.get(set);
  if (source === undefined) throw new Error("No handler needs a promise.");
  return source;
}

function idsOf(entities: Iterable<unknown>): readonly number[] {
  return Array.from(entities, (entity) => (entity as Thing).id);
}

describe("a service", () => {
  test("without rules checks nothing", () => {
    const declared = declare(things(null), owners());
    expect(declared.rowRules).toBeNull();
    const context = requestOf(declared, USER);
    expect(readerOf(context)).toEqual({ context, gate: null });
  });

  test("gives database writes the rules and foreign keys to check", () => {
    const declared = declare(things(ofLevelOne), owners());
    expect(declared.rowRules).toBe(ROW_RULES);
    expect(setOf(declared, "Owners").guardedReferences).toEqual([]);
    const guarded = declare(things(null), owners({ authorization: { rows: () => noRows } }));
    expect(setOf(guarded, "Things").guardedReferences).toMatchObject([{ target: { name: "Owners" } }]);
  });

  test("calls handlers that check the rules themselves without further checks", async () => {
    const obedient = (): string => "called";
    const handlers = { create: obedient, replace: obedient, patch: obedient, delete: obedient };
    const { service, context } = guard(
      { ...things(() => noRows, handlers), handlersCheckingRows: [obedient] },
      owners(),
    );
    const { entitySet: set } = setOf(service, "Things");
    const reader = readerOf(context);
    expect(await runCreate(set, { id: 12 }, reader)).toBe("called");
    expect(await runReplace(set, 12, { id: 12 }, reader)).toBe("called");
    expect(await runPatch(set, 12, {}, reader)).toBe("called");
    expect(await runDelete(set, 12, reader)).toBe("called");
  });
});

describe("a rule", () => {
  test("is called once per request", () => {
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
    expect(conditionFor(set.entitySet, trusting(context))).toBe("all");
    expect(restrictionOf(set, context)).toBe(restrictionOf(set, context));
    expect(asked).toBe(1);
    conditionOf(set, requestOf(service, USER));
    expect(asked).toBe(2);
  });

  test("that throws is an error each time", () => {
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
    expect(() => getEntity(setOf(service, "Things").entitySet, 10, readerOf(context))).toThrow("Later.");
    expect(asked).toBe(1);
  });

  test("with the same condition for all users is one filter", () => {
    const { service, context } = guard(things(ofRed), owners());
    const set = setOf(service, "Things");
    const [one, other] = [restrictionOf(set, context), restrictionOf(set, requestOf(service, { id: "v" }))];
    if (one === null || other === null || "then" in one || "then" in other) throw new Error("There is no restriction.");
    expect(one).not.toBe(other);
    expect(one.filter).toBe(other.filter);
    expect(one.values).toEqual(["red"]);
    expect([...one.sources.keys()].map(({ name }) => name)).toEqual(["Owners"]);
  });

  test("is not called for anonymous users, who see nothing", () => {
    const { service } = guard(
      things(() => {
        throw new Error("asked");
      }),
      owners(),
    );
    expect(conditionOf(setOf(service, "Things"), requestOf(service, null))).toBe("none");
  });
});

describe("a reader to whom no rule applies", () => {
  test("sees all rows", () => {
    const { context, service } = guard(things(ofLevelOne), owners());
    const { entitySet: set } = setOf(service, "Things");
    expect(visibleEntities(set, THINGS, trusting(context))).toBe(THINGS);
    expect(visibleEntities(set, THINGS, readerOf(context))).not.toBe(THINGS);
    const trusted: Context & { readonly seesAllRows: boolean } = { ...context, seesAllRows: true };
    expect(readerOf(trusted)).toEqual(trusting(trusted));
  });

  test("a `queryable` handler is called once per request, with the context of its set in the request", () => {
    const given: Context[] = [];
    const queryable = (context: Context) => {
      given.push(context);
      return arraySource(Thing, THINGS);
    };
    const { context, service } = guard(things(ofLevelOne, { queryable }), owners());
    const { entitySet: set } = setOf(service, "Things");
    const read = (by: Reader): readonly number[] => idsOf(sourceOf(set, by).entities?.() ?? []);
    expect(read(trusting(context))).toEqual([10, 11, 12, 13]);
    expect(read(readerOf(context))).toEqual([10, 11]);
    expect(given).toHaveLength(1);
    expect(given[0]).toBe(ServiceContext.ofSet(set, context));
    expect(given[0]?.request).toBe(context.request);
  });

  test("a path of a rule sees rows that the rule of their set hides", async () => {
    const { context, service } = guard(things(ofRed), owners({ authorization: { rows: () => noRows } }));
    const { entitySet: set } = setOf(service, "Things");
    expect(idsOf(await visibleEntities(set, THINGS, readerOf(context)))).toEqual([10, 13]);
    expect([...(await visibleEntities(setOf(service, "Owners").entitySet, OWNERS, readerOf(context)))]).toEqual([]);
  });
});

describe("visible entities", () => {
  test("are the same list where all are visible, and are checked only as far as they are read", () => {
    const all = guard(
      things(() => allRows),
      owners(),
    );
    expect(visibleEntities(setOf(all.service, "Things").entitySet, THINGS, readerOf(all.context))).toBe(THINGS);
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
    const seen = visibleEntities(setOf(service, "Things").entitySet, endless, readerOf(context)) as Iterable<Thing>;
    for (const { id } of seen) {
      expect(id).toBe(11);
      break;
    }
    expect(read).toBe(1);
  });

  test("include values that are not entities, which are rejected later", () => {
    const { context, service } = guard(things(ofLevelOne), owners());
    const { entitySet: set } = setOf(service, "Things");
    expect([
      ...(visibleEntities(set, [null, 5, THINGS[2], THINGS[0]], readerOf(context)) as Iterable<unknown>),
    ]).toEqual([null, 5, THINGS[0]]);
    expect(seesEntity(set, THINGS[0], readerOf(context))).toBe(true);
    expect(seesEntity(set, THINGS[2], readerOf(context))).toBe(false);
  });

  test("load nothing for entities that their own properties hide", async () => {
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
    expect(idsOf(await visibleEntities(setOf(service, "Things").entitySet, THINGS, readerOf(context)))).toEqual([
      10, 11, 12,
    ]);
    expect(asked).toEqual([10, 11, 12]);
  });

  test("of a type must be visible in every set of the type with a rule", () => {
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
    expect(idsOf(visibleOfType(type, THINGS, readerOf(context)) as Iterable<unknown>)).toEqual([10]);
    expect(visibleOfType(type, THINGS, trusting(context))).toBe(THINGS);
    expect(visibleEntities(setOf(service, "Open").entitySet, THINGS, readerOf(context))).toBe(THINGS);
  });
});

describe("an entity that is found", () => {
  test("is whole, in canonical form, with ignored members unchanged", async () => {
    const stored = { id: 10, made: new Date(0), level: 1, secret: "x" };
    const { context, service } = guard(things(ofLevelOne, { getByKey: () => Promise.resolve(stored) }), owners());
    expect(await findEntity(setOf(service, "Things").entitySet, 10, readerOf(context))).toEqual({
      id: 10,
      made: "1970-01-01T00:00:00.000Z",
      ownerId: null,
      level: 1,
      hash: null,
      secret: "x",
    });
  });

  test("is null where it is hidden or missing", () => {
    const { context, service } = guard(things(ofLevelOne), owners());
    const { entitySet: set } = setOf(service, "Things");
    expect(findEntity(set, 12, readerOf(context))).toBeNull();
    expect(findEntity(set, 99, readerOf(context))).toBeNull();
    expect(findEntity(set, 12, trusting(context))).toMatchObject({ id: 12 });
  });

  test("contains no value of another type", () => {
    const { context, service } = guard(
      things(ofLevelOne, { getByKey: () => ({ id: 10, level: 1, made: 5 }) }),
      owners(),
    );
    expect(() => findEntity(setOf(service, "Things").entitySet, 10, readerOf(context))).toThrow(TypeError);
  });
});

describe("sources", () => {
  test("that cannot filter rows are an error", () => {
    const source: QueryableSource = { kind: "EntitySource", read: () => ({ entities: THINGS }) };
    const { context, service } = guard(things(ofLevelOne, { queryable: () => source }), owners());
    expect(() => sourceOf(setOf(service, "Things").entitySet, readerOf(context))).toThrow("cannot filter rows");
  });

  test("of a database get the rule as a predicate, and join the sets that the rule uses", () => {
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
    const restricted = sourceOf(setOf(service, "Things").entitySet, readerOf(context));
    expect(restricted.read({} as never)).toEqual({ entities: [7] });
    expect(sourceOf(setOf(service, "Things").entitySet, trusting(context))).toBe(rows);
    // The rule follows a navigation that the database cannot join.
    const far = guard(things(ofRed, { queryable }), owners());
    expect(() => sourceOf(setOf(far.service, "Things").entitySet, readerOf(far.context))).toThrow("cannot join");
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

  function applied(rule: Rule, given: CollectionQuery = query): CollectionQuery | null {
    const { context, service } = guard(
      things(rule, { queryable: undefined, applyQuery: () => ({ items: THINGS }) }),
      owners(),
    );
    return restrictQuery(given, setOf(service, "Things").entitySet, conditionsFor(readerOf(context)), service);
  }

  test("gets the rule as part of the filter, with its values", () => {
    const got = applied((_user, { level }) => level.eq(7));
    expect(got?.filter?.expression).toMatchObject({
      kind: "comparison",
      left: { kind: "property", property: { field: "level" } },
      right: { kind: "literal", value: 7 },
    });
    const filter = {
      expression: { kind: "literal", value: true, type: { kind: "PrimitiveType", name: "Edm.Boolean" } },
    };
    const both = applied((_user, { level }) => level.eq(7), { ...query, filter: filter as never });
    expect(both?.filter?.expression).toMatchObject({
      kind: "logical",
      operator: "and",
      operands: [{ kind: "comparison" }, { kind: "literal", value: true }],
    });
  });

  test("gets the unchanged query where the user sees all, and none where the user sees nothing", () => {
    expect(applied(() => allRows)).toEqual(query);
    expect(applied(() => noRows)).toBeNull();
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
    const { entitySet: set } = setOf(service, "Things");
    const handlers = {
      create: (entity: object, by: Context) => runCreate(set, entity, readerOf(by)),
      replace: (key: unknown, entity: object, by: Context) => runReplace(set, key, entity, readerOf(by)),
      patch: (key: unknown, delta: object, by: Context) => runPatch(set, key, delta, readerOf(by)),
      delete: (key: unknown, by: Context) => runDelete(set, key, readerOf(by)),
    };
    return { calls, context, handlers, note };
  }

  test("a hidden entity is missing", async () => {
    const { handlers, calls, context } = writable(ofLevelOne, { create: () => null });
    for (const key of [12, 99]) {
      expect(await handlers.replace(key, { id: key, level: 1 }, context)).toBeNull();
      expect(await handlers.patch(key, { level: 1 }, context)).toBeNull();
      expect(await handlers.delete(key, context)).toBe(false);
    }
    expect(calls).toEqual([]);
    expect(await handlers.delete(10, context)).toBe(true);
    expect(calls).toEqual([["delete", 10]]);
  });

  test("a replace handler that may create is called for missing entities, but not for hidden ones", () => {
    const { handlers, calls, context } = writable(ofLevelOne);
    expect(() => handlers.replace(12, { id: 12, level: 1 }, context)).toThrow("has this key already");
    handlers.replace(99, { id: 99, level: 1 }, context);
    expect(calls).toEqual([["replace", 99, { id: 99, level: 1 }]]);
    expect(() => handlers.replace(99, { id: 99, level: 2 }, context)).toThrow("could not see it afterwards");
  });

  test("such a handler is not called for users who see nothing, and a taken key reveals nothing", () => {
    const { handlers, calls, context } = writable(() => noRows);
    for (const key of [12, 99]) {
      const replace = (by: Context) => () => handlers.replace(key, { id: key, level: 1 }, by);
      expect(replace(context)).toThrow("could not see it afterwards");
      expect(replace({ ...context, user: null })).toThrow("Authentication is required to write entities of Things");
    }
    expect(calls).toEqual([]);
  });

  test("the handler is responsible for computed properties and for related entities that cannot be loaded", () => {
    const computed = writable((_user, { hash }) => hash.eq("a"));
    computed.handlers.patch(10, { level: 5 }, computed.context);
    expect(computed.calls).toEqual([["patch", 10, { level: 5 }]]);
    const ignored = writable((_user, { secret, level }) => secret.eq("x").and(level.le(3)));
    ignored.handlers.patch(10, { level: 2 }, ignored.context);
    expect(() => ignored.handlers.patch(10, { level: 5 }, ignored.context)).toThrow("could not see it afterwards");
    expect(ignored.calls).toHaveLength(1);
  });

  test("getters of a class count as properties", () => {
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
    expect(() => handlers.patch(10, { level: 2 }, context)).toThrow("could not see it afterwards");
    handlers.patch(10, { ownerId: 6 }, context);
    expect(calls).toEqual([["patch", 10, { ownerId: 6 }]]);
  });

  test("a property that a handler leaves out is null", () => {
    const { handlers, calls, context } = writable((_user, { level, ownerId }) => level.eq(1).or(ownerId.eq(6)), {
      getByKey: () => ({ id: 10, level: 1 }),
    });
    expect(() => handlers.patch(10, { level: 2 }, context)).toThrow("could not see it afterwards");
    expect(calls).toEqual([]);
  });

  test("a changed foreign key is checked by the new related entity", () => {
    const { handlers, calls, context } = writable(ofRed);
    expect(() => handlers.patch(10, { ownerId: 2 }, context)).toThrow("could not see it afterwards");
    expect(() => handlers.patch(10, { ownerId: null }, context)).toThrow("could not see it afterwards");
    handlers.patch(10, { level: 9 }, context);
    expect(calls).toEqual([["patch", 10, { level: 9 }]]);
  });

  test("an entity is created although `getByKey` returns an error for missing entities", async () => {
    const created: unknown[] = [];
    const { handlers, context } = writable(ofLevelOne, {
      create: (entity: unknown) => created.push(entity),
      getByKey: (key: number) =>
        THINGS.find(({ id }) => id === key) ?? odataError(404, "NoSuchThing", "There is no such thing."),
    });
    await handlers.create({ id: 99, level: 1 }, context);
    expect(created).toEqual([{ id: 99, level: 1 }]);
    await expect(handlers.create({ id: 12, level: 1 }, context)).rejects.toThrow("has this key already");
    await expect(handlers.create({ id: 98, level: 2 }, context)).rejects.toThrow("could not see it afterwards");
  });
});

describe("batches along a navigation", () => {
  const failure = odataError(400, "Broken", "No.");
  const HIDDEN = THINGS.slice(2, 3);
  test.each<[string, Map<number, unknown>, unknown]>([
    [
      "keep their keys, and the visible entities of each",
      new Map([[1, THINGS.slice(0, 3)]]),
      [THINGS.slice(0, 2), undefined],
    ],
    [
      "do not show that all entities of a key are hidden",
      new Map([
        [1, HIDDEN],
        [2, THINGS],
      ]),
      [undefined, THINGS.slice(0, 2)],
    ],
    [
      "fail with the error of one key",
      new Map<number, unknown>([
        [1, THINGS],
        [2, failure],
      ]),
      failure,
    ],
  ])("%s", async (_name, batch, expected) => {
    const navigation = { things: hasMany(Thing, { target: "Things", getBatch: () => batch as never }) };
    const { context, service } = guard(things(ofLevelOne), owners({ navigation }));
    const { navigationHandlers, entitySet: parents } = setOf(service, "Owners");
    const { getBatch } = navigationHandlers.get("Things") ?? {};
    const navigationProperty = parents.navigationProperties.get("Things");
    if (getBatch === undefined || navigationProperty === undefined) throw new Error("There is no navigation.");
    const { entityType: type } = parents;
    const asked = OWNERS.map((owner) => ({ key: entityKeyReader(type, undefined)(owner) }));
    const target = setOf(service, "Things").entitySet;
    const along = { entitySet: parents, navigationProperty, target, place: "Owners/Things" };
    const way = { kind: "batch", getBatch } as const;
    const seen = async () => askByKey(way, asked, along, (related) => related, readerOf(context));
    expect(await seen().catch((error: unknown) => error)).toEqual(expected);
  });
});
