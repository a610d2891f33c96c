import { Kysely } from "kysely";
import {
  complexType,
  ConfigurationError,
  type ConfigurationFault,
  edm,
  entitySet,
  entityType,
  now,
  odataService,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";

const Address = complexType("Address", { city: edm.string() });
const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  owner: edm.string(),
  hidden: edm.string().ignored(),
  fixed: edm.string().nullable().immutable(),
  made: edm.string().nullable().databaseDefault(),
  state: edm.string().default("new"),
  count: edm.int32().nullable(),
  tags: edm.collection(edm.string()),
  address: edm.complex(Address).nullable(),
  version: edm.int32().computed(),
});
const handlers = { getByKey: () => null, create: () => null, patch: () => null, replace: () => null };
const text = (): string => "x";

/** JavaScript callers can pass any value. */
const notes = (options: object) => entitySet(Note, { ...handlers, ...options });

function faultsOf(...entitySets: readonly unknown[]): readonly ConfigurationFault[] {
  try {
    odataService({ entitySets: entitySets as never });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

const NULLABLE = "Give `create`, too, or declare the property `.nullable()`.";

describe("set is refused at startup", () => {
  test.each<readonly [string, object, string, string]>([
    [
      "without a property",
      {},
      "`set` names no property.",
      "Give properties, such as { createdAt: { create: now }, updatedAt: { create: now, update: now } }.",
    ],
    [
      "for an unknown property",
      { onwer: { create: text } },
      "`set` names `onwer`, which Note does not have.",
      "Did you mean `owner`?",
    ],
    [
      "for a value that is no object",
      { owner: text },
      "`set.owner` is a function.",
      "Give functions, such as { create: ({ user }) => user.id }.",
    ],
    [
      "without a function",
      { text: {} },
      "`set.text` has neither `create` nor `update`.",
      "Give one of them, or both: a function that returns the value.",
    ],
    [
      "for an unknown function",
      { text: { create: text, updated: text } },
      "`set.text` has no function `updated`.",
      "Did you mean `update`?",
    ],
    [
      "for a value in place of a function",
      { owner: { create: "x" } },
      '`set.owner.create` is "x".',
      "Give a function that returns the value: `({ user }) => user.id`, or `now`.",
    ],
    [
      "for a complex property",
      { address: { create: () => null } },
      "`set` names `address`, which is complex.",
      "Set primitive values, enumeration members, or collections of them.",
    ],
    [
      "for an instant of another type",
      { count: { create: now } },
      "`set` names `count`, with `now`, which makes no Edm.Int32.",
      "Declare an Edm.DateTimeOffset or Edm.Date, or give a function that makes the value of `({ now }) => …`.",
    ],
    [
      "for an instant of a collection",
      { tags: { update: now } },
      "`set` names `tags`, with `now`, which makes no collection.",
      "Declare an Edm.DateTimeOffset or Edm.Date, or give a function that makes the value of `({ now }) => …`.",
    ],
    [
      "for a default of the database",
      { made: { update: text } },
      "`set` names `made`, whose default the database supplies.",
      "Remove `.databaseDefault()`, or the property from `set`.",
    ],
    [
      "for a default that no entity gets",
      { state: { create: text } },
      "`set` names `state`, whose `.default()` no new entity gets.",
      "Remove `.default()`, or `create`.",
    ],
    [
      "for a change of the key",
      { id: { create: () => 1, update: () => 1 } },
      "`set` names `id`, with `update`, but keys never change.",
      "Remove `update`.",
    ],
    [
      "for a change of an immutable property",
      { fixed: { update: text } },
      "`set` names `fixed`, with `update`, but the property is immutable.",
      "Remove `update`, or `.immutable()`.",
    ],
    [
      "for a new entity without a value",
      { owner: { update: text } },
      "`set.owner` has no `create`, but new entities need a value: `owner` is never null.",
      NULLABLE,
    ],
  ])("%s", (_what, set, message, fix) => {
    expect(faultsOf(notes({ set }))).toEqual([{ set: "Notes", message, fix }]);
  });

  test("for a set that nothing writes", () => {
    expect(faultsOf(entitySet(Note, { getAll: () => [], set: { owner: { create: text } } }))).toEqual([
      {
        set: "Notes",
        message: "`set` has no effect: the set has no `create`, `replace` or `patch`.",
        fix: "Remove `set`, or let clients write the set.",
      },
    ]);
  });

  test("for a `replace` handler whose entity cannot be loaded", () => {
    const place = { set: "Notes", route: "/Notes({key})", method: "PUT" };
    const { getByKey: _none, ...others } = handlers;
    expect(faultsOf(entitySet(Note, { ...others, set: { owner: { create: text } } }))).toEqual([
      {
        ...place,
        message:
          "PUT keeps the stored value of `owner`, which `set` names without `update`, but no `getByKey` loads it for `replace`.",
        fix: "Declare getByKey.",
      },
    ]);
    const { create: _no, ...upserting } = { ...others, allowUpsert: true };
    expect(faultsOf(entitySet(Note, { ...upserting, set: { owner: { create: text, update: text } } }))).toEqual([
      {
        ...place,
        message:
          "`replace` creates missing entities, but without `getByKey` the service cannot choose between `create` and `update` of `set`.",
        fix: "Declare getByKey, or a `create` handler.",
      },
    ]);
  });

  test("for two written sets of a type that set different properties", () => {
    const set = { owner: { create: text } };
    const other = (options: object) => entitySet(Note, { name: "Others", getAll: () => [], ...options });
    const message =
      "`set` of Notes names `owner`, but that of Others does not. Both contain Note, and clients cannot write the property.";
    const fix = "Name `owner` in both, or declare a type for each set.";
    expect(faultsOf(notes({ set }), other({ patch: () => null }))).toEqual([{ set: "Others", message, fix }]);
    expect(faultsOf(other({ patch: () => null }), notes({ set }))).toEqual([{ set: "Others", message, fix }]);
    const more = { ...set, hidden: { create: text } };
    expect(faultsOf(notes({ set }), other({ ...handlers, set: more }))).toEqual([
      {
        set: "Others",
        message:
          "`set` of Others names `hidden`, but that of Notes does not. Both contain Note, and clients cannot write the property.",
        fix: "Name `hidden` in both, or declare a type for each set.",
      },
    ]);
    expect(faultsOf(notes({ set }), other({}))).toEqual([]);
    expect(faultsOf(notes({ set }), other({ ...handlers, set: { owner: { create: text, update: text } } }))).toEqual(
      [],
    );
  });

  test("for columns that statements cannot write", async () => {
    const db = new Kysely<object>({ dialect: sqliteDialect(":memory:") });
    const table = { db, table: "notes", operations: ["create"] } as const;
    const Counted = entityType("Counted", {
      id: edm.int32().key(),
      a: edm.string(),
      b: edm.string().ignored(),
      version: edm.int32().computed(),
    });
    const set = { a: { create: text } };
    expect(faultsOf(sqlEntitySet(Counted, { ...table, set, columns: { a: { sql: "upper(b)" } } }))).toEqual([
      { set: "Counteds", message: "`set` names `a`, which is an SQL expression.", fix: "Remove it from `set`." },
    ]);
    expect(
      faultsOf(sqlEntitySet(Counted, { ...table, rowVersion: "version", set: { version: { create: () => 1 } } })),
    ).toEqual([
      {
        set: "Counteds",
        message: "`set` names `version`, whose values `rowVersion` counts.",
        fix: "Remove it from one of them.",
      },
    ]);
    expect(faultsOf(sqlEntitySet(Counted, { ...table, set: { b: { create: text } }, columns: { b: "a" } }))).toEqual([
      {
        set: "Counteds",
        message: "`a` and `b` are written to the same column, `a`: one value would replace the other.",
        fix: "Declare all but one as `.computed()`, or give each its own column in `columns`. Sets that only read may share columns.",
      },
    ]);
    await db.destroy();
  });
});
