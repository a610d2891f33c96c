import type { PropertyType, StructuredType } from "../model/model.ts";

/** What a person typed, as a literal of a URL, or what is wrong with it. */
export type TypedLiteral =
  | { readonly literal: string; readonly message: null }
  | { readonly literal: null; readonly message: string };

/**
 * Writes a JSON value as a literal of a URL, not yet percent-encoded.
 * @param value as the service sends it with `IEEE754Compatible=true`
 * @see OData URL Conventions 4.0, section 5.1.1.6.1; ABNF primitiveLiteral
 */
export function toLiteral(value: unknown, type: PropertyType): string {
  if (value === null || value === undefined) return "null";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (type.kind === "enum") return `${type.enum.qualifiedName}${quoted(text)}`;
  if (type.kind === "complex") return text;
  if (BARE.has(type.name)) return text;
  switch (type.name) {
    case "Edm.Duration":
      return `duration${quoted(text)}`;
    case "Edm.Binary":
      return `binary${quoted(text)}`;
    case "Edm.Single":
    case "Edm.Double":
      // 1e+21: the plus sign says nothing, and some clients send it as a blank.
      return text.replace("+", "");
    default:
      return quoted(text);
  }
}

/** Types whose literals are their texts. */
const BARE: ReadonlySet<string> = new Set(
  "Boolean Byte SByte Int16 Int32 Int64 Decimal Guid Date TimeOfDay DateTimeOffset"
    .split(" ")
    .map((name) => `Edm.${name}`),
);

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The value of a literal as a person types it: without quotes and prefix. */
export function literalText(literal: string): string {
  const [, text] = /^[\w.]*'(.*)'$/su.exec(literal) ?? [];
  return text === undefined ? literal : text.replaceAll("''", "'");
}

/** What the texts of a type look like. */
interface TextForm {
  readonly pattern: RegExp;
  /** What to type, for the message. */
  readonly advice: string;
}

/** The bits of the signed types of whole numbers. */
const BITS: Readonly<Record<string, bigint>> = {
  "Edm.SByte": 8n,
  "Edm.Int16": 16n,
  "Edm.Int32": 32n,
  "Edm.Int64": 64n,
};

function rangeOf(type: string): readonly [bigint, bigint] | undefined {
  if (type === "Edm.Byte") return [0n, 255n];
  const bits = BITS[type];
  return bits === undefined ? undefined : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
}

const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?`;
const FORMS: Readonly<Record<string, TextForm>> = {
  "Edm.Boolean": { pattern: /^(?:true|false)$/iu, advice: "Type true or false." },
  "Edm.Decimal": {
    pattern: /^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/iu,
    advice: "Type a number with a decimal point, such as 1.5.",
  },
  "Edm.Single": {
    pattern: /^(?:[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|-?INF|NaN)$/iu,
    advice: "Type a number with a decimal point, such as 1.5, or INF, -INF or NaN.",
  },
  "Edm.Guid": {
    pattern: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu,
    advice: "Type 32 hexadecimal digits in five groups, such as 01234567-89ab-cdef-0123-456789abcdef.",
  },
  "Edm.Date": { pattern: /^-?\d{4,}-\d\d-\d\d$/u, advice: "Type year, month and day, such as 2024-02-29." },
  "Edm.TimeOfDay": {
    pattern: new RegExp(`^${CLOCK}$`, "u"),
    advice: "Type hours and minutes, such as 13:20 or 13:20:05.5.",
  },
  "Edm.DateTimeOffset": {
    pattern: new RegExp(String.raw`^-?\d{4,}-\d\d-\d\dT${CLOCK}(?:Z|[-+]\d\d:\d\d)$`, "iu"),
    advice: "Type a date and a time with Z or an offset, such as 2024-02-29T13:20:00Z or 2024-02-29T13:20:00+01:00.",
  },
  "Edm.Duration": {
    pattern: /^[-+]?P(?=\d|T\d)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/iu,
    advice: "Type days, hours, minutes and seconds, such as P1DT2H30M or PT45S.",
  },
  "Edm.Binary": {
    pattern: /^(?:[\w-]{4})*(?:[\w-]{2}(?:==)?|[\w-]{3}=?)?$/u,
    advice: "Type base64url, such as T0RhdGE.",
  },
};

/**
 * Reads what a person typed as a literal of a type. Text of a string is taken as it is, quotes and blanks included.
 * @returns the literal, or the message that says what is wrong and what would be right
 */
export function readTyped(typed: string, type: PropertyType): TypedLiteral {
  if (type.kind === "enum") return readMember(typed, type);
  if (type.kind === "complex") return wrong(`${type.type.name} has no literal. Choose one of its properties.`);
  if (type.name === "Edm.String") return right(typed, type);
  const text = typed.trim();
  const range = rangeOf(type.name);
  if (range !== undefined) return readInteger(text, type, range);
  const form = FORMS[type.name === "Edm.Double" ? "Edm.Single" : type.name];
  if (form === undefined) return wrong(`Values of ${type.name} cannot be compared.`);
  const repaired = repair(text, type.name);
  if (!form.pattern.test(repaired)) return wrong(`${found(text)} ${form.advice}`);
  if (type.name.startsWith("Edm.Date") && !isDate(repaired)) {
    return wrong(`${found(text)} The month has no such day.`);
  }
  return right(repaired, type);
}

function right(text: string, type: PropertyType): TypedLiteral {
  return { literal: toLiteral(text, type), message: null };
}

function wrong(message: string): TypedLiteral {
  return { literal: null, message };
}

function found(text: string): string {
  return text === "" ? "A value is missing." : `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}” is not valid.`;
}

/** Completes what has one meaning only: a blank for the T of a time, base64 for base64url, braces around a Guid. */
function repair(text: string, type: string): string {
  switch (type) {
    case "Edm.Boolean":
      return text.toLowerCase();
    case "Edm.Single":
    case "Edm.Double":
      return /^[-+]?inf$/iu.test(text)
        ? text.replace("+", "").toUpperCase()
        : text.replace(/^nan$/iu, "NaN").replace(/^\+/u, "");
    case "Edm.Decimal":
      return text.replace(/^\+/u, "");
    case "Edm.Guid":
      return text.replace(/^\{(.*)\}$/u, "$1");
    case "Edm.DateTimeOffset":
      return text.replace(/^(\S+)[ t]+(?=\d\d:)/iu, "$1T").replace(/\s*z$/iu, "Z");
    case "Edm.Duration":
      return text.toUpperCase().replace(/^\+/u, "");
    case "Edm.Binary":
      return text.replaceAll("+", "-").replaceAll("/", "_");
    default:
      return text;
  }
}

function readInteger(text: string, type: PropertyType, [least, greatest]: readonly [bigint, bigint]): TypedLiteral {
  const digits = text.replace(/^\+/u, "");
  if (!/^-?\d+$/u.test(digits)) return wrong(`${found(text)} Type a whole number, such as 5.`);
  const number = BigInt(digits);
  if (number < least) return wrong(`${found(text)} The least value is ${least}.`);
  return number > greatest ? wrong(`${found(text)} The greatest value is ${greatest}.`) : right(String(number), type);
}

/** Returns whether the month of a date has its day. */
function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^-?(\d+)-(\d\d)-(\d\d)/u.exec(text) ?? [];
  const isLeap = (divisor: number): boolean => Number(year.slice(-4)) % divisor === 0;
  const february = isLeap(4) && (!isLeap(100) || isLeap(400)) ? 29 : 28;
  const days = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

function readMember(typed: string, type: PropertyType & { readonly kind: "enum" }): TypedLiteral {
  const { members, isFlags } = type.enum;
  const names = typed.split(",").map((name) => name.trim());
  const known = names.map((name) => members.find((member) => member.name === name || member.value === name)?.name);
  const isKnown = known.every((name) => name !== undefined) && (isFlags || names.length === 1);
  if (isKnown) return right(known.join(","), type);
  const list = members
    .slice(0, 8)
    .map(({ name }) => name)
    .join(", ");
  const several = isFlags ? ", or several with commas between them" : "";
  return wrong(`${found(typed.trim())} Type one of ${list}${members.length > 8 ? ", …" : ""}${several}.`);
}

/**
 * Writes the key of an entity in parentheses, percent-encoded for a path: `(5)`, `(Id=5,No='A%2FB')`.
 * @returns null if the entity lacks a value of its key, or the type has none
 * @see OData URL Conventions 4.0, section 4.3.1
 */
export function keyPredicate(type: StructuredType, entity: Readonly<Record<string, unknown>>): string | null {
  const parts: string[] = [];
  for (const { name, type: valueType } of type.key) {
    const value = entity[name];
    if (value === null || value === undefined) return null;
    const literal = encodeSegment(toLiteral(value, valueType));
    parts.push(type.key.length === 1 ? literal : `${encodeSegment(name)}=${literal}`);
  }
  return parts.length === 0 ? null : `(${parts.join(",")})`;
}

/** Encodes a text for one segment of a path. Quotes, parentheses, commas, colons and signs stay readable. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD")).replaceAll(/%(?:2C|3A|3D|40|24)/gu, (code) =>
    decodeURIComponent(code),
  );
}
