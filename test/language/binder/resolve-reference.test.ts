import fc from "fast-check";
import { edm, entitySet, entityType, odataError, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { isODataError } from "../../../src/base/errors/odata-error.ts";
import { resolveReference } from "../../../src/language/binder/resolve-reference.ts";
import { anyCharacter } from "../../any-character.ts";
import { caseCount } from "../../cases.ts";

const Customer = entityType("Customer", { id: edm.int32().key() });
const Line = entityType("Line", { order: edm.int64().key(), name: edm.string().key() });
const { model } = odataService({
  prefix: "/shop",
  entitySets: [entitySet(Customer, { getAll: () => [] }), entitySet(Line, { getAll: () => [] })],
});
const serviceRoot = "https://shop.example:8443/api/shop";
const scope = { model, serviceRoot, requestUrl: `${serviceRoot}/Customers(1)/Orders/$ref` };

function resolve(id: string): readonly [set: string, key: unknown] | string {
  try {
    const { entitySet: found, key } = resolveReference(id, scope, (problem) => odataError(400, "Fault", problem));
    return [found.name, key];
  } catch (error) {
    if (isODataError(error) && error.code === "Fault") return error.message;
    throw error;
  }
}

describe("a reference", () => {
  test.each<readonly [string, string, unknown]>([
    ["Customers(5)", "Customers", 5],
    ["Customers(Id=5)", "Customers", 5],
    ["/api/shop/Customers(5)", "Customers", 5],
    ["https://shop.example:8443/api/shop/Customers(5)", "Customers", 5],
    ["HTTPS://Shop.Example:8443/api/shop/Customers(5)", "Customers", 5],
    ["Customers(5)/", "Customers", 5],
    ["Lines(Order=9007199254740993,Name='it''s%2Fa%20b')", "Lines", { order: 9007199254740993n, name: "it's/a b" }],
    ["../../Customers(5)", "Customers", 5],
    ["./../../Customers(5)", "Customers", 5],
    ["../../../shop/Customers(5)", "Customers", 5],
    ["../../../../api/./shop/Customers(5)", "Customers", 5],
    ["../../Customers(5)/../Customers(6)", "Customers", 6],
    ["../../Lines(Order=1,Name='..%2F.')", "Lines", { order: 1n, name: "../." }],
    ["Lines(Name='%3F%23',Order=1)", "Lines", { order: 1n, name: "?#" }],
  ])("%s", (id, set, key) => {
    expect(resolve(id)).toEqual([set, key]);
  });

  test.each([
    "https://shop.example/api/shop/Customers(5)",
    "http://shop.example:8443/api/shop/Customers(5)",
    "https://shop.example:8443/api/shopping/Customers(5)",
    "https://shop.example:8443/Customers(5)",
    "https://shop.example:8443@elsewhere.example/api/shop/Customers(5)",
    "//shop.example:8443/api/shop/Customers(5)",
    "/Customers(5)",
    "javascript:alert(1)",
    "",
    "/",
    "Customers",
    "Customers()",
    "Customers(5)/Id",
    "Customers(5)?$select=Id",
    "Customers(5)#top",
    "Customers('5')",
    "Customers(@p)",
    "Customers(5),Customers(6)",
    "customers(5)",
    "$metadata",
    "../Customers(5)",
    "./Customers(5)",
    "../../../Customers(5)",
    "../../../../../Customers(5)",
    "../../../../../../Customers(5)",
    "../../",
    "../../Customers(5)/Id",
    "../../Customers(5)?$select=Id",
    "../..//Customers(5)",
    "..Customers(5)",
    "..",
    "Customers(5)/../Customers(6)",
    "%",
    "Lines(1)",
  ])("not %s", (id) => {
    expect(resolve(id)).toEqual(expect.any(String));
  });

  test("of any text is a key or an error", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "Customers",
        "Lines",
        "(",
        ")",
        "5",
        "'",
        "/",
        "//",
        "https:",
        "shop.example",
        ":8443",
        "%2F",
        "..",
        "?",
        "#",
        "=",
      ),
      fc.string({ unit: anyCharacter, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        resolve(pieces.join(""));
      }),
      { numRuns: caseCount(2000) },
    );
  });
});
