import { expect, test } from "vitest";
import type { PropertyType } from "../../../explorer/src/model/model.ts";
import { filterPaths } from "../../../explorer/src/parts/query-form/filter-paths.ts";
import { NO_FILTER, writeFilter } from "../../../explorer/src/query/filter-tree.ts";
import { conditionOf, operatorFor, operatorsFor } from "../../../explorer/src/query/operators.ts";
import { COLOR, DAYS, primitive, property, setNamed } from "./sample-model.ts";

/** The filters of all operators of a type, in the order of their labels. */
function filtersOf(type: PropertyType, literal: string, isNullable = true): readonly string[] {
  return operatorsFor(property("A", type, { isNullable })).map((operator) => {
    const condition = conditionOf("A", operator, operator.values === "many" ? [literal, literal] : [literal]);
    expect(operatorFor(condition, operatorsFor(property("A", type)))).toEqual(operator);
    return `${operator.label}: ${writeFilter({ ...NO_FILTER, items: [condition] })}`;
  });
}

test("texts have operators in plain words", () => {
  expect(filtersOf(primitive("String"), "'a'")).toEqual([
    "contains: contains(A,'a')",
    "does not contain: not (contains(A,'a'))",
    "begins with: startswith(A,'a')",
    "ends with: endswith(A,'a')",
    "is: A eq 'a'",
    "is not: A ne 'a'",
    "is one of: A in ('a','a')",
    "is none of: not (A in ('a','a'))",
    "comes after: A gt 'a'",
    "comes after or is: A ge 'a'",
    "comes before: A lt 'a'",
    "comes before or is: A le 'a'",
    "is null: A eq null",
    "is not null: A ne null",
  ]);
});

test("numbers, dates and durations are compared in their words", () => {
  const labels = (type: string): readonly string[] =>
    operatorsFor(property("A", type, { isNullable: false })).map(({ label }) => label);
  expect(labels("Decimal")).toEqual([
    "is",
    "is not",
    "is more than",
    "is at least",
    "is less than",
    "is at most",
    "is one of",
    "is none of",
  ]);
  expect(labels("Date").slice(2, 6)).toEqual(["is after", "is on or after", "is before", "is on or before"]);
  expect(labels("Duration").slice(2, 6)).toEqual(["is longer than", "is at least", "is shorter than", "is at most"]);
  expect(labels("Boolean")).toEqual(["is", "is not", "is one of", "is none of"]);
});

test("enumerations include members if they are flags", () => {
  expect(filtersOf({ kind: "enum", enum: COLOR }, "Shop.Color'Red'", false)[0]).toBe("is: A eq Shop.Color'Red'");
  expect(filtersOf({ kind: "enum", enum: DAYS }, "Shop.Days'Monday'", false)).toEqual([
    "includes: A has Shop.Days'Monday'",
    "does not include: not (A has Shop.Days'Monday')",
    "is: A eq Shop.Days'Monday'",
    "is not: A ne Shop.Days'Monday'",
  ]);
});

test("letter case makes no difference if that is chosen", () => {
  const [contains] = operatorsFor(property("A", "String"));
  if (contains === undefined) throw new Error("A text has no operator.");
  expect(writeFilter({ ...NO_FILTER, items: [conditionOf("A", contains, ["'Ann'"], true)] })).toBe(
    "contains(tolower(A),'ann')",
  );
});

test("collections, streams and unknown types have no operators", () => {
  expect(operatorsFor(property("A", "String", { isCollection: true }))).toEqual([]);
  expect(operatorsFor(property("A", "Stream"))).toEqual([]);
});

test("a set permits properties, those of complex values included", () => {
  const paths = (set: string): readonly string[] =>
    filterPaths({ type: setNamed(set).type, set: setNamed(set) }).map(({ name }) => name);
  const own = ["Id", "Total", "PlacedAt", "Color", "Days", "IsPaid"];
  const customer = ["Customer/Code", "Customer/Name", "Customer/Address/City", "Customer/Address/Zip"];
  expect(paths("Orders")).toEqual([...own, ...customer, "Tags/$it", "Items/OrderId", "Items/No", "Items/Price"]);
  expect(paths("Customers").slice(0, 4)).toEqual(["Code", "Name", "Address/City", "Address/Zip"]);
});
