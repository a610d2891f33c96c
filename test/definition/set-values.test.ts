// Statements: docs/guides/authorization.md#warnings
// Statements: docs/reference/writing.md#values-that-the-server-sets
import { Kysely } from "kysely";
import {
  allRows,
  complexType,
  ConfigurationError,
  type ConfigurationFault,
  edm,
  entitySet,
  entityType,
  hasMany,
  now,
  odataService,
  role,
  type RowPredicate,
  type SetFacts,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { comparedWithUser } from "../../src/definition/startup/warn-unset.ts";

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

const METHODS: Readonly<Record<string, unknown>> = {
  rows(user: { id: string }, row: { owner: { eq(value: string): RowPredicate } }) {
    return row.owner.eq(user.id);
  },
};

describe("a row rule compares properties with its user", () => {
  type Rule = (user: { id: string; tenants: string[] }, row: never) => unknown;
  const idOf = (user: { readonly id: string }): string => user.id;
  test.each<readonly [string, readonly string[], unknown]>([
    [
      "a value of the user",
      ["owner"],
      (user: { id: string }, row: { owner: { eq(value: string): RowPredicate } }) => row.owner.eq(user.id),
    ],
    [
      "a list of the user",
      ["tenant"],
      (user: { tenants: string[] }, row: { tenant: { in(value: string[]): RowPredicate } }) =>
        row.tenant.in(user.tenants),
    ],
    [
      "the result of a function",
      ["owner"],
      (user: { id: string }, row: { owner: { eq(value: string): RowPredicate } }) => row.owner.eq(idOf(user)),
    ],
    [
      "a constant of the user",
      ["owner"],
      (user: { id: string }, row: { owner: { eq(value: string): RowPredicate } }) => {
        const { id } = user;
        return row.owner.eq(id);
      },
    ],
    [
      "destructured parameters",
      ["owner"],
      ({ id }: { id: string }, { owner }: { owner: { eq(value: string): RowPredicate } }) => owner.eq(id),
    ],
    [
      "renamed parameters",
      ["owner"],
      ({ id: me }: { id: string }, { owner: of }: { owner: { eq(value: string): RowPredicate } }) => of.eq(me),
    ],
    [
      "one of two conditions",
      ["owner", "tenant"],
      function (
        user: { id: string; tenants: string[] },
        row: { owner: { eq(value: string): RowPredicate }; tenant: { in(value: string[]): RowPredicate } },
      ) {
        return user.id === "admin" ? allRows : row.owner.eq(user.id).or(row.tenant.in(user.tenants));
      },
    ],
    ["a method", ["owner"], METHODS["rows"]],
    ["a literal", [], (_user: unknown, row: { state: { eq(value: string): RowPredicate } }) => row.state.eq("open")],
    [
      "a path to another row",
      [],
      (user: { id: string }, row: { order: { owner: { eq(value: string): RowPredicate } } }) =>
        row.order.owner.eq(user.id),
    ],
    ["no property", [], () => allRows],
    ["a comment", [], (_user: unknown, _row: unknown) => /* _row.owner.eq(_user.id) */ allRows],
    ["native code", [], idOf.bind(null)],
    ["no function", [], undefined],
  ] satisfies ReadonlyArray<readonly [string, readonly string[], Rule | unknown]>)("with %s", (_what, fields, rule) => {
    expect(comparedWithUser(rule)).toEqual(fields);
  });
});

describe("a warning at startup names properties that row rules compare with the user", () => {
  const Line = entityType("Line", { id: edm.int32().key(), owner: edm.string().ignored(), noteId: edm.int32() });
  const rows = (user: { readonly id?: string }, row: { readonly owner: { eq(value: string): RowPredicate } }) =>
    row.owner.eq(user.id ?? "");

  function warningsOf(...entitySets: readonly unknown[]): readonly unknown[] {
    const logged: unknown[] = [];
    const warn = (message: string, fields: object): void => void logged.push({ message, ...fields });
    odataService({ entitySets: entitySets as never, logger: { error: () => {}, warn, info: () => {} } });
    return logged;
  }
  const OWNER = {
    code: "written-claim",
    set: "Notes",
    property: "owner",
    message: "The row rule of Notes compares `owner` with the user, but clients write `owner` themselves.",
    fix: "Let the server set it: `set: { owner: { create: ({ user }) => … } }`. Or state who may write it: `properties: { owner: { create: …, update: … } }`.",
  };

  test("that clients write, and nothing sets", () => {
    const authorization = { rows };
    const set = { owner: { create: ({ user }: SetFacts) => user.id ?? "" } };
    expect(warningsOf(notes({ authorization }))).toEqual([OWNER]);
    expect(warningsOf(notes({ authorization, set }))).toEqual([]);
    expect(warningsOf(entitySet(Note, { getAll: () => [], getByKey: () => null, authorization }))).toEqual([]);
    expect(warningsOf(notes({ authorization: { rows: () => allRows } }))).toEqual([]);
  });

  test("but not where the rules of the property state who may write it", () => {
    const rules = { create: role("admin"), update: role("admin") };
    expect(warningsOf(notes({ authorization: { rows, properties: { owner: rules } } }))).toEqual([]);
    for (const only of [{ create: role("admin") }, { read: role("admin") }]) {
      expect(warningsOf(notes({ patch: () => null, authorization: { rows, properties: { owner: only } } }))).toEqual([
        OWNER,
      ]);
    }
  });

  test("and siblings that have them, without a row rule", () => {
    const authorization = { rows };
    const set = { owner: { create: ({ user }: SetFacts) => user.id ?? "" } };
    const some = notes({
      authorization,
      set,
      navigation: { lines: hasMany(Line, { on: { id: "noteId" }, target: "Lines" }) },
    });
    const lines = (options: object = {}) => entitySet(Line, { getAll: () => [], ...options });
    expect(warningsOf(some, lines())).toEqual([
      {
        code: "open-claim",
        set: "Lines",
        property: "owner",
        message: "Lines has `owner`, which the row rule of Notes compares with the user, but no row rule.",
        fix: "Give `rows`, and `set: { owner: { create: ({ user }) => … } }`. If every user may see all rows: `rows: () => allRows`.",
      },
      expect.objectContaining({ code: "open-child", set: "Lines", navigation: "lines" }),
    ]);
    expect(warningsOf(some, lines({ getByKey: () => null, authorization: { rows: () => allRows } }))).toEqual([]);
  });

  test("but not siblings with the same key", () => {
    const User = entityType("User", { id: edm.string().key() });
    const byId = (user: { readonly id?: string }, row: { readonly id: { eq(value: string): RowPredicate } }) =>
      row.id.eq(user.id ?? "");
    const users = entitySet(User, { getAll: () => [], getByKey: () => null, authorization: { rows: byId } });
    expect(warningsOf(users, entitySet(Line, { getAll: () => [] }))).toEqual([]);
  });
});
