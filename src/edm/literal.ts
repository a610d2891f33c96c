import { attempt } from "../base/maybe.ts";
import { dateToDateTimeOffset } from "./date-time-offset.ts";
import { flagsFromText } from "./enum-codec.ts";
import type { EnumType, EntityType, StructuralProperty } from "./model.ts";
import type { Facets, PrimitiveType, PrimitiveTypeName } from "./primitive-type.ts";
import { describeValue, InvalidValueError, type PrimitiveValue, type ValueCodec } from "./value-codec.ts";
import { valueCodec } from "./value-codecs.ts";

/** A literal in a URL: the type by its spelling, and its text without prefix and quotes. */
interface SpelledLiteral {
  readonly type: PrimitiveTypeName | "enum" | "geo";
  readonly text: string;
  /** The qualified name before the quote, of an enum literal. */
  readonly typeName?: string | undefined;
}

/** Types whose literals are numbers. Each may be read as any other type that can represent the number. */
const NUMERIC: ReadonlySet<string> = new Set<PrimitiveTypeName>([
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Single",
  "Edm.Double",
  "Edm.Decimal",
]);

/** Types without quotes in the standard, which clients send in quotes, too. */
const QUOTED: ReadonlySet<string> = new Set<PrimitiveTypeName>([
  "Edm.Guid",
  "Edm.Date",
  "Edm.TimeOfDay",
  "Edm.DateTimeOffset",
]);

/** The form of a date. @see OData ABNF, rule date */
const DATE = /^-?\d{4,}-\d\d-\d\d$/;

const EXAMPLES: Readonly<Record<PrimitiveTypeName, string>> = {
  "Edm.Boolean": "true or false",
  "Edm.Byte": "a number such as 5",
  "Edm.SByte": "a number such as 5",
  "Edm.Int16": "a number such as 5",
  "Edm.Int32": "a number such as 5",
  "Edm.Int64": "a number such as 5",
  "Edm.Single": "a number such as 1.5",
  "Edm.Double": "a number such as 1.5",
  "Edm.Decimal": "a number such as 1.5",
  "Edm.String": "a string in quotes, such as 'text'",
  "Edm.Guid": "01234567-89ab-cdef-0123-456789abcdef",
  "Edm.Binary": "binary'T0RhdGE'",
  "Edm.Date": "2024-02-29",
  "Edm.TimeOfDay": "13:20:00",
  "Edm.DateTimeOffset": "2024-02-29T13:20:00Z",
  "Edm.Duration": "duration'P1DT2H30M'",
};

/**
 * Returns the canonical value of a URL literal for a type. It accepts a number for any numeric type that can represent it
 * (only digits for an integer type), a date for a DateTimeOffset as midnight UTC, a string for a type that
 * `isWrittenInQuotes`, and otherwise a literal of the same type.
 * @param target the type of the property, parameter or operand
 * @param facets limits for the value
 * @throws InvalidValueError with an example of a literal of the type
 * @see OData URL Conventions 4.0, section 5.1.1.6.1
 */
export function fromLiteral(
  literal: SpelledLiteral,
  target: PrimitiveType | EnumType,
  facets?: Facets,
): PrimitiveValue {
  const codec = valueCodec(target, facets);
  const wanted = target.kind === "EnumType" ? target.qualifiedName : target.name;
  if (wanted === "Edm.DateTimeOffset" && isDate(literal)) return codec.fromText(dateToDateTimeOffset(literal.text));
  if (isSpelledFor(literal, target)) return codec.fromText(literal.text);
  const spelled = literal.type === "enum" || literal.type === "geo" ? (literal.typeName ?? literal.type) : literal.type;
  const advice = correctSpelling(literal, codec) ?? exampleOf(target);
  throw new InvalidValueError(
    `${describeValue(literal.text)} is written as ${spelled} where ${wanted} is expected: write ${advice}.`,
  );
}

/**
 * Converts a literal in a comparison like `fromLiteral`, but flags may have bits without a member.
 * @throws InvalidValueError as `fromLiteral`
 */
export function fromComparedLiteral(literal: SpelledLiteral, target: PrimitiveType | EnumType): PrimitiveValue {
  const isFlags = target.kind === "EnumType" && target.isFlags && isSpelledFor(literal, target);
  return isFlags ? flagsFromText(target, literal.text) : fromLiteral(literal, target);
}

/**
 * Returns whether a literal of a type may be a string in quotes: for enumerations, whose type name may be omitted, and for
 * Guids, dates and times, which many clients send in quotes.
 * @see docs/reference/filter.md, Literals
 */
export function isWrittenInQuotes(type: PrimitiveType | EnumType): boolean {
  return type.kind === "EnumType" || QUOTED.has(type.name);
}

function isDate({ type, text }: SpelledLiteral): boolean {
  return type === "Edm.Date" || (type === "Edm.String" && DATE.test(text));
}

function isSpelledFor(literal: SpelledLiteral, target: PrimitiveType | EnumType): boolean {
  if (literal.type === "Edm.String" && isWrittenInQuotes(target)) return true;
  if (target.kind === "EnumType") return literal.type === "enum" && literal.typeName === target.qualifiedName;
  return literal.type === target.name || (NUMERIC.has(literal.type) && NUMERIC.has(target.name));
}

/** Returns the correct literal if the text is a value of the type; otherwise null. */
function correctSpelling(literal: SpelledLiteral, codec: ValueCodec): string | null {
  const spelling = attempt(() => codec.toLiteral(codec.fromText(literal.text)), InvalidValueError);
  return spelling instanceof InvalidValueError ? null : spelling;
}

function exampleOf(target: PrimitiveType | EnumType): string {
  if (target.kind === "PrimitiveType") return EXAMPLES[target.name];
  const [name = ""] = target.members.keys();
  return `${target.qualifiedName}'${name}' or '${name}'`;
}

/**
 * Returns the values of a key in the application's form, in the order of its properties.
 * @param key the value of a single key, or an object of the values of a composite one by field
 * @throws TypeError if a value is missing
 */
export function keyValues(properties: readonly StructuralProperty[], key: unknown): readonly PrimitiveValue[] {
  // The spread makes `__proto__` an ordinary field.
  const members: Readonly<Record<string, unknown>> = properties.length === 1 ? {} : { ...(key as object) };
  return properties.map(({ name, field }) => {
    const value = properties.length === 1 ? key : members[field];
    if (isPrimitiveValue(value)) return value;
    throw new TypeError(`The key lacks a value for ${name}.`);
  });
}

/** Returns the key of an entity in the application's form. */
export function keyIn({ key: properties }: EntityType, entity: object): unknown {
  const [single] = properties;
  if (single !== undefined && properties.length === 1) return Reflect.get(entity, single.field);
  return Object.freeze(Object.fromEntries(properties.map(({ field }) => [field, Reflect.get(entity, field)])));
}

/** Returns the key with these values, in the order of its properties, in the application's form. */
export function keyOf(entityType: EntityType, values: readonly PrimitiveValue[]): unknown {
  return keyIn(entityType, Object.fromEntries(entityType.key.map(({ field }, index) => [field, values[index]])));
}

/** Returns a key in the application's form as an object with the key fields of the entity. */
export function keyFields({ key: properties }: EntityType, key: unknown): object {
  const values = keyValues(properties, key);
  return Object.fromEntries(properties.map(({ field }, index) => [field, values[index]]));
}

function isPrimitiveValue(value: unknown): value is PrimitiveValue {
  return value instanceof Uint8Array || ["boolean", "number", "bigint", "string"].includes(typeof value);
}
