import type { WalkedProperty, WalkedSet } from "./read-model.ts";
import type { Entity } from "./walk.ts";

const QUOTED: Readonly<Record<string, string>> = {
  "Edm.String": "",
  "Edm.Binary": "binary",
  "Edm.Duration": "duration",
};
const NUMBERS = /^Edm\.(?:Byte|SByte|Int16|Int32|Int64|Decimal|Single|Double)$/u;
const INTEGERS = /^Edm\.(?:Byte|SByte|Int16|Int32|Int64)$/u;
const INSTANTS = /^Edm\.(?:Date|DateTimeOffset)$/u;
/** Longer literals do not fit into a URL. */
const LONGEST_LITERAL = 1500;

/** Returns a value of a response as a literal of a URL. @returns undefined if no literal equals the value */
export function literalOf({ type, isCollection }: WalkedProperty, value: unknown): string | undefined {
  if (value === null || value === undefined || value === "NaN" || isCollection || typeof value === "object") {
    return undefined;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const literal = type in QUOTED ? `${QUOTED[type] ?? ""}'${text.replaceAll("'", "''")}'` : text;
  const whole = type.startsWith("Edm.") ? literal : `${type}'${text}'`;
  return whole.length > LONGEST_LITERAL ? undefined : encodeURIComponent(whole);
}

/** Returns the key predicate of an entity. @returns undefined if a value has no literal */
export function keyOf({ key }: WalkedSet, entity: Entity): string | undefined {
  const literals = key.map((property) => literalOf(property, entity[property.name]));
  if (literals.length === 0 || literals.includes(undefined)) return undefined;
  const [first = ""] = literals;
  if (literals.length === 1) return `(${first})`;
  const named = key.map(({ name }, at) => `${encodeURIComponent(name)}=${literals[at] ?? ""}`);
  return `(${named.join(",")})`;
}

/** Returns an entity as text, without control information. */
export function plainText(entity: Entity): string {
  const members = Object.entries(entity).filter(([name]) => !name.includes("@"));
  return JSON.stringify(members.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Compares two values that are not null in the order of `$orderby`. @returns undefined if JSON does not show the order of the type */
export function compare({ type }: WalkedProperty, left: unknown, right: unknown): number | undefined {
  if (type === "Edm.Boolean") return Number(left) - Number(right);
  const [first, second] = [left, right].map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return compareForms(type, first ?? "", second ?? "");
}

function compareForms(type: string, left: string, right: string): number | undefined {
  if (type === "Edm.String") return compareTexts(left, right);
  if (INSTANTS.test(type)) return compareInstants(left, right);
  if (INTEGERS.test(type)) return compareNumbers(BigInt(left), BigInt(right));
  return NUMBERS.test(type) ? compareNumbers(numberOf(left), numberOf(right)) : undefined;
}

/** Years may have any length, which `Date` does not read; then the zone is UTC. */
function compareInstants(left: string, right: string): number {
  const [first, second] = [Date.parse(left), Date.parse(right)];
  // `Date` reads some texts with signs as years of other centuries.
  const areShort = /^\d{4}-/u.test(left) && /^\d{4}-/u.test(right);
  if (areShort && first !== second) return compareNumbers(first, second);
  if (!left.endsWith(right.slice(-1))) return 0;
  const [rest = "", other = ""] = [left, right].map((each) => each.replace(/Z$/u, "").replace(/^-?\d+/u, ""));
  const years = compareNumbers(Number.parseInt(left, 10), Number.parseInt(right, 10));
  return years === 0 ? compareTexts(rest, other) : years;
}

/** Strings are ordered by code point. */
function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left, "utf8"), Buffer.from(right, "utf8"));
}

/** NaN has no place in an order: it is equal to all. */
function compareNumbers<Value extends number | bigint>(left: Value, right: Value): number {
  return left < right ? -1 : Number(left > right);
}

function numberOf(value: string): number {
  if (value === "INF") return Number.POSITIVE_INFINITY;
  return value === "-INF" ? Number.NEGATIVE_INFINITY : Number(value);
}
