import { keptPer } from "../base/memo.ts";
import type { JsonValue } from "../json/json-value.ts";
import { asText } from "./canonical-form.ts";
import { describeValue } from "./invalid-value.ts";
import type { EnumType } from "./model.ts";
import { InvalidValueError, type PrimitiveValue, type ValueCodec } from "./value-codec.ts";

/**
 * Values of an enumeration as canonical strings. Without flags it is the first declared name of a value. With flags it
 * is the names that make up the value, comma-separated in order of declaration: the greatest member that fits is taken
 * first (`ReadWrite` before `Read,Write`), as .NET does; no bit set is the member of value 0, else `0`.
 */

/** A run of digits: no member has a longer value. */
const NUMBER = /^[+-]?\d{1,16}$/;
const MAX_LISTED_NAMES = 20;

/** A member with bits and its place in the order of declaration. */
interface Flag {
  readonly name: string;
  readonly value: number;
  readonly order: number;
}

/** The lookups of one enumeration, made once. */
interface EnumTable {
  readonly type: EnumType;
  /** Value to its first declared name. */
  readonly names: ReadonlyMap<number, string>;
  /** The greatest value first. */
  readonly flags: readonly Flag[];
}

const tableOf = keptPer((type: EnumType): EnumTable => {
  const names = new Map<number, string>();
  for (const [name, value] of type.members) if (!names.has(value)) names.set(value, name);
  const flags = [...names]
    .map(([value, name], order) => ({ name, value, order }))
    .filter(({ value }) => value !== 0)
    .toSorted((left, right) => right.value - left.value);
  return { type, names, flags };
});

/**
 * The numeric value of a canonical text of an enumeration; flags are added up.
 * @throws InvalidValueError when it is no value of the enumeration
 */
export function enumToNumber(type: EnumType, text: string): number {
  return type.members.get(text) ?? readNames(tableOf(type), text);
}

/**
 * The canonical text of a numeric value of an enumeration.
 * @throws InvalidValueError when no member, or no combination of flags, has this value
 */
export function enumFromNumber(type: EnumType, value: number): string {
  const text = writeNames(tableOf(type), value);
  if (text === null) throw noSuchValue(type, String(value));
  return text;
}

/**
 * The canonical text of flags that values are compared with. Bits that no member has are allowed: no value has them.
 * @throws InvalidValueError for what is neither a name nor a number
 * @see OData ABNF, enumMemberValue
 */
export function flagsFromText(type: EnumType, text: string): string {
  const number = enumToNumber(type, text);
  return writeNames(tableOf(type), number) ?? String(number);
}

/**
 * Whether all flags of the right canonical value are set in the left: the operator `has`.
 * @see OData URL Conventions 4.0, section 5.1.1.1.9
 */
export function hasEnumFlags(type: EnumType, value: string, flags: string): boolean {
  const [number, bits] = [enumToNumber(type, value), enumToNumber(type, flags)];
  return type.isFlags ? hasAllBits(number, bits) : number === bits;
}

/**
 * The codec of an enumeration: member names, with flags separated by commas, in and out; numbers are accepted in the
 * text. Compared by numeric value.
 * @see OData JSON Format 4.0, section 7.1
 */
export function enumCodec(type: EnumType): ValueCodec {
  const table = tableOf(type);
  const fromText = (text: string): string => {
    const value = type.members.get(text);
    // A name that is the first of its value, in an enumeration without flags, needs no second look.
    if (value !== undefined && !type.isFlags) return table.names.get(value) ?? text;
    return canonicalText(table, value ?? readNames(table, text), text);
  };
  return Object.freeze<ValueCodec>({
    type,
    fromHandler: (value) => {
      if (typeof value === "string") return fromText(value);
      if (typeof value === "number") return canonicalText(table, value, value);
      throw noSuchValue(type, value);
    },
    fromJson: (value: JsonValue) => {
      if (typeof value === "string") return fromText(value);
      throw noSuchValue(type, value);
    },
    toJson: (value) => `"${asText(value)}"`,
    fromText,
    toLiteral: (value: PrimitiveValue) => `${type.qualifiedName}'${asText(value)}'`,
    toText: asText,
    compare: (left, right) => {
      return left === right ? 0 : enumToNumber(type, asText(left)) - enumToNumber(type, asText(right));
    },
  });
}

function canonicalText(table: EnumTable, number: number, value: unknown): string {
  const text = writeNames(table, number);
  if (text === null) throw noSuchValue(table.type, value);
  return text;
}

/** Adds up the names and numbers of a text. @see OData ABNF, enumValue */
function readNames({ type }: EnumTable, text: string): number {
  const parts = type.isFlags ? text.split(",") : [text];
  let sum = 0;
  for (const part of parts) {
    const word = part.trim();
    const value = type.members.get(word) ?? (NUMBER.test(word) ? Number(word) + 0 : undefined);
    if (value === undefined || !Number.isSafeInteger(value)) throw noSuchValue(type, text);
    if (!type.isFlags) return value;
    if (value < 0) throw noSuchValue(type, text);
    sum = withBits(sum, value);
  }
  return sum;
}

/** Null when the value is none of the enumeration's. */
function writeNames({ type, names, flags }: EnumTable, value: number): string | null {
  const name = names.get(value);
  if (name !== undefined) return name;
  if (!type.isFlags || !Number.isSafeInteger(value) || value < 0) return null;
  if (value === 0) return "0";
  return joinNames(disjointFlags(flags, value) ?? overlappingFlags(flags, value));
}

/** The greatest members first, each of bits that none before it has; null when bits are left. */
function disjointFlags(flags: readonly Flag[], value: number): readonly Flag[] | null {
  let rest = value;
  const taken = flags.filter((flag) => {
    if (!hasAllBits(rest, flag.value)) return false;
    rest -= flag.value;
    return true;
  });
  return rest === 0 ? taken : null;
}

/** As above, for members that are made of one another's bits: each adds at least one bit. */
function overlappingFlags(flags: readonly Flag[], value: number): readonly Flag[] | null {
  let sum = 0;
  const taken = flags.filter((flag) => {
    if (!hasAllBits(value, flag.value) || hasAllBits(sum, flag.value)) return false;
    sum = withBits(sum, flag.value);
    return true;
  });
  return sum === value ? taken : null;
}

function joinNames(flags: readonly Flag[] | null): string | null {
  if (flags === null) return null;
  const inOrder = flags.toSorted((left, right) => left.order - right.order);
  return inOrder.map(({ name }) => name).join(",");
}

function noSuchValue(type: EnumType, value: unknown): InvalidValueError {
  const names = [...type.members.keys()];
  const listed = names.slice(0, MAX_LISTED_NAMES).join(", ");
  const more = names.length > MAX_LISTED_NAMES ? ", …" : "";
  const several = type.isFlags ? " (several with commas between)" : "";
  return new InvalidValueError(
    `${describeValue(value)} is not a value of ${type.qualifiedName}: write one of ${listed}${more}${several}.`,
  );
}

/** Bits of non-negative integers up to Number.MAX_SAFE_INTEGER: JavaScript's own operators end at 32 bits. */

const HALF = 2 ** 32;

/** Whether all bits of `bits` are set in `value`. */
export function hasAllBits(value: number, bits: number): boolean {
  return withBits(value, bits) === value;
}

/** `value` with the bits of `bits` set. */
export function withBits(value: number, bits: number): number {
  const high = Math.floor(value / HALF) | Math.floor(bits / HALF);
  const low = (value | bits) >>> 0;
  return high * HALF + low;
}
