import { describe, expect, test } from "vitest";
import { checkKeyMatch } from "../../src/payload/body-members.ts";
import { compileBodyReaders, requireWhole } from "../../src/payload/body-readers.ts";
import { compileImmutableKeeper } from "../../src/payload/immutable-keeper.ts";
import { fault, json } from "./bodies.ts";
import { entitySets, setOf, typeOf } from "./body-model.ts";

const STRICT = { unknownMembers: "reject", allowDeepInsert: true, entitySets } as const;
const orders = compileBodyReaders(setOf("Orders"), STRICT);
const lines = compileBodyReaders(setOf("Lines"), STRICT);
const customers = compileBodyReaders(setOf("Customers"), STRICT);

describe("a replacement", () => {
  test("has all members that a client may send, without nested and computed values", () => {
    const body = {
      CustomerId: 5,
      Code: "A",
      remark: null,
      ShipTo: { Street: "A", Geo: null },
      Version: "x",
      Lines: [{ Nothing: 1 }],
      Customer: 5,
      "@odata.etag": "x",
    };
    const { entity, key, missing } = orders.readReplacement(json(body), false, 1n);
    expect(entity).toStrictEqual({
      customerId: 5,
      status: "Low",
      note: null,
      code: "A",
      origin: null,
      shipTo: { street: "A", city: null, zip: "0000", geo: null, notes: [] },
      tags: [],
    });
    expect([key, missing]).toEqual([[undefined], null]);
  });

  test("takes its key from the URL", () => {
    const { entity, key } = customers.readReplacement(json({ Name: "x" }), false, 5);
    expect([entity, key]).toStrictEqual([{ id: 5, name: "x" }, [undefined]]);
    const line = lines.readReplacement(json({ Price: 1, Number: "2" }), false, { orderId: 1n, number: "2" });
    expect(line).toStrictEqual({
      entity: { orderId: 1n, number: "2", quantity: 1, price: "1" },
      key: [undefined, "2"],
      missing: null,
      ignored: [],
    });
  });

  test("may omit only members that an existing entity keeps", () => {
    expect(fault(() => customers.readReplacement(json({}), false, 5))).toMatchObject({
      code: "InvalidBody",
      target: "Name",
    });
    const body = orders.readReplacement(json({ CustomerId: 5 }), false, 1n);
    expect(body.missing).toBe("Code");
    expect("code" in body.entity).toBe(false);
    expect(fault(() => requireWhole(body))).toMatchObject({ status: 400, code: "InvalidBody", target: "Code" });
    const whole = orders.readReplacement(json({ CustomerId: 5, Code: "A" }), false, 1n);
    expect(requireWhole(whole)).toBe(whole.entity);
  });

  test("keeps the immutable values of the entity that it replaces", () => {
    const keep = compileImmutableKeeper(typeOf("Orders"));
    const { entity } = orders.readReplacement(json({ CustomerId: 5, Code: "B", Origin: "o" }), false, 1n);
    keep?.(entity, { id: 1n, code: "A", customerId: 9 });
    expect(entity).toMatchObject({ customerId: 5, code: "A", origin: null });
    expect(() => keep?.(entity, { code: 5 })).toThrow(/Order\/Code/u);
    expect(compileImmutableKeeper(typeOf("Customers"))).toBeNull();
  });

  test.each([
    [{ CustomerId: null, Code: "A" }, "NullNotAllowed", "CustomerId"],
    [{ CustomerId: 5, Code: "A", Tags: null }, "NullNotAllowed", "Tags"],
    [{ CustomerId: 5, Code: "A", Margin: 1 }, "InvalidBody", "Margin"],
    [{ CustomerId: 5, Code: 7 }, "InvalidBody", "Code"],
    [{ Id: "x", CustomerId: 5, Code: "A" }, "InvalidBody", "Id"],
    [{ Id: null, CustomerId: 5, Code: "A" }, "NullNotAllowed", "Id"],
    [[], "InvalidBody", undefined],
    [null, "InvalidBody", undefined],
  ])("%j is refused", (body, code, target) => {
    expect(fault(() => orders.readReplacement(json(body), false, 1n))).toMatchObject({ status: 400, code, target });
  });
});

describe("a delta", () => {
  test("distinguishes missing from null", () => {
    expect(orders.readDelta(json({}), false)).toStrictEqual({ delta: {}, key: [undefined], ignored: [] });
    expect(orders.readDelta(json({ remark: null, Tags: [] }), false).delta).toStrictEqual({ note: null, tags: [] });
  });

  test("has no key, no immutable members and no nested values", () => {
    const body = { Id: 1, Version: {}, Code: 5, Origin: "x", Lines: [], Customer: { a: 1 }, CustomerId: 6, "x@y.z": 1 };
    expect(orders.readDelta(json(body), false)).toStrictEqual({
      delta: { customerId: 6 },
      key: [1n],
      ignored: ["Customer"],
    });
  });

  test.each([
    [{ Street: "B" }, { street: "B" }],
    [
      { City: null, Checked: {}, "@odata.type": "#x", Notes: ["a"] },
      { city: null, notes: ["a"] },
    ],
    [{ Geo: { Name: null } }, { geo: { name: null } }],
    [{}, {}],
    [null, null],
  ])("has the given members of a complex value: %j", (sent, shipTo) => {
    expect(orders.readDelta(json({ ShipTo: sent }), false).delta).toStrictEqual({ shipTo });
  });

  test.each([
    [{ Geo: { Latitude: null } }, "NullNotAllowed", "ShipTo/Geo/Latitude"],
    [{ Geo: { Depth: 1 } }, "InvalidBody", "ShipTo/Geo/Depth"],
    [{ Secret: "x" }, "InvalidBody", "ShipTo/Secret"],
    [{ Checked: { "x@odata.bind": "A(1)" } }, "NotImplemented", "ShipTo/Checked/x@odata.bind"],
    [[{ Street: "B" }], "InvalidBody", "ShipTo"],
  ])("the complex value %j is refused", (ShipTo, code, target) => {
    expect(fault(() => orders.readDelta(json({ ShipTo }), false))).toMatchObject({ code, target });
  });

  test.each([
    [{ CustomerId: null }, "NullNotAllowed", "CustomerId"],
    [{ CustomerId: "5" }, "InvalidBody", "CustomerId"],
    [{ customerId: 5 }, "InvalidBody", "customerId"],
    [{ Margin: 5 }, "InvalidBody", "Margin"],
    [5, "InvalidBody", undefined],
  ])("%j is refused", (body, code, target) => {
    expect(fault(() => orders.readDelta(json(body), false))).toMatchObject({ status: 400, code, target });
  });
});

describe("the key of a body", () => {
  test.each([
    [{ Id: 5 }, false],
    [{ Id: "5" }, true],
    [{}, false],
  ])("%j matches 5", (body, ieee754Compatible) => {
    const { key } = customers.readDelta(json(body), ieee754Compatible);
    expect(() => checkKeyMatch(typeOf("Customers"), key, 5)).not.toThrow();
  });

  test("must match the URL", () => {
    const { key } = customers.readDelta(json({ Id: 6 }), false);
    const error = fault(() => checkKeyMatch(typeOf("Customers"), key, 5));
    expect(error).toMatchObject({ status: 400, code: "KeyMismatch", target: "key" });
    expect(error.message).toContain('Id is "6" in the body and "5" in the URL');
  });

  test("each part of a composite key counts", () => {
    const url = { orderId: 1n, number: "2" };
    const match = (body: object): void => checkKeyMatch(typeOf("Lines"), lines.readDelta(json(body), false).key, url);
    expect(() => match({ OrderId: 1, Number: "2" })).not.toThrow();
    expect(() => match({ Number: "2" })).not.toThrow();
    expect(fault(() => match({ OrderId: 1, Number: "3" }))).toMatchObject({ code: "KeyMismatch", target: "key" });
    expect(fault(() => match({ OrderId: 2 }))).toMatchObject({ code: "KeyMismatch", target: "key" });
  });

  test("is compared even if it is computed", () => {
    const { key } = orders.readReplacement(json({ Id: "2", CustomerId: 5, Code: "A" }), false, 1n);
    expect(fault(() => checkKeyMatch(typeOf("Orders"), key, 1n))).toMatchObject({ code: "KeyMismatch" });
  });
});
