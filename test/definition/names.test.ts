import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNamespace, isSimpleIdentifier, pluralOf, toWireName } from "../../src/definition/names.ts";
import { isIdentifier } from "../../src/language/syntax/token.ts";
import { anyCharacter } from "../any-character.ts";
import { caseCount } from "../cases.ts";

describe("the default name of an entity set", () => {
  test.each([
    ["Order", "Orders"],
    ["Country", "Countries"],
    ["City", "Cities"],
    ["Day", "Days"],
    ["Key", "Keys"],
    ["Toy", "Toys"],
    ["Guy", "Guys"],
    ["Address", "Addresses"],
    ["Bus", "Buses"],
    ["Dish", "Dishes"],
    ["Branch", "Branches"],
    ["Box", "Boxes"],
    ["Quiz", "Quizes"],
    ["Person", "Persons"],
    ["Child", "Childs"],
    ["Y", "Ys"],
    ["_y", "_ys"],
    ["Path", "Paths"],
  ])("%s: %s", (typeName, plural) => {
    expect(pluralOf(typeName)).toBe(plural);
  });
});

describe("wire names", () => {
  test.each([
    ["customerId", "CustomerId", "customerId"],
    ["id", "Id", "id"],
    ["ID", "ID", "id"],
    ["Id", "Id", "id"],
    ["URLValue", "URLValue", "urlValue"],
    ["IOStream", "IOStream", "ioStream"],
    ["CustomerId", "CustomerId", "customerId"],
    ["A", "A", "a"],
    ["order_id", "Order_id", "order_id"],
    ["_id", "_id", "_id"],
    ["élan", "Élan", "élan"],
    ["ß", "ß", "ß"],
    ["x1", "X1", "x1"],
    ["constructor", "Constructor", "constructor"],
  ])("%s: PascalCase %s, camelCase %s", (field, pascal, camel) => {
    expect(toWireName(field, "PascalCase")).toBe(pascal);
    expect(toWireName(field, "camelCase")).toBe(camel);
    expect(toWireName(field, "asDeclared")).toBe(field);
  });
});

describe("identifiers", () => {
  test.each(["a", "_", "_1", "Größe", "名前", "a".repeat(128), "x‌y", "constructor", "Ⅷ"])("%s is one", (text) => {
    expect(isSimpleIdentifier(text)).toBe(true);
  });

  test.each(["", "1a", "a-b", "a b", "a.b", "a".repeat(129), "$a", "@a", "a\n", "😀", "a/b", "'"])(
    "%j is none",
    (text) => {
      expect(isSimpleIdentifier(text)).toBe(false);
    },
  );

  test("are the names that the parsers of URLs accept", () => {
    const pieces = fc.constantFrom(
      "a",
      "Z",
      "_",
      "7",
      "é",
      "Ⅷ",
      "\u200C",
      "\u0301",
      "名",
      "😀",
      "𐐀",
      "-",
      " ",
      ".",
      "$",
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 3 }), fc.string({ unit: pieces })), (text) => {
        expect(isSimpleIdentifier(text)).toBe(isIdentifier(text));
      }),
      { numRuns: caseCount(1000) },
    );
  });
});

describe("namespaces", () => {
  test.each(["Default", "A.B.C", "_a._b", "Edm.My", "system", "x".repeat(128)])("%s is one", (text) => {
    expect(isNamespace(text)).toBe(true);
  });

  test.each(["", ".", "A.", ".A", "A..B", "Edm", "odata", "System", "Transient", "A B", `${"ab.".repeat(170)}xx`])(
    "%s is none",
    (text) => {
      expect(isNamespace(text)).toBe(false);
    },
  );
});
