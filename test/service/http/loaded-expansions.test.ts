import { edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";

/** `$expand` of a navigation without a handler: values that cannot be written are omitted and logged. */

const Line = entityType("Line", { id: edm.int32().key(), text: edm.string(), note: edm.string().nullable() });
const Order = entityType("Order", { id: edm.int32().key() });
const LINE = { id: 7, text: "a" };
const SHOWN = { Id: 7, Text: "a", Note: null };

const QUERIES = ["", "($select=Id,Text)", "($filter=Text eq 'a')", "/$ref"] as const;

/** Returns a value, or the result of the function that makes it anew for each read. */
function made(value: unknown): unknown {
  return typeof value === "function" ? (value as () => unknown)() : value;
}

function service(lines: unknown, main: unknown, guarded: boolean) {
  const warnings: string[] = [];
  const errors: unknown[] = [];
  const order = () =>
    ({
      id: 1,
      lines: made(lines),
      main: made(main),
    }) as never;
  const orders = odataService({
    logger: {
      error: (_message, fields) => errors.push(fields),
      warn: (message) => warnings.push(message),
      info: () => undefined,
    },
    authenticate: () => ({ id: "u", roles: [] }),
    entitySets: [
      entitySet(Line, {
        getAll: () => [],
        getByKey: () => null,
        etag: ["text"],
        ...(guarded ? { authorization: { rows: (_user, row) => row.id.eq(7) } } : {}),
      }),
      entitySet(Order, {
        getAll: () => [order()],
        getByKey: () => order(),
        navigation: { lines: hasMany(Line, { target: "Lines" }), main: hasOptional(Line, { target: "Lines" }) },
      }),
    ],
  });
  return { orders, warnings, errors };
}

const refused = (): Promise<never> => {
  const promise = Promise.reject(new Error("late"));
  promise.catch(() => undefined);
  return promise;
};

function* generated(): Generator<object> {
  yield LINE;
}

const failing: Iterable<object> = {
  [Symbol.iterator]: () => {
    throw new Error("gone");
  },
};

eachDoor((door) => {
  test.each<[string, unknown, RegExp]>([
    ["a promise", () => Promise.resolve([LINE]), /it is a promise: await it/],
    ["a promise that fails", refused, /it is a promise/],
    ["a Map", new Map([[7, LINE]]), /of item 0: it is not an entity/],
    ["an iterable that fails", () => failing, /gone/],
    ["an object", LINE, /it is not a list of entities: use an array/],
    ["a text", "abc", /it is not a list/],
    ["a promise among the items", () => [LINE, Promise.resolve(LINE)], /of item 1: it is a promise: await it/],
    ["an item that lacks a value", [LINE, { id: 8 }], /of item 1: 'Text' is missing/],
    ["an item that lacks its key", [{ text: "a" }], /of item 0: 'Id' is missing/],
    ["an item with a wrong value", [{ id: "x", text: "a" }], /of item 0: .*Id/],
    ["null among the items", [null], /of item 0: it is not an entity/],
  ])("%s in the place of a list is left out", async (_name, value, reason) => {
    for (const guarded of [false, true]) {
      for (const query of QUERIES) {
        const { orders, warnings, errors } = service(value, null, guarded);
        const ask = door.to(orders);
        for (const path of ["/Orders", "/Orders(1)"]) {
          const answer = await ask(`${path}?$expand=${encodeURIComponent(`Lines${query},Main`)}`);
          expect([answer.status, answer.text], query).toEqual([200, expect.stringMatching(/"Id":1,"Main":null\}/u)]);
        }
        expect(warnings).toEqual([expect.stringMatching(reason), expect.stringMatching(reason)]);
        expect(warnings[0]).toMatch(/^The expansion 'Orders\/Lines' is left out for some entities: /u);
        expect(errors).toEqual([]);
      }
    }
  });

  test.each<[string, unknown, RegExp]>([
    ["a promise", () => Promise.resolve(LINE), /it is a promise: await it/],
    ["a Set", new Set([LINE]), /it is not an entity/],
    ["a Map", new Map(), /it is not an entity/],
    ["a list", [LINE], /it is not an entity/],
    ["a number", 7, /it is not an entity/],
    ["an entity that lacks a value", { id: 7 }, /'Text' is missing/],
  ])("%s in the place of one entity is left out", async (_name, value, reason) => {
    for (const guarded of [false, true]) {
      for (const query of QUERIES) {
        const { orders, warnings, errors } = service([], value, guarded);
        const ask = door.to(orders);
        for (const path of ["/Orders", "/Orders(1)"]) {
          const answer = await ask(`${path}?$expand=${encodeURIComponent(`Main${query},Lines`)}`);
          expect([answer.status, answer.text], query).toEqual([200, expect.stringMatching(/"Id":1,"Lines":\[\]\}/u)]);
        }
        expect(warnings).toEqual([expect.stringMatching(reason), expect.stringMatching(reason)]);
        expect(errors).toEqual([]);
      }
    }
  });

  test.each<[string, () => Iterable<object>]>([
    ["a Set", () => new Set([LINE])],
    [
      "an iterable of a class",
      () =>
        new (class {
          *[Symbol.iterator]() {
            yield LINE;
          }
        })(),
    ],
    ["a list that is generated, which can be read only once", generated],
  ])("%s is a list in expansions and in expressions", async (_name, lines) => {
    for (const guarded of [false, true]) {
      const { orders, warnings, errors } = service(lines, null, guarded);
      const ask = door.to(orders);
      for (const query of [
        "$expand=Lines",
        "$filter=Lines/any(l:l/Text eq 'a')&$expand=Lines",
        "$filter=Lines/$count eq 1&$orderby=Lines/$count&$expand=Lines($filter=Text eq 'a')",
      ]) {
        const { status, json } = await ask(`/Orders?${encodeURI(query)}`);
        expect([status, json.value], query).toEqual([
          200,
          [{ Id: 1, Lines: [{ "@odata.etag": expect.any(String), ...SHOWN }] }],
        ]);
      }
      const { json } = await ask(encodeURI("/Orders?$filter=Lines/any(l:l/Text eq 'b')&$expand=Lines"));
      expect(json.value).toEqual([]);
      expect([warnings, errors]).toEqual([[], []]);
    }
  });

  test.each<[string, unknown, unknown]>([
    ["a promise", () => Promise.resolve([LINE]), () => Promise.resolve(LINE)],
    ["a value of the other kind", LINE, new Set([LINE])],
    ["a promise among the items", () => [LINE, Promise.resolve(LINE)], [LINE]],
  ])("%s is not loaded for expressions either", async (_name, lines, main) => {
    const ask = door.to(service(lines, main, false).orders);
    for (const condition of ["Lines/any(l:l/Text eq 'a')", "Main/Text eq 'a'"]) {
      expectError(await ask(`/Orders?$filter=${encodeURIComponent(condition)}`), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: "$filter",
        message: /no handler loads it/u,
      });
    }
  });

  test("arrays and entities of classes are written, and absent values are not logged", async () => {
    class Made {
      readonly id = 7;
      get text(): string {
        return "a";
      }
    }
    for (const lines of [[LINE], [new Made()]]) {
      const { orders, warnings } = service(lines, new Made(), false);
      const { json } = await door.to(orders)("/Orders?$expand=Lines,Main");
      const withTag = { "@odata.etag": expect.any(String), ...SHOWN };
      expect(json.value).toEqual([{ Id: 1, Lines: [withTag], Main: withTag }]);
      expect(warnings).toEqual([]);
    }
    const { orders, warnings } = service(undefined, undefined, false);
    expect((await door.to(orders)("/Orders?$expand=Lines,Main")).json.value).toEqual([{ Id: 1 }]);
    expect(warnings).toEqual([]);
  });
});
