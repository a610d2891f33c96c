import { type KnownVocabulary, vocabularyOf } from "../vocabularies/known-vocabularies.ts";
import type { VocabularyRecord, VocabularyType } from "../vocabularies/vocabulary.ts";

/** The expected type of a value, resolved. */
export type ExpectedType =
  | { readonly kind: "any" }
  | { readonly kind: "collection"; readonly item: ExpectedType }
  /** A type of the namespace Edm, without the namespace. */
  | { readonly kind: "edm"; readonly name: string }
  | EnumerationType
  /** The name of a function or action. */
  | { readonly kind: "operation" }
  /** A path from the type of the value list around the value. */
  | { readonly kind: "listProperty" }
  | RecordType;

/** An enumeration of a vocabulary or of the service. */
export interface EnumerationType {
  readonly kind: "enum";
  /** With the prefix of its vocabulary or the namespace of the service. */
  readonly name: string;
  /** The alias of its vocabulary; undefined for one of the service. */
  readonly alias: string | undefined;
  readonly members: readonly string[];
  readonly isFlags: boolean;
  /** Whether it can have more members. */
  readonly isOpen: boolean;
}

/** A complex type of a vocabulary. */
export interface RecordType {
  readonly kind: "record";
  readonly alias: string;
  /** Without its alias. */
  readonly local: string;
  /** With the prefix of its vocabulary. */
  readonly name: string;
  readonly record: VocabularyRecord;
}

const ANY: ExpectedType = { kind: "any" };
const TEXT: ExpectedType = { kind: "edm", name: "String" };

/** The types with a sign as their notation. */
const SIGNS: ReadonlyMap<VocabularyType, ExpectedType> = new Map([
  ["@", { kind: "operation" }],
  ["%", { kind: "listProperty" }],
]);

type Vocabularies = Readonly<Record<string, KnownVocabulary>>;

/** Types whose values can have any form. */
const OPEN_TYPES: ReadonlySet<string> = new Set(["Untyped", "PrimitiveType", "ComplexType", "EntityType", "Stream"]);

/**
 * Resolves the type of a term or property.
 * @param alias the vocabulary that uses the type
 * @param type undefined if it is unknown
 */
export function expectedType(
  vocabularies: Vocabularies,
  alias: string,
  type: VocabularyType | undefined,
): ExpectedType {
  if (type === undefined) return ANY;
  if (type.startsWith("[")) {
    return { kind: "collection", item: expectedType(vocabularies, alias, type.slice(1, -1)) };
  }
  // Another version of the vocabulary may name operations in other forms.
  if (type === "@" && vocabularies[alias]?.isOpen === true) return TEXT;
  const sign = SIGNS.get(type);
  if (sign !== undefined) return sign;
  if (type.startsWith(".")) {
    const name = type === "." ? "String" : type.slice(1);
    return OPEN_TYPES.has(name) || name.startsWith("Geo") ? ANY : { kind: "edm", name };
  }
  const [prefix, local] = type.includes(".") ? (type.split(".") as [string, string]) : [alias, type];
  const known = vocabularies[prefix];
  const found = known === undefined ? undefined : vocabularyOf(known)?.enums.get(local);
  if (known !== undefined && found !== undefined) {
    const { isOpen } = known;
    return { kind: "enum", name: `${known.prefix}.${local}`, alias: prefix, ...found, isOpen };
  }
  return recordType(vocabularies, prefix, local) ?? ANY;
}

/** Returns a complex type of a vocabulary; null if it is unknown. */
export function recordType(vocabularies: Vocabularies, alias: string, local: string): RecordType | null {
  const known = vocabularies[alias];
  const record = known === undefined ? undefined : vocabularyOf(known)?.records.get(local);
  if (known === undefined || record === undefined) return null;
  return { kind: "record", alias, local, name: `${known.prefix}.${local}`, record };
}

/** Returns a type and its base types, the type first. */
export function lineageOf(vocabularies: Vocabularies, type: RecordType): readonly RecordType[] {
  const { base } = type.record;
  if (base === "") return [type];
  const [alias, local] = base.includes(".") ? (base.split(".") as [string, string]) : [type.alias, base];
  const parent = recordType(vocabularies, alias, local);
  return parent === null ? [type] : [type, ...lineageOf(vocabularies, parent)];
}

/** Returns the types of the properties of a type, inherited ones included. */
export function propertiesOfRecord(vocabularies: Vocabularies, type: RecordType): ReadonlyMap<string, ExpectedType> {
  return new Map(
    lineageOf(vocabularies, type)
      .toReversed()
      .flatMap(({ alias, record }) =>
        [...record.properties].map(([name, each]) => [name, expectedType(vocabularies, alias, each)] as const),
      ),
  );
}

/** Returns the types of the properties that values of a type or of its derived types can have. */
export function propertiesOfValues(vocabularies: Vocabularies, type: RecordType): ReadonlyMap<string, ExpectedType> {
  const types = [...derivedFrom(vocabularies, type), type];
  return new Map(types.flatMap((each) => [...propertiesOfRecord(vocabularies, each)]));
}

/** Returns whether values of a type, or of one of its base types, may have properties that it does not declare. */
export function isOpenRecord(vocabularies: Vocabularies, type: RecordType): boolean {
  return lineageOf(vocabularies, type).some(
    ({ record, alias }) => record.isOpen || vocabularies[alias]?.isOpen === true,
  );
}

/** Returns the types of the same vocabulary that derive from a type. */
export function derivedFrom(vocabularies: Vocabularies, base: RecordType): readonly RecordType[] {
  const known = vocabularies[base.alias];
  const names = known === undefined ? [] : [...(vocabularyOf(known)?.records.keys() ?? [])];
  return names.flatMap((local) => {
    const type = recordType(vocabularies, base.alias, local);
    if (type === null || type.local === base.local) return [];
    return lineageOf(vocabularies, type).some(({ name }) => name === base.name) ? [type] : [];
  });
}

/**
 * Finds the type of a record without a stated type: the declared type unless it is abstract, or else the only least derived
 * type that has all the properties.
 * @returns null if no type, or several unrelated types, have them
 */
export function inferRecordType(
  vocabularies: Vocabularies,
  declared: RecordType,
  names: readonly string[],
): RecordType | null {
  const fits = (type: RecordType): boolean => {
    const properties = propertiesOfRecord(vocabularies, type);
    const isOpen = lineageOf(vocabularies, type).some(({ record }) => record.isOpen);
    return !type.record.isAbstract && (isOpen || names.every((name) => properties.has(name)));
  };
  const derived = derivedFrom(vocabularies, declared);
  if (fits(declared)) return declared;
  const fitting = derived.filter(fits);
  const roots = fitting.filter((type) =>
    fitting.every((other) => lineageOf(vocabularies, other).some(({ name }) => name === type.name)),
  );
  return roots[0] ?? null;
}
