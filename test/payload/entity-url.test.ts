import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntityType } from "../../src/edm/model.ts";
import type { PrimitiveTypeName } from "../../src/edm/primitive-type.ts";
import { decodePercent } from "../../src/language/syntax/path-parser.ts";
import { entityUrl, keyPredicate, keyPredicateWriter } from "../../src/payload/urls.ts";
import { anyCharacter } from "../any-character.ts";
import { caseCount } from "../cases.ts";
import { Status, entitySet, entityType, linesSet, property } from "./model.ts";

const keyed = (type: PrimitiveTypeName | typeof Status): EntityType =>
  entityType("Thing", [property("Id", type, { isKey: true })]);

describe("a key predicate", () => {
  const guid = "F6A1BC04-1234-4abc-9def-0123456789AB";
  test.each<[PrimitiveTypeName | typeof Status, unknown, string]>([
    ["Edm.Int32", 5, "(5)"],
    ["Edm.Int32", -5, "(-5)"],
    ["Edm.Int64", 9_007_199_254_740_993n, "(9007199254740993)"],
    ["Edm.Boolean", true, "(true)"],
    ["Edm.Decimal", "1.50", "(1.50)"],
    ["Edm.Guid", guid, `(${guid.toLowerCase()})`],
    ["Edm.Date", "2024-02-29", "(2024-02-29)"],
    ["Edm.TimeOfDay", "10:00:00", "(10:00:00)"],
    ["Edm.DateTimeOffset", "2024-02-29T10:00:00+02:00", "(2024-02-29T10:00:00%2B02:00)"],
    ["Edm.Duration", "PT1H", "(duration'PT1H')"],
    [Status, "Paid", "(Shop.Status'Paid')"],
    ["Edm.String", "", "('')"],
    ["Edm.String", "O'Neil", "('O''Neil')"],
    ["Edm.String", "a/b\\c", "('a%2Fb%5Cc')"],
    ["Edm.String", "100%", "('100%25')"],
    ["Edm.String", "a?b#c&d+e", "('a%3Fb%23c%26d%2Be')"],
    ["Edm.String", "(a,b=c)", "('(a%2Cb%3Dc)')"],
    ["Edm.String", "a b\u0000\t\n", "('a%20b%00%09%0A')"],
    ["Edm.String", "me@x:y", "('me@x:y')"],
    ["Edm.String", "Zürich 東京 🚲", "('Z%C3%BCrich%20%E6%9D%B1%E4%BA%AC%20%F0%9F%9A%B2')"],
    ["Edm.String", "a\uD800b\uDC00", "('a%EF%BF%BDb%EF%BF%BD')"],
    ["Edm.String", "..", "('..')"],
  ])("of %o %o is %s", (type, id, expected) => {
    expect(keyPredicate(keyed(type), { id })).toBe(expected);
  });

  test("names the properties of a composite key, in order of the key", () => {
    expect(keyPredicate(linesSet.entityType, { number: "a,b", orderId: 7n })).toBe("(OrderId=7,Number='a%2Cb')");
  });

  test("is compiled once per type", () => {
    const type = keyed("Edm.Int32");
    expect(keyPredicateWriter(type)).toBe(keyPredicateWriter(type));
  });

  test.each<[string, unknown, RegExp]>([
    ["no value", {}, /^Shop\.Thing\/Id: the handler returned undefined/],
    ["null", { id: null }, /^Shop\.Thing\/Id: the handler returned null/],
    ["a promise", { id: Promise.resolve(1) }, /^Shop\.Thing\/Id: the handler returned a promise: await it\.$/],
    ["a wrong type", { id: {} }, /^Shop\.Thing\/Id: the handler returned a value that is not one of Edm\.Int32/],
    ["no object", 5, /^Shop\.Thing: the handler returned a number where an object is expected/],
    ["an array", [], /^Shop\.Thing: the handler returned an array/],
  ])("of an entity with %s is an error with type and property", (_, entity, message) => {
    expect(() => keyPredicate(keyed("Edm.Int32"), entity)).toThrow(message);
  });

  test("round-trips through a URL for any text", () => {
    const type = keyed("Edm.String");
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (id) => {
        const url = new URL(`http://x/Things${keyPredicate(type, { id })}/$ref`);
        const [, segment = "", last] = url.pathname.split("/");
        expect(last).toBe("$ref");
        expect(url.search + url.hash).toBe("");
        const literal = decodePercent(segment)?.slice("Things(".length, -1);
        expect(literal).toBe(`'${id.replaceAll("'", "''")}'`);
      }),
      { numRuns: caseCount(500) },
    );
  });

  test("never throws for ill-formed text", () => {
    const type = keyed("Edm.String");
    const unit = fc.oneof(fc.constantFrom("\uD800", "\uDFFF"), fc.string({ unit: anyCharacter, maxLength: 2 }));
    fc.assert(
      fc.property(fc.string({ unit }), (id) => {
        expect(decodePercent(keyPredicate(type, { id }))).not.toBeNull();
      }),
    );
  });
});

describe("the URL of an entity", () => {
  test("is the set after the service root", () => {
    const things = entitySet("Städte", keyed("Edm.Int32"));
    expect(entityUrl("https://example.com/odata", things, { id: 1 })).toBe("https://example.com/odata/St%C3%A4dte(1)");
  });
});
