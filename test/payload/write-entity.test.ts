import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ComplexType, EntitySet, StructuralProperty } from "../../src/edm/model.ts";
import type { PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import type { SelectExpandClause, SelectedProperty } from "../../src/language/query/clauses.ts";
import { etagWriter } from "../../src/payload/etag.ts";
import type { PayloadFormat } from "../../src/payload/payload-format.ts";
import { compileEntityWriter, type EntityWriter } from "../../src/payload/write-entity.ts";
import { compilePropertyValue, writeRawValue } from "../../src/payload/write-value.ts";
import { anyCharacter } from "../any-character.ts";
import { Access, Address, Status, complexType, customers, entitySet, entityType, orders, property } from "./model.ts";
import { written } from "./written.ts";

const root = "https://example.com/odata";
const NONE: PayloadFormat = { metadata: "none", ieee754Compatible: false };
const MINIMAL: PayloadFormat = { metadata: "minimal", ieee754Compatible: false };
const FULL: PayloadFormat = { metadata: "full", ieee754Compatible: false };
const STRINGS: PayloadFormat = { metadata: "none", ieee754Compatible: true };

const everything = ({ entityType: { properties } }: EntitySet): SelectExpandClause => ({
  selected: properties.map((item) => ({ property: item })),
  isSelection: false,
  expanded: [],
  contextSelect: [],
});

const selection = (selected: readonly SelectedProperty[]): SelectExpandClause => ({
  selected,
  isSelection: true,
  expanded: [],
  contextSelect: selected.map((item) => item.property.name),
});

function writerOf(set: EntitySet, format: PayloadFormat, clause = everything(set)): EntityWriter {
  return compileEntityWriter({ entitySet: set, entityType: set.entityType }, clause, format);
}

/** A set of one keyless type: writers of items need no key. */
function setOf(...properties: readonly StructuralProperty[]): EntitySet {
  return entitySet("Things", entityType("Thing", properties));
}

function textOf(item: StructuralProperty, value: unknown, format = NONE): string {
  const text = written(writerOf(setOf(item), format).writeItem({ [item.field]: value }, root));
  const prefix = `{${JSON.stringify(item.name)}:`;
  expect(text.startsWith(prefix)).toBe(true);
  return text.slice(prefix.length, -1);
}

const order = {
  id: 9_007_199_254_740_993n,
  customerId: 7,
  active: true,
  total: "10.50",
  status: "Paid",
  tags: ["a", "b"],
  marks: ["1.0", null],
  statuses: ["Draft", "Paid"],
  stops: [{ street: "Main", city: null }],
  shipTo: { street: "Quay", city: "Kiel", geo: { latitude: 54.3, longitude: 10.1 } },
  lines: [{ orderId: 1 }],
  secret: "never written",
};

describe("a value is written as", () => {
  test.each<[PrimitiveTypeName | typeof Status, unknown, string, string?]>([
    ["Edm.Boolean", true, "true"],
    ["Edm.Byte", 255, "255"],
    ["Edm.Int32", -1, "-1"],
    ["Edm.Int64", 9_007_199_254_740_993n, "9007199254740993", '"9007199254740993"'],
    ["Edm.Double", 1.5, "1.5"],
    ["Edm.Double", Number.POSITIVE_INFINITY, '"INF"'],
    ["Edm.Double", Number.NaN, '"NaN"'],
    ["Edm.Single", 0.5, "0.5"],
    ["Edm.Decimal", "1.50", "1.50", '"1.50"'],
    ["Edm.String", 'a"\\\n\u2028\u0000😀', '"a\\"\\\\\\n\u2028\\u0000😀"'],
    ["Edm.String", "\uD800", '"\\ud800"'],
    ["Edm.Guid", "F6A1BC04-1234-4ABC-9DEF-0123456789AB", '"f6a1bc04-1234-4abc-9def-0123456789ab"'],
    ["Edm.Binary", Uint8Array.of(251, 255, 191), '"-_-_"'],
    ["Edm.Date", "2024-02-29", '"2024-02-29"'],
    ["Edm.TimeOfDay", "10:00:00.5", '"10:00:00.5"'],
    ["Edm.DateTimeOffset", "2024-02-29T10:00:00+02:00", '"2024-02-29T10:00:00+02:00"'],
    ["Edm.Duration", "PT36H", '"PT36H"'],
    [Status, "Paid", '"Paid"'],
  ])("%o %o: %s", (type, value, expected, quoted = expected) => {
    const item = property("Value", type);
    expect(textOf(item, value)).toBe(expected);
    expect(textOf(item, value, STRINGS)).toBe(quoted);
    expect(textOf({ ...item, isCollection: true }, [value, value])).toBe(`[${expected},${expected}]`);
  });

  const nullable = { nullable: true };
  test.each<[string, StructuralProperty, unknown, string]>([
    ["null", property("A", "Edm.Int32", nullable), null, "null"],
    ["undefined", property("A", "Edm.Int32", nullable), undefined, "null"],
    ["a missing complex value", property("A", Address, nullable), undefined, "null"],
    ["no collection", property("A", "Edm.Int32", { isCollection: true }), undefined, "[]"],
    ["a null collection", property("A", "Edm.Int32", { isCollection: true }), null, "[]"],
    ["an empty collection", property("A", Address, { isCollection: true }), [], "[]"],
    [
      "null items",
      property("A", "Edm.Int32", { isCollection: true, nullable: true }),
      [null, 1, undefined],
      "[null,1,null]",
    ],
    ["a set", property("A", "Edm.Int32", { isCollection: true }), new Set([1, 2]), "[1,2]"],
    [
      "a complex value",
      property("A", Address),
      { street: "Quay", extra: 1 },
      '{"Street":"Quay","City":null,"Geo":null}',
    ],
    [
      "nested complex values",
      property("A", Address),
      { street: "Quay", city: "Kiel", geo: { latitude: 54.3, longitude: 10.1 } },
      '{"Street":"Quay","City":"Kiel","Geo":{"Latitude":54.3,"Longitude":10.1}}',
    ],
    [
      "complex items",
      property("A", Address, { isCollection: true, nullable: true }),
      [{ street: "1" }, null],
      '[{"Street":"1","City":null,"Geo":null},null]',
    ],
    ["a complex value without members", property("A", complexType("Empty", [])), {}, "{}"],
  ])("%s", (_, item, value, expected) => {
    expect(textOf(item, value)).toBe(expected);
  });

  test("a complex type that contains itself", () => {
    const properties: StructuralProperty[] = [property("Name", "Edm.String")];
    const node: ComplexType = { ...complexType("Node", []), properties };
    properties.push(property("Children", node, { isCollection: true }));
    expect(textOf(property("Root", node), { name: "a", children: [{ name: "b" }] })).toBe(
      '{"Name":"a","Children":[{"Name":"b","Children":[]}]}',
    );
  });

  test("getters of a class are fields", () => {
    class Thing {
      get name(): string {
        return "x";
      }
    }
    expect(writerOf(setOf(property("Name", "Edm.String")), NONE).writeItem(new Thing(), root)).toBe('{"Name":"x"}');
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("an own field %s only", (field) => {
    const item = property(field, "Edm.String", { field, nullable: true });
    const writer = writerOf(setOf(item), NONE);
    expect(writer.writeItem({}, root)).toBe(`{"${field}":null}`);
    expect(writer.writeItem(JSON.parse(`{"${field}":"x"}`), root)).toBe(`{"${field}":"x"}`);
    expect(writer.writeItem(Object.create(null), root)).toBe(`{"${field}":null}`);
  });
});

describe("a value that the model does not allow is an error with type and property", () => {
  const collection = { isCollection: true };
  test.each<[string, StructuralProperty, unknown, RegExp]>([
    [
      "nothing",
      property("A", "Edm.Int32"),
      undefined,
      /^Shop\.Thing\/A: the handler returned undefined, but .* not nullable/,
    ],
    ["null", property("A", "Edm.Int32"), null, /^Shop\.Thing\/A: the handler returned null, but .* not nullable/],
    ["a wrong type", property("A", "Edm.Int32"), "1", /^Shop\.Thing\/A: .* not one of Edm\.Int32/],
    ["no date", property("A", "Edm.Date"), "2023-02-30", /^Shop\.Thing\/A: .* not one of Edm\.Date/],
    ["no member", property("A", Status), "Lost", /^Shop\.Thing\/A: .* not one of Status/],
    ["a null complex value", property("A", Address), null, /^Shop\.Thing\/A: the handler returned null/],
    ["no object", property("A", Address), 5, /^Shop\.Thing\/A: the handler returned a number where an object/],
    ["an array", property("A", Address), [], /^Shop\.Thing\/A: the handler returned an array where an object/],
    ["a nested value", property("A", Address), { street: 1 }, /^Shop\.Address\/Street: .* not one of Edm\.String/],
    [
      "a single value",
      property("A", "Edm.String", collection),
      "abc",
      /^Shop\.Thing\/A: .* a string where a collection/,
    ],
    ["an object", property("A", "Edm.String", collection), {}, /^Shop\.Thing\/A: .* an object where a collection/],
    ["a Date", property("A", "Edm.String", collection), new Date(0), /^Shop\.Thing\/A: .* a Date where a collection/],
    ["bytes", property("A", "Edm.Byte", collection), new Uint8Array(2), /^Shop\.Thing\/A: .* where a collection/],
    ["a null item", property("A", "Edm.String", collection), ["a", null], /^Shop\.Thing\/A: .* null in a collection/],
    ["a wrong item", property("A", "Edm.String", collection), ["a", 1], /^Shop\.Thing\/A: .* not one of Edm\.String/],
  ])("%s", (_, item, value, message) => {
    expect(() => writerOf(setOf(item), NONE).writeItem({ a: value }, root)).toThrow(message);
    expect(() => writerOf(setOf(item), FULL, selection([{ property: item }])).writeItem({ a: value }, root)).toThrow();
  });

  test.each([null, undefined, 5, "x", []])("the entity %o", (entity) => {
    expect(() => writerOf(customers, NONE).writeItem(entity, root)).toThrow(/^Shop\.Customer: the handler returned/);
    expect(() => writerOf(customers, MINIMAL).writeEntity(entity, root, "c")).toThrow(/^Shop\.Customer: /);
  });
});

describe("control information", () => {
  const bike = { id: 1, name: "Bike" };
  const id = '"@odata.id":"https://example.com/odata/Customers(1)"';
  const context = `"@odata.context":"${root}/$metadata#Customers/$entity"`;
  const members = '"Id":1,"Name":"Bike"';
  const editLink = '"@odata.editLink":"https://example.com/odata/Customers(1)"';
  test.each<[PayloadFormat, string, string]>([
    [NONE, `{${members}}`, `{${members}}`],
    [MINIMAL, `{${members}}`, `{${context},${id},${members}}`],
    [
      FULL,
      `{"@odata.type":"#Shop.Customer",${id},${editLink},"Id@odata.type":"#Int32",${members}}`,
      `{${context},"@odata.type":"#Shop.Customer",${id},${editLink},"Id@odata.type":"#Int32",${members}}`,
    ],
  ])("of a set without an ETag, %o", (format, item, entity) => {
    const writer = writerOf(customers, format);
    expect(writer.format).toBe(format);
    expect(writer.writeItem(bike, root)).toBe(item);
    expect(writer.writeEntity(bike, root, `${root}/$metadata#Customers/$entity`)).toBe(entity);
  });

  test("of a set with an ETag comes in order: context, type, id, etag, editLink, members, links", () => {
    const etag = JSON.stringify(etagWriter(orders)?.(order));
    const clause = selection([{ property: orders.entityType.properties[8]! }]);
    const url = "https://example.com/odata/Orders(9007199254740993)";
    const minimal = writerOf(orders, MINIMAL, clause);
    expect(minimal.writeItem(order, root)).toBe(`{"@odata.id":"${url}","@odata.etag":${etag},"Total":10.50}`);
    expect(minimal.writeEntity(order, root, "c")).toBe(
      `{"@odata.context":"c","@odata.id":"${url}","@odata.etag":${etag},"Total":10.50}`,
    );
    const full = writerOf(orders, FULL, { ...clause, isSelection: false });
    const links = ["Customer", "Lines", "Carrier"]
      .map((name) => {
        const target = `${url}/${name}`;
        return `"${name}@odata.associationLink":"${target}/$ref","${name}@odata.navigationLink":"${target}"`;
      })
      .join(",");
    expect(full.writeItem(order, root)).toBe(
      `{"@odata.type":"#Shop.Order","@odata.id":"${url}","@odata.etag":${etag},"@odata.editLink":"${url}",` +
        `"Total@odata.type":"#Decimal","Total":10.50,${links}}`,
    );
  });

  test("has no navigation links with $select", () => {
    const clause = selection([{ property: orders.entityType.properties[8]! }]);
    expect(writerOf(orders, FULL, clause).writeItem(order, root)).not.toContain("Link@");
    expect(writerOf(orders, FULL, clause).writeItem(order, root)).not.toContain("navigationLink");
  });

  test.each<[PayloadFormat, string]>([
    [NONE, "{}"],
    [MINIMAL, `{${id}}`],
    [FULL, `{"@odata.type":"#Shop.Customer",${id},${editLink}}`],
  ])("is written alone if nothing is selected, %o", (format, item) => {
    expect(writerOf(customers, format, selection([])).writeItem(bike, root)).toBe(item);
  });

  const types: ReadonlyArray<readonly [StructuralProperty, unknown, string]> = [
    [property("A", "Edm.String"), "x", '"A":"x"'],
    [property("A", "Edm.Boolean"), true, '"A":true'],
    [property("A", "Edm.Double"), 1.5, '"A":1.5'],
    [property("A", "Edm.Double"), Number.NaN, '"A@odata.type":"#Double","A":"NaN"'],
    [property("A", "Edm.Double", { nullable: true }), null, '"A":null'],
    [property("A", "Edm.Int32"), 1, '"A@odata.type":"#Int32","A":1'],
    [property("A", "Edm.Int32", { nullable: true }), null, '"A":null'],
    [property("A", "Edm.Date"), "2024-01-01", '"A@odata.type":"#Date","A":"2024-01-01"'],
    [property("A", Status), "Paid", '"A@odata.type":"#Shop.Status","A":"Paid"'],
    [property("A", "Edm.String", { isCollection: true }), ["x"], '"A@odata.type":"#Collection(String)","A":["x"]'],
    [property("A", "Edm.Double", { isCollection: true }), [], '"A@odata.type":"#Collection(Double)","A":[]'],
    [property("A", "Edm.String", { isCollection: true }), null, '"A@odata.type":"#Collection(String)","A":[]'],
    [property("A", complexType("Empty", [])), {}, '"A":{"@odata.type":"#Shop.Empty"}'],
    [
      property("A", Address, { isCollection: true }),
      [{ street: "x" }],
      '"A@odata.type":"#Collection(Shop.Address)","A":[{"@odata.type":"#Shop.Address","Street":"x","City":null,"Geo":null}]',
    ],
  ];
  test.each(types)("annotates the type of %o %o if JSON does not show it", (item, value, expected) => {
    const set = setOf(property("Id", "Edm.String", { isKey: true }), item);
    const text = writerOf(set, FULL, selection([{ property: item }])).writeItem({ id: "k", a: value }, root);
    const url = `${root}/Things('k')`;
    expect(text).toBe(`{"@odata.type":"#Shop.Thing","@odata.id":"${url}","@odata.editLink":"${url}",${expected}}`);
  });
});

describe("a selection", () => {
  test("writes the selected properties in order, and only the selected members of a complex value", () => {
    const [shipTo, total] = [orders.entityType.members.get("ShipTo"), orders.entityType.members.get("Total")];
    const clause = selection([
      { property: total as StructuralProperty },
      { property: shipTo as StructuralProperty, nested: [{ property: Address.properties[1]! }] },
    ]);
    expect(writerOf(orders, NONE, clause).writeItem(order, root)).toBe('{"Total":10.50,"ShipTo":{"City":"Kiel"}}');
  });

  test("never writes navigation members or members that the model does not know", () => {
    const text = written(writerOf(orders, MINIMAL).writeItem(order, root));
    expect(Object.keys(JSON.parse(text))).toEqual([
      "@odata.etag",
      ...orders.entityType.properties.map(({ name }) => name),
    ]);
  });
});

describe("a single property", () => {
  test.each<[StructuralProperty, unknown, string]>([
    [property("A", "Edm.Int64"), 5n, '"5"'],
    [property("A", "Edm.Int64", { nullable: true }), undefined, "null"],
    [property("A", "Edm.Int64", { isCollection: true }), null, "[]"],
    [property("A", Address), { street: "x" }, '{"Street":"x","City":null,"Geo":null}'],
  ])("%o %o is %s", (item, value, expected) => {
    expect(compilePropertyValue("Shop.Thing", item, STRINGS)(value)).toBe(expected);
  });

  test("that is missing but not nullable is an error", () => {
    expect(() => compilePropertyValue("Shop.Thing", property("A", "Edm.Int64"), NONE)(null)).toThrow(/^Shop\.Thing\/A/);
  });

  test.each<[StructuralProperty, unknown, string | Uint8Array]>([
    [property("A", "Edm.String"), 'a"b', 'a"b'],
    [property("A", "Edm.Boolean"), true, "true"],
    [property("A", "Edm.Decimal"), "1.50", "1.50"],
    [property("A", Access), "Read,Write", "Read,Write"],
    [property("A", "Edm.Binary"), Uint8Array.of(1, 2), Uint8Array.of(1, 2)],
  ])("%o %o has the raw value %o", (item, value, expected) => {
    expect(writeRawValue("Shop.Thing", item, value)).toEqual(expected);
  });

  test("with a wrong raw value is an error", () => {
    expect(() => writeRawValue("Shop.Thing", property("A", "Edm.Int32"), "x")).toThrow(/^Shop\.Thing\/A: /);
  });
});

describe("for any entity", () => {
  const scalar: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    "Edm.Boolean": fc.boolean(),
    "Edm.Int32": fc.integer(),
    "Edm.Double": fc.double({ noNaN: true, noDefaultInfinity: true }),
    "Edm.String": fc.string({ unit: anyCharacter }),
    "Edm.Guid": fc.uuid(),
  };
  const propertyAndValue = fc
    .tuple(fc.constantFrom(...Object.keys(scalar)), fc.boolean(), fc.boolean(), fc.string({ unit: anyCharacter }))
    .chain(([type, isCollection, nullable, name]) => {
      const one = scalar[type]!;
      const maybe = nullable ? fc.option(one) : one;
      const item = property(name, type as PrimitiveTypeName, { field: name, isCollection, nullable });
      return (isCollection ? fc.array(maybe, { maxLength: 3 }) : maybe).map((value) => ({ item, value }));
    });

  test("the text is JSON with exactly the members of the model", () => {
    const entity = fc.uniqueArray(propertyAndValue, { selector: ({ item }) => item.name, maxLength: 6 });
    fc.assert(
      fc.property(entity, fc.constantFrom(NONE, MINIMAL), (members, format) => {
        const source = Object.fromEntries(members.map(({ item, value }) => [item.name, value]));
        const text = written(writerOf(setOf(...members.map(({ item }) => item)), format).writeItem(source, root));
        const negativeZero = (_: string, value: unknown): unknown => (Object.is(value, -0) ? 0 : value);
        expect(JSON.parse(text, negativeZero)).toEqual(JSON.parse(JSON.stringify(source)));
      }),
    );
  });
});
