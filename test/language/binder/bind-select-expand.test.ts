import { describe, expect, test } from "vitest";
import type { SelectedProperty } from "../../../src/language/query/clauses.ts";
import { bindEntity, errorOf } from "./requests.ts";

function selection(selected: readonly SelectedProperty[]): string {
  return selected
    .map(({ property, nested }) => property.name + (nested === undefined ? "" : `(${selection(nested)})`))
    .join(",");
}

const everyProperty = selection(bindEntity("").selected);

test("without $select all properties are written, by one clause", () => {
  expect(everyProperty).toMatch(/^Id,Name,Price,.*,constructor$/);
  expect(bindEntity("")).toEqual({ selected: expect.any(Array), isSelection: false, contextSelect: [], expanded: [] });
  expect(bindEntity("")).toBe(bindEntity("$format=json"));
});

test.each([
  ["Name", "Name", ["Name"]],
  ["Price,Name,Id", "Id,Name,Price", ["Price", "Name", "Id"]],
  ["name , PRICE", "Name,Price", ["Name", "Price"]],
  ["Name,Name,name", "Name", ["Name"]],
  ["Address/City", "Address(City)", ["Address/City"]],
  [
    "address/CITY,Address/Location/Latitude,Address/Street",
    "Address(Street,City,Location(Latitude))",
    ["Address/City", "Address/Location/Latitude", "Address/Street"],
  ],
  ["Address/City,Address", "Address", ["Address/City", "Address"]],
  ["Address,Address/City", "Address", ["Address", "Address/City"]],
  ["Address,Address/Location/Latitude", "Address", ["Address", "Address/Location/Latitude"]],
  [
    "Address/Location,Address/Location/Latitude",
    "Address(Location)",
    ["Address/Location", "Address/Location/Latitude"],
  ],
  ["Places/City", "Places(City)", ["Places/City"]],
  ["Tags,constructor", "Tags,constructor", ["Tags", "constructor"]],
  ["Supplier", "", ["Supplier"]],
  ["Name,Parts", "Name", ["Name", "Parts"]],
  ["Shop.Total,Name", "Name", ["Shop.Total", "Name"]],
  ["Shop.Total(a,b),Shop.*", "", ["Shop.Total(a,b)", "Shop.*"]],
])("$select=%s", (text, selected, contextSelect) => {
  const clause = bindEntity(`$select=${text}`);
  expect(selection(clause.selected)).toBe(selected);
  expect(clause).toMatchObject({ isSelection: true, contextSelect });
});

test.each([
  ["*", ["*"]],
  ["name,*,Address/City", ["*"]],
  ["*,Supplier,*", ["*", "Supplier"]],
])("$select=%s selects everything", (text, contextSelect) => {
  const clause = bindEntity(`$select=${text}`);
  expect(selection(clause.selected)).toBe(everyProperty);
  expect(clause).toMatchObject({ isSelection: false, contextSelect });
});

describe("$select refuses", () => {
  test.each([
    ["Naem", "at position 0: 'Product' has no property 'Naem'. Did you mean 'Name'?"],
    ["Name,Address/Cty", "at position 5: 'Address' has no property 'Cty'. Did you mean 'City'?"],
    ["*,Naem", "at position 2: 'Product' has no property 'Naem'. Did you mean 'Name'?"],
    ["Name/Length", "at position 0: 'Name' is Edm.String and has no property 'Length'."],
    ["Supplier/Name", "at position 0: 'Supplier' is a navigation property: write $expand=Supplier($select=…)."],
    ["Shop.Totl", "at position 0: Unknown operation 'Shop.Totl'. Did you mean 'Shop.Total'?"],
    ["Other.*", "at position 0: Unknown operation 'Other.*'."],
    ["Address.City", "at position 0: Unknown operation 'Address.City'. Write a path with slashes: Address/City."],
    ["Other.Call(a)", "at position 0: Unknown operation 'Other.Call(a)'."],
    [`Name,${"Address/".repeat(100)}City`, "at position 5: A path may have at most 100 segments: shorten it."],
    ["__proto__", "at position 0: 'Product' has no property '__proto__'."],
  ])("%.60s", (text, message) => {
    const expected = [400, "InvalidQueryOption", "$select", `$select ${message}`];
    expect(errorOf(() => bindEntity(`$select=${text}`))).toEqual(expected);
  });
});
