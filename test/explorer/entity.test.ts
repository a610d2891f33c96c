import { expect, test } from "vitest";
import { isRepeatable, writableValues } from "../../explorer/src/format/entity.ts";
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
