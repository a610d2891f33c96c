import { dateToDateTimeOffset } from "./date-time-offset.ts";
import { flagsFromText } from "./enum-codec.ts";
import { describeValue } from "./invalid-value.ts";
import type { EnumType } from "./model.ts";
import type { Facets, PrimitiveType, PrimitiveTypeName } from "./primitive-type.ts";
import { InvalidValueError, type PrimitiveValue, type ValueCodec } from "./value-codec.ts";
import { valueCodec } from "./value-codecs.ts";

/** A literal as it is spelled in a URL: the type that its spelling says, and its text without prefix and quotes. */
export interface SpelledLiteral {
  readonly type: PrimitiveTypeName | "enum" | "geo";
  readonly text: string;
  /** The qualified name before the quote, of an enum literal. */
  readonly typeName?: string | undefined;
}

/** Types whose literals are numbers: each may be read as any other, as far as the number itself allows it. */
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

/** How a literal of a type is written, for types whose spelling is not evident. */
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
  "Edm.String": "a text in quotes, such as 'text'",
  "Edm.Guid": "01234567-89ab-cdef-0123-456789abcdef",
  "Edm.Binary": "binary'T0RhdGE'",
  "Edm.Date": "2024-02-29, without quotes",
  "Edm.TimeOfDay": "13:20:00, without quotes",
  "Edm.DateTimeOffset": "2024-02-29T13:20:00Z, without quotes",
  "Edm.Duration": "duration'P1DT2H30M'",
};

/**
 * The canonical value of a URL literal for a place that wants a type: a number for any numeric type that holds it (an
 * integer type takes digits only), a date for a DateTimeOffset as midnight UTC, a string for an enumeration or a Guid,
 * and otherwise a literal of the very type.
 * @param target the type of the property, parameter or operand
 * @param facets limits that the value is checked against
 * @throws InvalidValueError that says how to write a literal of the type
 * @see OData URL Conventions 4.0, section 5.1.1.6.1
 */
export function fromLiteral(
  literal: SpelledLiteral,
  target: PrimitiveType | EnumType,
  facets?: Facets,
): PrimitiveValue {
  const codec = valueCodec(target, facets);
  if (isSpelledFor(literal, target)) return codec.fromText(literal.text);
  const wanted = target.kind === "EnumType" ? target.qualifiedName : target.name;
  if (wanted === "Edm.DateTimeOffset" && literal.type === "Edm.Date") {
    return codec.fromText(dateToDateTimeOffset(literal.text));
  }
  const spelled = literal.type === "enum" || literal.type === "geo" ? (literal.typeName ?? literal.type) : literal.type;
  const advice = correctSpelling(literal, codec) ?? exampleOf(target);
  throw new InvalidValueError(
    `${describeValue(literal.text)} is written as ${spelled} where ${wanted} is expected: write ${advice}.`,
  );
}

/**
 * As `fromLiteral`, for a literal that values are compared with: flags may have bits that no member has.
 * @throws InvalidValueError as `fromLiteral`
 */
export function fromComparedLiteral(literal: SpelledLiteral, target: PrimitiveType | EnumType): PrimitiveValue {
  const isFlags = target.kind === "EnumType" && target.isFlags && isSpelledFor(literal, target);
  return isFlags ? flagsFromText(target, literal.text) : fromLiteral(literal, target);
}

/**
 * Tells whether a value of a type may be written as a text in quotes: the members of an enumeration, whose type name
 * may be omitted, and Guids, which many clients send in quotes. The literal of a string does not count.
 * @see docs/reference/filter.md, Literals
 */
export function isWrittenInQuotes(type: PrimitiveType | EnumType): boolean {
  return type.kind === "EnumType" || type.name === "Edm.Guid";
}

/** Whether the spelling of a literal is one of the target's own. */
function isSpelledFor(literal: SpelledLiteral, target: PrimitiveType | EnumType): boolean {
  if (literal.type === "Edm.String" && isWrittenInQuotes(target)) return true;
  if (target.kind === "EnumType") return literal.type === "enum" && literal.typeName === target.qualifiedName;
  return literal.type === target.name || (NUMERIC.has(literal.type) && NUMERIC.has(target.name));
}

/** The literal that was most likely meant, when the text is that of a value of the type; null when it is not. */
function correctSpelling(literal: SpelledLiteral, codec: ValueCodec): string | null {
  try {
    return codec.toLiteral(codec.fromText(literal.text));
  } catch (error) {
    if (error instanceof InvalidValueError) return null;
    throw error;
  }
}

function exampleOf(target: PrimitiveType | EnumType): string {
  if (target.kind === "PrimitiveType") return EXAMPLES[target.name];
  const [name = ""] = target.members.keys();
  return `${target.qualifiedName}'${name}' or '${name}'`;
}
