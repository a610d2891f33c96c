import {
  allRows,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  inherit,
  odataService,
} from "odatakit";
import { describe, expect, test } from "vitest";

const Order = entityType("Order", { id: edm.int32().key(), region: edm.string().computed() });
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32() });

const reads = { getAll: () => [], getByKey: () => null };
const rows = (user: { readonly id?: string }, row: { readonly region: { eq(value: string): typeof allRows } }) =>
  row.region.eq(user.id ?? "");
const order = hasRequired<typeof Line, typeof Order>(Order, { on: { orderId: "id" }, target: "Orders" });

/** Starts a service. Its declarations are faulty, so the compiler does not know them. */
function start(orders: object, lines: object, logger?: object): readonly unknown[] {
  try {
    const entitySets = [
      entitySet(Order, { ...reads, ...orders }),
      entitySet(Line, { ...reads, navigation: { order }, ...lines }),
    ];
    odataService({ entitySets, ...(logger === undefined ? {} : { logger: logger as never }) });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

describe("an inherited row rule", () => {
  const guarded = { authorization: { rows } };
  const inherits = (field: string) => ({ authorization: { rows: inherit(field) } });
  const route = { set: "Lines", route: "/Lines({key})/Order", method: "GET" };
  const from = "`authorization.rows` inherits along `order`";

  test("follows a required navigation to a set with a rule", () => {
    expect(start(guarded, inherits("order"))).toEqual([]);
  });

  test("needs a navigation", () => {
    expect(start(guarded, inherits("ordr"))).toEqual([
      {
        set: "Lines",
        message: "`authorization.rows` inherits along `ordr`, which is no navigation of Lines.",
        fix: "Did you mean `order`?",
      },
    ]);
  });

  test.each([
    ["several entities", hasMany(Order, { on: { orderId: "id" }, target: "Orders" })],
    ["no entity where its foreign key is null", hasOptional(Order, { on: { orderId: "id" }, target: "Orders" })],
  ] as const)("cannot follow a navigation to %s", (leads, navigation) => {
    const options = { ...inherits("order"), navigation: { order: navigation } };
    expect(start(guarded, options)).toContainEqual({
      ...route,
      message: `${from}, which leads to ${leads}.`,
      fix: "Name a navigation of `hasRequired`, or give a function that returns a condition.",
    });
  });

  test("needs the target of the navigation", () => {
    const options = { ...inherits("order"), navigation: { order: hasRequired(Order, { on: { orderId: "id" } }) } };
    expect(start({}, options)).toEqual([
      { ...route, message: `${from}, which names no \`target\`.`, fix: "Give `target`: the set with the rule." },
    ]);
    const unknown = { ...inherits("order"), navigation: { order: hasRequired(Order, { target: "Ordres" }) } };
    expect(start({}, unknown)).toEqual([expect.objectContaining({ message: expect.stringContaining("Ordres") })]);
  });

  test("needs a rule of the target", () => {
    expect(start({}, inherits("order"))).toEqual([
      {
        ...route,
        message: `${from}, but Orders has no \`rows\`.`,
        fix: "Give `authorization.rows` of Orders, or remove `inherit`.",
      },
    ]);
  });

  test("is no rule that inherits from itself", () => {
    const first = hasRequired<typeof Order, typeof Line>(Line, { target: "Lines", on: { id: "id" } });
    const orders = { navigation: { first }, authorization: { rows: inherit("first") } };
    const fix = "Give one of them a function that returns a condition.";
    expect(start(orders, inherits("order"))).toEqual([
      {
        set: "Orders",
        route: "/Orders({key})/First",
        method: "GET",
        message: "`authorization.rows` inherits along `first`, and so from itself: Orders, Lines, Orders.",
        fix,
      },
      { ...route, message: `${from}, and so from itself: Lines, Orders, Lines.`, fix },
    ]);
    const self = hasRequired<typeof Order, typeof Order>(Order, { target: "Orders", on: { id: "id" } });
    const own = { navigation: { self }, authorization: { rows: inherit("self") } };
    // Lines lead to the cycle, but are not part of it.
    expect(start(own, inherits("order"))).toEqual([
      {
        set: "Orders",
        route: "/Orders({key})/Self",
        method: "GET",
        message: "`authorization.rows` inherits along `self`, and so from itself: Orders, Orders.",
        fix,
      },
    ]);
  });

  test("is the result of `inherit`", () => {
    for (const wrong of [{ kind: "InheritedRows", navigation: 5 }, { kind: "InheritedRows" }, "order"]) {
      expect(start(guarded, { authorization: { rows: wrong } })).toEqual([
        {
          set: "Lines",
          message: expect.stringContaining("`authorization.rows` is "),
          fix: "Give a function that returns a condition: (user, row) => row.ownerId.eq(user.id).",
        },
      ]);
    }
  });
});

describe("a warning at startup names sets that are open below a set with a row rule", () => {
  function warningsOf(orders: object, lines: object): readonly unknown[] {
    const logged: unknown[] = [];
    const warn = (message: string, fields: object): void => void logged.push({ message, ...fields });
    expect(start(orders, lines, { error: () => {}, warn, info: () => {} })).toEqual([]);
    return logged;
  }
  const OPEN = {
    code: "open-child",
    set: "Lines",
    navigation: "order",
    message:
      "Each entity of Lines belongs to one of Orders by `order`, but the row rule of Orders does not hide entities of Lines.",
    fix: 'Give `rows: inherit("order")`. If every user may see all rows: `rows: () => allRows`.',
  };

  test("along required navigations", () => {
    expect(warningsOf({ authorization: { rows } }, {})).toEqual([OPEN]);
  });

  test("whatever the form of the rule of the parent", () => {
    type Given = Parameters<typeof rows>;
    const ofAll = (...given: Given) => rows(...given);
    const withDefault = (user: Given[0] = {}, row: Given[1]) => rows(user, row);
    const byArguments = function () {
      return Reflect.apply(rows, null, arguments);
    };
    for (const rule of [ofAll, withDefault, byArguments, ofAll.bind(null), new Proxy(ofAll, {})]) {
      expect(warningsOf({ authorization: { rows: rule } }, {})).toEqual([OPEN]);
    }
  });

  test("but not with their own rule, nor where the parent has no rule, or the same rule for all users", () => {
    const guarded = { authorization: { rows } };
    for (const rule of [inherit("order"), () => allRows]) {
      expect(warningsOf(guarded, { authorization: { rows: rule } })).toEqual([]);
    }
    expect(warningsOf({}, {})).toEqual([]);
    expect(warningsOf({ authorization: { rows: () => allRows } }, {})).toEqual([]);
  });

  test("and along navigations of the parent by its key", () => {
    const Note = entityType("Note", { id: edm.int32().key(), orderId: edm.int32().nullable() });
    const down = (navigation: object): readonly unknown[] => {
      const logged: object[] = [];
      const warn = (message: string, fields: object): void => void logged.push({ message, ...fields });
      odataService({
        logger: { error: () => {}, warn, info: () => {} },
        entitySets: [
          entitySet(Order, { ...reads, authorization: { rows }, navigation: navigation as never }),
          entitySet(Line, reads),
          entitySet(Note, reads),
        ],
      });
      return logged;
    };
    expect(down({ lines: hasMany(Line, { on: { id: "orderId" }, target: "Lines" }) })).toEqual([
      {
        code: "open-child",
        set: "Lines",
        navigation: "lines",
        message:
          "Each entity of Lines belongs to one of Orders by `lines` of Orders, but the row rule of Orders does not hide entities of Lines.",
        fix: 'Declare the way back with `hasRequired`, such as `parent`, and give `rows: inherit("parent")`. If every user may see all rows: `rows: () => allRows`.',
      },
    ]);
    // A note may belong to no order, and other properties do not identify one.
    for (const navigation of [
      hasMany(Note, { on: { id: "orderId" }, target: "Notes" }),
      hasMany(Line, { target: "Lines", get: () => [] }),
      hasMany(Line, { target: "Lines" }),
      hasOptional(Line, { on: { id: "id" }, target: "Lines" }),
    ]) {
      expect(down({ related: navigation })).toEqual([]);
    }
  });

  test("but not along optional navigations, or to the set itself", () => {
    const guarded = { authorization: { rows } };
    const navigation = { order: hasOptional(Order, { get: () => null, target: "Orders" }) };
    expect(warningsOf(guarded, { navigation })).toEqual([]);
    const self = { self: hasRequired(Line, { on: { id: "id" }, target: "Lines" }) };
    expect(warningsOf(guarded, { navigation: self })).toEqual([]);
  });

  test("below a set that inherits its rule, too", () => {
    const Part = entityType("Part", { id: edm.int32().key(), lineId: edm.int32() });
    const logged: object[] = [];
    const warn = (_message: string, fields: object): void => void logged.push(fields);
    odataService({
      logger: { error: () => {}, warn, info: () => {} },
      entitySets: [
        entitySet(Order, { ...reads, authorization: { rows } }),
        entitySet(Line, { ...reads, navigation: { order }, authorization: { rows: inherit("order") } }),
        entitySet(Part, {
          ...reads,
          navigation: { line: hasRequired(Line, { on: { lineId: "id" }, target: "Lines" }) },
        }),
      ],
    });
    expect(logged).toMatchObject([{ code: "open-child", set: "Parts", navigation: "line" }]);
  });
});
