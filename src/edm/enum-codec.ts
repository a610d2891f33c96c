import type { JsonValue } from "../base/json/write-json.ts";
import { keptPer } from "../base/memo.ts";
import type { EnumType } from "./model.ts";
import {
  asItIs,
  asText,
  InvalidValueError,
  type PrimitiveValue,
  type ValueCodec,
  describeValue,
} from "./value-codec.ts";

/**
 * Values of an enumeration as canonical strings. Without flags, this is the first declared name of a value. With flags, it is
 * the list of members that make up the value, separated by commas in order of declaration. The greatest member that fits
 * is chosen first (`ReadWrite` before `Read,Write`), as in .NET. The value 0 is its member, or `0` without one.
 */

/** A run of digits. No member has a longer value. */
const NUMBER = /^[+-]?\d{1,16}$/;
const MAX_LISTED_NAMES = 20;
/** The most characters of a text of flags. It may repeat names. */
const LONGEST_FLAGS = 65_536;

/** A member with bits and its place in the order of declaration. */
interface Flag {
  readonly name: string;
  readonly value: number;
  readonly order: number;
}

/** The lookup tables of one enumeration, made once. */
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
 * Returns the numeric value of a canonical text of an enumeration, with flags combined.
 * @throws InvalidValueError for an invalid value
 */
export function enumToNumber(type: EnumType, text: string): number {
  return type.members.get(text) ?? readNames(tableOf(type), text);
}

/**
 * Returns the canonical text of a numeric value of an enumeration.
 * @throws InvalidValueError if no member or combination of flags has this value
 */
export function enumFromNumber(type: EnumType, value: number): string {
  const text = writeNames(tableOf(type), value);
  if (text === null) throw noSuchValue(type, String(value));
  return text;
}

/**
 * Returns the canonical text of flags for comparisons. Bits without a member are allowed, although no value has them.
 * @throws InvalidValueError for an unknown name or an invalid number
 * @see OData ABNF, enumMemberValue
 */
export function flagsFromText(type: EnumType, text: string): string {
  const number = enumToNumber(type, text);
  return writeNames(tableOf(type), number) ?? String(number);
}

/**
 * Returns whether a canonical value has all given flags, as the operator `has` requires.
 * @see OData URL Conventions 4.0, section 5.1.1.1.9
 */
export function hasEnumFlags(type: EnumType, value: string, flags: string): boolean {
  const [number, bits] = [enumToNumber(type, value), enumToNumber(type, flags)];
  return type.isFlags ? hasAllBits(number, bits) : number === bits;
}

/**
 * Makes the codec of an enumeration. Values are member names, with flags separated by commas; numbers are accepted in the
 * text. Values are compared by number.
 * @see OData JSON Format 4.0, section 7.1
 */
export function enumCodec(type: EnumType): ValueCodec {
  const table = tableOf(type);
  const fromText = (text: string): string => {
    const value = type.members.get(text);
    // Without flags, a name needs no further conversion.
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
    fit: asItIs,
    toJson: (value) => `"${asText(value)}"`,
    fromText,
    toLiteral: (value: PrimitiveValue) => `${type.isText === true ? "" : type.qualifiedName}'${asText(value)}'`,
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

/**
 * Combines the names and numbers of a text.
 * @throws InvalidValueError
 * @see OData ABNF, enumValue
 */
function readNames({ type }: EnumTable, text: string): number {
  if (!type.isFlags) return readName(type, text, text);
  if (text.length > LONGEST_FLAGS) {
    throw new InvalidValueError(
      `${describeValue(text)} is too long: write at most ${String(LONGEST_FLAGS)} characters.`,
    );
  }
  let sum = 0;
  for (let at = 0, end = 0; at <= text.length; at = end + 1) {
    const comma = text.indexOf(",", at);
    end = comma < 0 ? text.length : comma;
    const part = text.slice(at, end);
    const value = type.members.get(part) ?? readName(type, part, text);
    if (value < 0) throw noSuchValue(type, text);
    sum = withBits(sum, value);
  }
  return sum;
}

function readName(type: EnumType, part: string, text: string): number {
  const word = part.trim();
  const value = type.members.get(word) ?? (NUMBER.test(word) ? Number(word) + 0 : undefined);
  if (value === undefined || !Number.isSafeInteger(value)) throw noSuchValue(type, text);
  return value;
}

/** Returns null for a value that the enumeration does not have. */
function writeNames({ type, names, flags }: EnumTable, value: number): string | null {
  const name = names.get(value);
  if (name !== undefined) return name;
  if (!type.isFlags || !Number.isSafeInteger(value) || value < 0) return null;
  if (value === 0) return "0";
  return joinNames(disjointFlags(flags, value) ?? overlappingFlags(flags, value));
}

/** Chooses the greatest members first, without common bits; null if bits remain. */
function disjointFlags(flags: readonly Flag[], value: number): readonly Flag[] | null {
  let rest = value;
  const taken = flags.filter((flag) => {
    if (!hasAllBits(rest, flag.value)) return false;
    rest -= flag.value;
    return true;
  });
  return rest === 0 ? taken : null;
}

/** Chooses the greatest members first, where each adds at least one bit; null if bits remain. */
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
    `${describeValue(value)} is not a value of ${type.isText === true ? type.name : type.qualifiedName}: write one of ${listed}${more}${several}.`,
  );
}

/** Bits of non-negative integers up to Number.MAX_SAFE_INTEGER. The operators of JavaScript support only 32 bits. */

const HALF = 2 ** 32;

/** Returns whether all bits of `bits` are set in `value`. */
export function hasAllBits(value: number, bits: number): boolean {
  return withBits(value, bits) === value;
}

/** Returns `value` with the bits of `bits` set. */
export function withBits(value: number, bits: number): number {
  const high = Math.floor(value / HALF) | Math.floor(bits / HALF);
  const low = (value | bits) >>> 0;
  return high * HALF + low;
}
