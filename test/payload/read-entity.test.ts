import { afterEach, describe, expect, test, vi } from "vitest";
import { type BodyReaders, compileBodyReaders, compileRelatedReader } from "../../src/payload/body-readers.ts";
import { fault, json } from "./bodies.ts";
import { entitySets, setOf } from "./body-model.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const STRICT = { unknownMembers: "reject", allowDeepInsert: false, entitySets } as const;
const DEEP = { ...STRICT, allowDeepInsert: true } as const;
const LENIENT = { ...STRICT, unknownMembers: "ignore" } as const;

function readersOf(set: string, settings: typeof STRICT | typeof DEEP | typeof LENIENT = STRICT): BodyReaders {
  return compileBodyReaders(setOf(set), settings);
}

const ORDER = { CustomerId: 5, Code: "A" };
const WHOLE_ORDER = {
  customerId: 5,
  status: "Low",
  note: null,
  code: "A",
  origin: null,
  shipTo: null,
  tags: [],
};
const ADDRESS = { street: "A", city: null, zip: "0000", geo: null, notes: [] };

describe("a new entity", () => {
  const { readNew } = readersOf("Orders");

  test("missing members become their default, null or no items, in order of declaration", () => {
    const entity = readNew(json(ORDER), false);
    expect(entity).toStrictEqual(WHOLE_ORDER);
    expect(Object.keys(entity)).toEqual(Object.keys(WHOLE_ORDER));
    expect(Object.getPrototypeOf(entity)).toBe(Object.prototype);
  });

  test("all members, in canonical form by the application's fields", () => {
    const body = {
      "@odata.context": "x",
      "@odata.id": "Orders(1)",
      "@odata.etag": "W/x",
      "@odata.type": "#Any",
      "Code@odata.type": "String",
      remark: "n",
      Status: "High",
      Tags: ["a"],
      ShipTo: { Street: "A" },
      Origin: "o",
      ...ORDER,
    };
    expect(readNew(json(body), false)).toStrictEqual({
      ...WHOLE_ORDER,
      note: "n",
      status: "High",
      tags: ["a"],
      shipTo: ADDRESS,
      origin: "o",
    });
  });

  test("computed members, here the key, are ignored", () => {
    const body = { Id: "nonsense", Version: { a: 1 }, ...ORDER };
    expect(readNew(json(body), false)).toStrictEqual(WHOLE_ORDER);
  });

  test.each([
    ["CustomerId", { Code: "A" }],
    ["Code", { CustomerId: 5 }],
    ["ShipTo/Street", { ...ORDER, ShipTo: {} }],
  ])("%s is required", (target, body) => {
    const error = fault(() => readNew(json(body), false));
    expect(error).toMatchObject({ status: 400, code: "InvalidBody", target });
    expect(error.message).toContain("is required");
  });

  test("a key from the client is required", () => {
    const { readNew: readCustomer } = readersOf("Customers");
    expect(fault(() => readCustomer(json({ Name: "x" }), false))).toMatchObject({ code: "InvalidBody", target: "Id" });
    expect(fault(() => readCustomer(json({ Name: "x", Id: null }), false))).toMatchObject({ code: "NullNotAllowed" });
    expect(readCustomer(json({ Name: "x", Id: 7 }), false)).toStrictEqual({ id: 7, name: "x" });
    expect(readCustomer(json({ Name: "x", Id: "7" }), true)).toStrictEqual({ id: 7, name: "x" });
  });

  test.each(["code", "Nte", "Margin", "margin", "note", "Note", "__proto__", "toString", "constructor", "$Code", ""])(
    "the member %j is unknown",
    (name) => {
      const body = `{"CustomerId":5,"Code":"A",${JSON.stringify(name)}:1}`;
      const error = fault(() => readNew(json(body), false));
      expect(error).toMatchObject({ status: 400, code: "InvalidBody", target: name === "" ? undefined : name });
      expect(readersOf("Orders", LENIENT).readNew(json(body), false)).toStrictEqual(WHOLE_ORDER);
    },
  );

  test("an ignored property is refused like an unknown name", () => {
    const [hidden, nothing] = ["Margin", "Mbrgnn"].map((name) =>
      fault(() => readNew(json({ ...ORDER, [name]: 1 }), false)),
    );
    expect(hidden?.message.replaceAll("Margin", "Mbrgnn")).toBe(nothing?.message);
  });

  test.each(["null", "[]", "5", '"x"', "1.5", "[{}]", "true"])("%s is not an entity", (text) => {
    expect(fault(() => readNew(json(text), false))).toMatchObject({
      status: 400,
      code: "InvalidBody",
      target: undefined,
    });
  });

  test("names that every object inherits are ordinary names", () => {
    const { readNew: readOdd } = readersOf("Odds");
    const entity = readOdd(json('{"Constructor":"a","ToString":"b","__proto__":"c"}'), false);
    expect(Object.getPrototypeOf(entity)).toBe(Object.prototype);
    expect(Object.entries(entity)).toEqual([
      ["constructor", "a"],
      ["toString", "b"],
      ["proto", "c"],
    ]);
    expect(fault(() => readOdd(json("{}"), false))).toMatchObject({ target: "Constructor" });
  });
});

describe("links in a body", () => {
  const bodies = [
    ["Customer@odata.bind", '{"CustomerId":5,"Code":"A","Customer@odata.bind":"Customers(1)"}'],
    ["Lines@odata.bind", '{"CustomerId":5,"Code":"A","Lines@odata.bind":["Lines(1)"]}'],
    ["Customer@bind", '{"CustomerId":5,"Code":"A","Customer@bind":"Customers(1)"}'],
    ["Nothing@odata.bind", '{"Nothing@odata.bind":null}'],
    ["Lines/0/Product@odata.bind", '{"CustomerId":5,"Code":"A","Lines":[{"Product@odata.bind":"x"}]}'],
    ["Customer/a/1/b@odata.bind", '{"CustomerId":5,"Code":"A","Customer":{"a":[1,{"b@odata.bind":"x"}]}}'],
    ["ShipTo/City@odata.bind", '{"CustomerId":5,"Code":"A","ShipTo":{"Street":"A","City@odata.bind":"x"}}'],
    ["Version/x@odata.bind", '{"CustomerId":5,"Code":"A","Version":{"x@odata.bind":1}}'],
    ["Unknown/x@odata.bind", '{"Wrong":1,"Unknown":{"x@odata.bind":1}}'],
    ["@a.b/x@odata.bind", '{"CustomerId":5,"Code":"A","@a.b":{"x@odata.bind":1}}'],
  ] as const;

  test.each(bodies)("%s is not implemented, whatever else is wrong", (target, text) => {
    for (const settings of [STRICT, DEEP, LENIENT]) {
      const readers = readersOf("Orders", settings);
      const reads = [
        () => readers.readNew(json(text), false),
        () => readers.readReplacement(json(text), false, 1n),
        () => readers.readDelta(json(text), false),
      ];
      for (const read of reads) {
        const error = fault(read);
        expect(error).toMatchObject({ status: 501, code: "NotImplemented", target });
        expect(error.message).toMatch(/@odata\.bind is unsupported .*\$ref.*deep insert/u);
      }
    }
  });

  test("a similar name is not a link", () => {
    expect(
      readersOf("Orders").readNew(json({ ...ORDER, "@odata.bind": 1, "x@odata.binding": 1 }), false),
    ).toStrictEqual(WHOLE_ORDER);
  });
});

describe("nested values without deep insert", () => {
  test("become null if present", () => {
    const { readNew } = readersOf("Orders");
    for (const nested of [[], [{ anything: 1 }], null, { a: 1 }, 5]) {
      const body = { ...ORDER, Lines: nested, Customer: nested, Tags: ["a"] };
      expect(readNew(json(body), false)).toStrictEqual({ ...WHOLE_ORDER, tags: ["a"], customer: null, lines: null });
    }
    expect("lines" in readNew(json(ORDER), false)).toBe(false);
  });
});

describe("nested values with deep insert", () => {
  const { readNew } = readersOf("Orders", DEEP);
  const { readNew: readTrip } = readersOf("Trips", DEEP);

  test("are read by their types, without the values that depend on the order", () => {
    const body = {
      ...ORDER,
      Lines: [
        { Number: "1", Price: 1.5 },
        { Number: "2", Quantity: 3, Price: "2.50" },
      ],
    };
    expect(readNew(json(body), false)).toStrictEqual({
      ...WHOLE_ORDER,
      lines: [
        { number: "1", quantity: 1, price: "1.5" },
        { number: "2", quantity: 3, price: "2.50" },
      ],
    });
  });

  test("a key from the client is copied to the children at any depth", () => {
    const body = { Id: 7, Name: "a", Stops: [{ Place: "p" }, { Place: "q", TripId: 7 }] };
    expect(readTrip(json(body), false)).toStrictEqual({
      id: 7,
      name: "a",
      stops: [
        { tripId: 7, place: "p" },
        { tripId: 7, place: "q" },
      ],
    });
    const wrong = { Id: 7, Name: "a", Stops: [{ Place: "p", TripId: 8 }] };
    expect(fault(() => readTrip(json(wrong), false))).toMatchObject({ code: "InvalidBody", target: "Stops/0/TripId" });
    const nodes = { Id: 1, Children: [{ Id: 2, Children: [{ Id: 3 }] }] };
    expect(readersOf("Nodes", DEEP).readNew(json(nodes), false)).toStrictEqual({
      id: 1,
      parentId: null,
      children: [{ id: 2, parentId: 1, children: [{ id: 3, parentId: 2 }] }],
    });
  });

  test("a nested entity sets the foreign key of its owner", () => {
    const body = { Code: "A", Customer: { Id: 9, Name: "n" } };
    const { customerId, ...rest } = WHOLE_ORDER;
    expect(readNew(json(body), false)).toStrictEqual({ ...rest, customerId: 9, customer: { id: 9, name: "n" } });
    expect(readNew(json({ ...body, CustomerId: 9 }), false)).toMatchObject({ customerId: 9 });
    expect(fault(() => readNew(json({ ...body, CustomerId: customerId }), false))).toMatchObject({
      code: "InvalidBody",
      target: "CustomerId",
    });
    expect(readersOf("Stops", DEEP).readNew(json({ Place: "p", Trip: { Id: 4, Name: "t" } }), false)).toStrictEqual({
      place: "p",
      tripId: 4,
      trip: { id: 4, name: "t" },
    });
  });

  test("values that depend on the partner or on ignored properties may be omitted", () => {
    const body = { Id: 1, Tracks: [{ Id: 2, Title: "t" }], Covers: [{ Id: 3 }] };
    expect(readersOf("Albums", DEEP).readNew(json(body), false)).toStrictEqual({
      id: 1,
      tracks: [{ id: 2, albumId: 1, title: "t" }],
      covers: [{ id: 3 }],
    });
  });

  test.each([
    [{ Lines: null }, "NullNotAllowed", "Lines"],
    [{ Lines: [null] }, "InvalidBody", "Lines/0"],
    [{ Lines: {} }, "InvalidBody", "Lines"],
    [{ Lines: [{ Number: "1" }] }, "InvalidBody", "Lines/0/Price"],
    [{ Lines: [{ Number: "1", Price: 1, Nothing: 1 }] }, "InvalidBody", "Lines/0/Nothing"],
    [{ Lines: [{ Number: 1, Price: 1 }] }, "InvalidBody", "Lines/0/Number"],
    [{ Customer: null }, "NullNotAllowed", "Customer"],
    [{ Customer: [] }, "InvalidBody", "Customer"],
    [{ Customer: { Name: "x" } }, "InvalidBody", "Customer/Id"],
    [{ Second: 5 }, "InvalidBody", "Second"],
  ])("%j is refused", (nested, code, target) => {
    expect(fault(() => readNew(json({ ...ORDER, ...nested }), false))).toMatchObject({ status: 400, code, target });
  });

  test("an optional related entity may be null", () => {
    expect(readNew(json({ ...ORDER, Second: null }), false)).toStrictEqual({ ...WHOLE_ORDER, second: null });
  });

  test("deep nesting does not overflow the stack", () => {
    const depth = 100_000;
    // Without a pause, the readers return no promise.
    vi.spyOn(performance, "now").mockReturnValue(1);
    const nodes = `{"Id":1,"Children":[`.repeat(depth) + "]}".repeat(depth);
    expect(fault(() => readersOf("Nodes", DEEP).readNew(json(nodes), false))).toMatchObject({ code: "InvalidBody" });
    expect(readersOf("Nodes").readNew(json(nodes), false)).toStrictEqual({ id: 1, parentId: null, children: null });
    const lines = `{"CustomerId":1,"Code":"A","Lines":${"[".repeat(depth)}{"a@odata.bind":1}${"]".repeat(depth)}}`;
    const error = fault(() => readersOf("Orders").readNew(json(lines), false));
    expect(error).toMatchObject({ code: "NotImplemented" });
    expect(error.target?.length).toBeLessThan(200);
  });
});

describe("a related entity", () => {
  const lines = setOf("Orders").navigationProperties.get("Lines");
  if (lines === undefined) throw new Error("There is no navigation Lines.");
  const read = compileRelatedReader(setOf("Orders"), lines, STRICT);

  test("has the values that depend on the key in the URL", () => {
    expect(read(json({ Number: "1", Price: 1 }), false, 5n)).toStrictEqual({
      orderId: 5n,
      number: "1",
      quantity: 1,
      price: "1",
    });
    expect(read(json({ Number: "1", Price: 1, OrderId: "5" }), false, 5n)).toMatchObject({ orderId: 5n });
    expect(fault(() => read(json({ Number: "1", Price: 1, OrderId: 6 }), false, 5n))).toMatchObject({
      code: "InvalidBody",
      target: "OrderId",
    });
    expect(fault(() => read(json({ Price: 1 }), false, 5n))).toMatchObject({ target: "Number" });
  });
});
