import { keptPer } from "../../base/memo.ts";
import type { ComplexType, StructuralProperty } from "../../edm/model.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { ColumnFormat } from "./column-format.ts";

/** The maximum nesting of arrays and objects in a stored document. */
export const MAX_DOCUMENT_DEPTH = 200;

/** Reads a JSON value that is not null as a value of a property, or as an item of its collection. */
type ReadValue = (value: JsonValue) => unknown;

/**
 * Makes the reader of a column with JSON text: a collection, or a complex value by the application's keys. Values have
 * the format of OData JSON; numbers keep all their digits.
 * @param withIgnored whether complex values have their ignored members, too
 * @returns a reader that returns null for null and throws an Error if the text is not a value of the property
 */
export function readDocument(property: StructuralProperty, withIgnored = false): (cell: unknown) => unknown {
  const read = documentReader(property, { isCollection: property.isCollection, withIgnored });
  return (cell) => {
    if (cell === null || cell === undefined) return null;
    if (typeof cell !== "string") throw wrongDocument(property, `a value of type ${typeof cell}`);
    try {
      const value = parseJson(cell, { maxDepth: MAX_DOCUMENT_DEPTH });
      return value === null ? null : read(value);
    } catch (cause) {
      throw wrongDocument(property, "invalid JSON for that type", cause);
    }
  };
}

interface DocumentForm {
  readonly isCollection: boolean;
  readonly withIgnored: boolean;
}

function documentReader(property: StructuralProperty, { isCollection, withIgnored }: DocumentForm): ReadValue {
  if (isCollection) {
    const readItem = documentReader(property, { isCollection: false, withIgnored });
    return (value) => {
      if (!isArray(value)) throw wrongDocument(property, "JSON that is not an array");
      return value.map((item) => (item === null ? null : readItem(item)));
    };
  }
  const { type } = property;
  if (type.kind === "ComplexType") return (value) => readObject(property, type, value, withIgnored);
  const codec = codecOf(property);
  // Quoted numbers are read too: some programs quote numbers with many digits.
  return (value) => codec.fromJson(value, true);
}

/** Made once per member, since a complex type may contain itself. */
const memberReader = keptPer((member: StructuralProperty): ReadValue =>
  documentReader(member, { isCollection: member.isCollection, withIgnored: false }),
);
const wholeMemberReader = keptPer((member: StructuralProperty): ReadValue =>
  documentReader(member, { isCollection: member.isCollection, withIgnored: true }),
);

function readObject(property: StructuralProperty, type: ComplexType, value: JsonValue, withIgnored: boolean): unknown {
  if (!isJsonObject(value)) throw wrongDocument(property, "JSON that is not an object");
  const readMember = withIgnored ? wholeMemberReader : memberReader;
  const readOr = (member: StructuralProperty, none: unknown): readonly [string, unknown] => {
    const given = Object.hasOwn(value, member.field) ? (value[member.field] ?? null) : null;
    return [member.field, given === null ? none : readMember(member)(given)];
  };
  const members = type.properties.map((member) => readOr(member, null));
  if (!withIgnored) return Object.fromEntries(members);
  // Values that clients sent lack these members.
  const ignored = type.ignoredProperties.map((member) => readOr(member, member.isCollection ? [] : null));
  return Object.fromEntries([...members, ...ignored]);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Makes the error for a cell that contains no value of a property. @param what describes the actual content */
export function wrongDocument({ name, type, isCollection }: StructuralProperty, what: string, cause?: unknown): Error {
  const wanted = isCollection ? `a collection of ${type.name}` : type.name;
  const reason = cause instanceof Error ? ` ${cause.message}` : "";
  return new Error(`The database contains ${what} where ${name}, ${wanted}, is expected.${reason}`, { cause });
}

/**
 * Makes the reader of an array that was selected as a JSON array of texts.
 * @param format the format of an item
 * @returns a reader that returns null for null and throws an Error if a cell is not an array of such items
 */
export function readArray({ name, type }: StructuralProperty, format: ColumnFormat): (cell: unknown) => unknown {
  const readItem = (item: unknown): unknown => {
    if (item === null) return null;
    if (typeof item === "string") return format.toValue(item);
    throw new Error(
      `The database contains an array of several dimensions where ${name}, a collection of ${type.name}, is expected.`,
    );
  };
  return (cell) => {
    if (cell === null || cell === undefined) return null;
    const items: unknown = typeof cell === "string" ? JSON.parse(cell) : null;
    if (Array.isArray(items)) return items.map(readItem);
    throw new Error(`The database contains no array where ${name}, a collection of ${type.name}, is expected.`);
  };
}
