import { daysInMonth } from "../../../src/edm/calendar.ts";
import { INTEGER_BOUNDS } from "../../../src/edm/integer-bounds.ts";
import { toEntity } from "../format/entity.ts";
import { isNumeric } from "../format/show-value.ts";
import type { EntitySet, EnumType, Property, PropertyType, StructuredType } from "../model/model.ts";
import { encode } from "./option-text.ts";

/** The type of a property or parameter. */
export type ValueShape = Pick<Property, "type" | "isCollection">;

/** The literal of a URL that a person typed, or its fault. */
export interface TypedLiteral {
  readonly literal: string | null;
  readonly message: string | null;
}

/** The pattern of the texts of a type, the advice for people, and the repair of a text that has one meaning only. */
type TextForm = readonly [pattern: RegExp, advice: string, repair?: (text: string) => string];

const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?`;
const DATE = String.raw`-?\d{4,}-\d\d-\d\d`;
const DECIMAL = String.raw`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`;
const INTEGER: TextForm = [/^-?\d+$/u, "Type a whole number, such as 5.", bare];
const DOUBLE: TextForm = [
  new RegExp(`^(?:${DECIMAL}|-?INF|NaN)$`, "iu"),
  "Type a number with a decimal point, such as 1.5, or INF, -INF or NaN.",
  (text) => bare(text).replace(/inf$/iu, "INF").replace(/^nan$/iu, "NaN"),
];
const FORMS: Readonly<Record<string, TextForm>> = {
  ...Object.fromEntries(Object.keys(INTEGER_BOUNDS).map((name) => [name, INTEGER])),
  "Edm.Decimal": [new RegExp(`^${DECIMAL}$`, "iu"), "Type a number with a decimal point, such as 1.5.", bare],
  "Edm.Single": DOUBLE,
  "Edm.Double": DOUBLE,
  "Edm.Boolean": [/^(?:true|false)$/u, "Type true or false.", (text) => text.toLowerCase()],
  "Edm.Guid": [
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu,
    "Type 32 hexadecimal digits in five groups, such as 01234567-89ab-cdef-0123-456789abcdef.",
    (text) => text.replace(/^\{(.*)\}$/u, "$1"),
  ],
  "Edm.Date": [new RegExp(`^${DATE}$`, "u"), "Type year, month and day, such as 2024-02-29."],
  "Edm.TimeOfDay": [new RegExp(`^${CLOCK}$`, "u"), "Type hours and minutes, such as 13:20 or 13:20:05.5."],
  "Edm.DateTimeOffset": [
    new RegExp(String.raw`^${DATE}T${CLOCK}(?:Z|[-+]\d\d:\d\d)$`, "u"),
    "Type a date and a time with Z or an offset, such as 2024-02-29T13:20:00Z or 2024-02-29T13:20:00+01:00.",
    (text) => text.replace(/(?<![ t])[ t]+(?=\d\d:)/iu, "T").replace(/(?<! ) *z$/iu, "Z"),
  ],
  "Edm.Duration": [
    /^-?P(?=\d|T\d)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/u,
    "Type days, hours, minutes and seconds, such as P1DT2H30M or PT45S.",
    (text) => bare(text).toUpperCase(),
  ],
  "Edm.Binary": [
    /^(?:[\w-]{4})*(?:[\w-]{2}(?:==)?|[\w-]{3}=?)?$/u,
    "Type base64url, such as T0RhdGE.",
    (text) => text.replaceAll("+", "-").replaceAll("/", "_"),
  ],
};

/** The prefix before the quotes of a literal. */
const PREFIXES: Readonly<Record<string, string>> = {
  "Edm.String": "",
  "Edm.Duration": "duration",
  "Edm.Binary": "binary",
};

/** Removes a plus sign, and zeros before a number. */
function bare(text: string): string {
  return text.replace(/^\+/u, "").replace(/^(-?)0+(?=\d)/u, "$1");
}

function formOfEnum({ members, isFlags }: EnumType): TextForm {
  const nameOf = (text: string): string => members.find(({ name, value }) => [name, value].includes(text))?.name ?? "?";
  const names = members.map(({ name }) => name);
  const list = [...names.slice(0, 8), ...(names.length > 8 ? ["…"] : [])].join(", ");
  return [
    isFlags ? /^[^?]+$/u : /^[^?,]+$/u,
    `Type one of ${list}${isFlags ? ", or several with commas between them" : ""}.`,
    (text) => Array.from(text.split(","), (name) => nameOf(name.trim())).join(","),
  ];
}

/**
 * Writes a JSON value, as the service sends it with `IEEE754Compatible=true`, as a literal of a URL, not yet percent-encoded.
 * @see OData URL Conventions 4.0, section 5.1.1.6.1; ABNF primitiveLiteral
 */
export function toLiteral(value: unknown, type: PropertyType): string {
  if (value === null || value === undefined) return "null";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // 1e+21: the plus sign says nothing, and some clients send it as a blank.
  if (isNumeric(type)) return text.replace("+", "");
  if (type.kind === "complex") return text;
  const prefix = type.kind === "enum" ? type.enum.qualifiedName : PREFIXES[type.name];
  return prefix === undefined ? text : `${prefix}'${text.replaceAll("'", "''")}'`;
}

/** Returns the value of a literal as a person types it: without quotes and prefix. */
export function literalText(literal: string): string {
  const [, text] = /^[\w.]*'(.*)'$/su.exec(literal) ?? [];
  return text?.replaceAll("''", "'") ?? literal;
}

/** Reads a typed text as a literal of a type, or returns its fault. Of a string, quotes and blanks count. */
export function readTyped(typed: string, type: PropertyType): TypedLiteral {
  const wrong = (message: string): TypedLiteral => ({ literal: null, message });
  if (type.kind === "complex") return wrong(`${type.type.name} has no literal. Choose one of its properties.`);
  const name = type.kind === "enum" ? type.enum.qualifiedName : type.name;
  if (name === "Edm.String") return { literal: toLiteral(typed, type), message: null };
  const form = type.kind === "enum" ? formOfEnum(type.enum) : FORMS[name];
  if (form === undefined) return wrong(`Values of ${name} cannot be compared.`);
  const [pattern, hint, repair] = form;
  const trimmed = typed.trim();
  const text = repair?.(trimmed) ?? trimmed;
  const advice = pattern.test(text) ? limitOf(text, name) : hint;
  if (advice === null) return { literal: toLiteral(text, type), message: null };
  const shown = trimmed.length > 40 ? `${trimmed.slice(0, 40)}…` : trimmed;
  return wrong(`${shown === "" ? "A value is missing." : `“${shown}” is not valid.`} ${advice}`);
}

/** Returns the limit that a value exceeds: the range of its type, or its month; null for none. */
function limitOf(text: string, type: string): string | null {
  const [least, greatest] = INTEGER_BOUNDS[type] ?? [];
  if (least !== undefined && BigInt(text) < least) return `The least value is ${least}.`;
  if (greatest !== undefined && BigInt(text) > greatest) return `The greatest value is ${greatest}.`;
  if (!type.startsWith("Edm.Date")) return null;
  const [, year, month, day] = (/^-?(\d+)-(\d+)-(\d+)/u.exec(text) ?? []).map(Number);
  const isDay = day !== undefined && day > 0 && day <= daysInMonth(Number(year), Number(month));
  return isDay ? null : "The month has no such day.";
}

/** Returns whether a value is edited as JSON: a complex value, or several values. */
export function isEditedAsJson({ type, isCollection }: ValueShape): boolean {
  return isCollection || type.kind === "complex";
}

/** Reads a typed text as the member of a body with `IEEE754Compatible=true`, or returns its fault. */
export function readTypedJson(typed: string, shape: ValueShape): { value: unknown; message: string | null } {
  const { type, isCollection } = shape;
  if (!isEditedAsJson(shape)) {
    const { literal, message } = readTyped(typed, type);
    return { value: literal === null ? null : jsonOf(literalText(literal), type), message };
  }
  try {
    const value: unknown = JSON.parse(typed);
    if (Array.isArray(value) === isCollection) return { value, message: null };
    const message = isCollection ? "Type an array, such as [1, 2]." : 'Type an object, such as {"A": 1}.';
    return { value: null, message };
  } catch (error) {
    return { value: null, message: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Returns a Boolean or a number for a text. Int64, Decimal, INF and NaN are texts. */
function jsonOf(text: string, type: PropertyType): unknown {
  const isPlain = type.kind === "primitive" && /^Edm\.(?:Boolean|S?Byte|Int16|Int32|Single|Double)$/u.test(type.name);
  return isPlain && !/[IN]/u.test(text) ? JSON.parse(text) : text;
}

/** Returns a value of JSON as the text that a person edits. */
export function typedOf(value: unknown, shape: ValueShape): string {
  if (value === null || value === undefined) return "";
  if (isEditedAsJson(shape)) return JSON.stringify(value, null, 2);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Writes the key of an entity, percent-encoded for a path: `(5)`, `(Id=5,No='A%2FB')`; null if a value of it is missing. */
export function keyPredicate({ key }: StructuredType, entity: Readonly<Record<string, unknown>>): string | null {
  if (key.length === 0 || key.some(({ name }) => (entity[name] ?? null) === null)) return null;
  const values = key.map(({ name, type }) => encodeSegment(toLiteral(entity[name], type)));
  const parts = values.map((value, index) => `${encodeSegment(key[index]?.name ?? "")}=${value}`);
  return `(${values.length === 1 ? values.join("") : parts.join(",")})`;
}

/** Returns the path of a record of a set; null if the set does not permit reading by key. */
export function recordPath(set: EntitySet | null | undefined, body: unknown): string | null {
  if (set?.abilities.canReadByKey !== true) return null;
  const key = keyPredicate(set.type, toEntity(body)?.values ?? {});
  return key === null ? null : set.name + key;
}

/** Encodes a text for one segment of a path. Quotes, parentheses, commas, colons and signs stay readable. */
export function encodeSegment(text: string): string {
  return encode(text, /%(?:2C|3A|3D|40|24)/gu);
}
