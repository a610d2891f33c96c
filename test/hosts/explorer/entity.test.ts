import { expect, test } from "vitest";
import { isRepeatable, unselectedNames, writableValues } from "../../../explorer/src/format/entity.ts";
import { entityType, property } from "./sample-model.ts";

const NOTE = entityType("Note", [
  property("Id", "Int32", { readOnly: true }),
  property("Title", "String"),
  property("Version", "Int32", { readOnly: true }),
  property("Changed", "DateTimeOffset", { readOnly: true }),
  property("Meta", "String", { readOnly: true }),
  property("Tags", "Int32", { isCollection: true, readOnly: true }),
]);
const VALUES = { Id: 1, Title: "a", Version: 3, Changed: "2024-02-29T13:20:00Z", Meta: null, Tags: null };

test("a new entity states what a write may state", () => {
  expect(writableValues(NOTE, VALUES)).toEqual({ Title: "a" });
});

test.each([
  [{}, true],
  [{ Meta: '{"a":1}' }, false],
  [{ Tags: [1] }, false],
  [{ Title: null }, true],
])("an entity with %j can be created again: %j", (changes, expected) => {
  expect(isRepeatable(NOTE, { ...VALUES, ...changes })).toBe(expected);
});

test("a key of text that the service sets is no content", () => {
  const type = entityType("Tag", [property("Slug", "String", { readOnly: true })]);
  expect(isRepeatable(type, { Slug: "a" })).toBe(true);
});

test("an entity without a value that a write may state cannot be created again", () => {
  const { Title: _, ...others } = VALUES;
  expect(isRepeatable(NOTE, others)).toBe(false);
});

test.each([
  ["Notes(Id,Title)/$entity", ["Version", "Changed", "Meta", "Tags"]],
  ["Notes/$entity", []],
  ["Users(1)/Note/$entity", []],
])("an entity with the context %s lacks %j", (context, expected) => {
  const values = { "@odata.context": `https://a.example/$metadata#${context}`, Id: 1, Title: "a" };
  expect(unselectedNames(NOTE, values)).toEqual(expected);
});
