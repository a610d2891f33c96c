import { parseJson } from "../../base/json/parse-json.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  writeJsonString,
  writeJson,
} from "../../base/json/write-json.ts";
import { keptPer } from "../../base/memo.ts";
import { changesMember, completeValue, isPartial } from "../../definition/sets/merge-delta.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { RowColumn, RowShape } from "../../language/query/row-shape.ts";
import { MAX_DOCUMENT_DEPTH, wrongDocument } from "../columns/column-format.ts";

/** Writes a value that is not null: of a property, or an item of its collection. */
type WriteValue = (value: unknown) => string;

/**
 * Makes the writer of a collection, or of a complex value by the application's keys, as JSON text for `readDocument`.
 * @param property its values are in canonical form, as read from bodies
 */
export function writeDocument(property: StructuralProperty): WriteValue {
  return writerOf(property, property.isCollection);
}

function writerOf(property: StructuralProperty, isCollection: boolean): WriteValue {
  if (isCollection) {
    const writeItem = nullableWriter(writerOf(property, false));
    return (value) => `[${(value as readonly unknown[]).map(writeItem).join(",")}]`;
  }
  const { type } = property;
  if (type.kind !== "ComplexType") {
    const codec = codecOf(property);
    return (value) => codec.toJson(value as PrimitiveValue, false);
  }
  return (value) => {
    const members = type.properties.map((member) => {
      const given: unknown = Object.hasOwn(value as object, member.field)
        ? Reflect.get(value as object, member.field)
        : null;
      return `${writeJsonString(member.field)}:${nullableWriter(memberWriter(member))(given)}`;
    });
    return `{${members.join(",")}}`;
  };
}

/** Made once per member, since a complex type may contain itself. */
const memberWriter = keptPer((member: StructuralProperty): WriteValue => writerOf(member, member.isCollection));

function nullableWriter(write: WriteValue): WriteValue {
  return (value) => (value === null || value === undefined ? "null" : write(value));
}

/**
 * Makes the reader of a stored document, for a write that keeps parts of it. Collections have no such parts, so they stay as
 * they are.
 * @returns a reader that throws an Error if a complex value is not a JSON object. A member that should be an object but is not
 * counts as null.
 */
export function storedDocument(property: StructuralProperty): (cell: unknown) => unknown {
  if (property.isCollection || property.type.kind !== "ComplexType") return (cell) => cell;
  return (cell) => {
    if (cell === null || cell === undefined) return null;
    if (typeof cell !== "string") throw wrongDocument(property, `a value of type ${typeof cell}`);
    const stored = parseStored(property, cell);
    if (stored === null || isJsonObject(stored)) return stored;
    throw wrongDocument(property, "JSON that is not an object");
  };
}

function parseStored(property: StructuralProperty, text: string): JsonValue {
  try {
    return parseJson(text, { maxDepth: MAX_DOCUMENT_DEPTH });
  } catch (cause) {
    throw wrongDocument(property, "invalid JSON for that type", cause);
  }
}

/**
 * Returns the JSON text of a complex value that replaces another, with the members of the stored value that no request
 * writes: ignored and computed ones.
 * @param stored the value of `storedDocument`
 */
export function replaceDocument(property: StructuralProperty, stored: JsonValue, value: unknown): string {
  const { type } = property;
  if (value === null || value === undefined) return "null";
  if (type.kind !== "ComplexType" || !isPartial(property, value) || !isJsonObject(stored)) {
    return writeDocument(property)(value);
  }
  const keep = ({ field }: StructuralProperty): string => writeJson(memberOf(stored, field));
  const written = type.properties.map((member) => {
    const { field, computed } = member;
    const given = Object.hasOwn(value, field) ? value[field] : null;
    return [field, computed ? keep(member) : replaceDocument(member, memberOf(stored, field), given)] as const;
  });
  const ignored = type.ignoredProperties
    .filter(({ field }) => Object.hasOwn(stored, field))
    .map((member) => [member.field, keep(member)] as const);
  return `{${[...written, ...ignored].map(([name, json]) => `${writeJsonString(name)}:${json}`).join(",")}}`;
}

/**
 * Returns the JSON text of a complex value after a change is merged into it. Members that the change does not mention are
 * kept, even if they are not in the model.
 * @param stored the value of `storedDocument`
 * @param path the enclosing complex properties, and the property itself
 * @throws IncompleteValueError
 */
export function mergeDocument(
  property: StructuralProperty,
  stored: JsonValue,
  change: unknown,
  path: readonly StructuralProperty[],
): string {
  const { type } = property;
  if (change === null) return "null";
  if (type.kind !== "ComplexType" || !isPartial(property, change)) return writeDocument(property)(change);
  if (!isJsonObject(stored)) return writeDocument(property)(completeValue(type, change, path));
  const changed = new Map(
    type.properties
      .filter((member) => changesMember(member, change))
      .map((member) => {
        const current = memberOf(stored, member.field);
        return [member.field, mergeDocument(member, current, change[member.field], [...path, member])] as const;
      }),
  );
  const names = new Set([...Object.keys(stored), ...changed.keys()]);
  const members = Array.from(names, (name) => {
    return `${writeJsonString(name)}:${changed.get(name) ?? writeJson(memberOf(stored, name))}`;
  });
  return `{${members.join(",")}}`;
}

function memberOf(stored: JsonObject, name: string): JsonValue {
  return Object.hasOwn(stored, name) ? (stored[name] ?? null) : null;
}

/**
 * Makes the cells of complex values null that cannot be read.
 * @see docs/reference/table-writes.md
 */
export function withoutUnreadable(columns: RowShape["columns"]): RowShape["columns"] {
  return new Map(
    Array.from(columns, ([property, column]) => [
      property,
      property.type.kind === "ComplexType" ? forgiven(column) : column,
    ]),
  );
}

function forgiven(column: RowColumn): RowColumn {
  if (column.kind !== "complex") return { ...column, unreadable: column.unreadable ?? (() => undefined) };
  return { ...column, members: new Map(Array.from(column.members, ([member, each]) => [member, forgiven(each)])) };
}
