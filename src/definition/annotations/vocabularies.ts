import {
  type VocabularyElements,
  vocabularies as published,
  type ComplexTypeElement,
  type TypeUse,
} from "#vocabularies";
import { keptPer } from "../../base/memo.ts";
import type { UsedVocabulary } from "../../edm/annotation.ts";
import { entriesOf } from "../model/declared-service.ts";
import { isSimpleIdentifier } from "../names.ts";
import { isObject, adviseName } from "../option-table.ts";

/** A vocabulary that the annotations of a service can use. */
interface Vocabulary {
  readonly namespace: string;
  readonly uri: string;
  /** Parses its terms and types; null for a vocabulary of the application, whose values are not checked by type. */
  readonly parse: (() => VocabularyElements) | null;
  /** Whether it has more terms and types than these: the application declares another version of it. */
  readonly isOpen: boolean;
  /** The prefix of its names in `$metadata`: its alias, or its namespace where the alias is taken. */
  readonly prefix: string;
}

/** Vocabularies by alias. */
type Vocabularies = Readonly<Record<string, Vocabulary>>;

/** The published vocabularies. */
const PUBLISHED: Vocabularies = Object.freeze({
  Core: oasis("Core"),
  Capabilities: oasis("Capabilities"),
  Aggregation: oasis("Aggregation"),
  Validation: oasis("Validation"),
  Measures: oasis("Measures"),
  Authorization: oasis("Authorization"),
  Common: sap("Common"),
  UI: sap("UI"),
  Analytics: sap("Analytics"),
  Communication: sap("Communication"),
  CodeList: sap("CodeList"),
  PersonalData: sap("PersonalData"),
  Hierarchy: sap("Hierarchy"),
});

/** Returns the terms and types of a vocabulary; null if they are unknown. They are parsed on first use. */
const elementsOf: (vocabulary: Vocabulary) => VocabularyElements | null = keptPer(
  ({ parse }: Vocabulary) => parse?.() ?? null,
);

function oasis(alias: keyof typeof published): Vocabulary {
  const namespace = `Org.OData.${alias}.V1`;
  const uri = `https://oasis-tcs.github.io/odata-vocabularies/vocabularies/${namespace}.xml`;
  return { namespace, uri, parse: published[alias], isOpen: false, prefix: alias };
}

function sap(alias: keyof typeof published): Vocabulary {
  const uri = `https://sap.github.io/odata-vocabularies/vocabularies/${alias}.xml`;
  const namespace = `com.sap.vocabularies.${alias}.v1`;
  return { namespace, uri, parse: published[alias], isOpen: false, prefix: alias };
}

/**
 * Returns the vocabularies of a service by alias. A declared vocabulary with the namespace of a published one is another
 * version of it: the known terms and types keep their meaning.
 * @param declared the option `vocabularies` of the service
 * @param namespace the namespace of its schema: an alias with the same text would be ambiguous
 * @see docs/reference/annotations.md, Terms
 */
export function serviceVocabularies(declared: unknown, namespace: string): Vocabularies {
  const own = entriesOf(declared).flatMap(([alias, each]): ReadonlyArray<readonly [string, Vocabulary]> => {
    if (!isObject(each) || typeof each["namespace"] !== "string" || typeof each["uri"] !== "string") return [];
    const version = knownAlias(each["namespace"]);
    const parse = version === undefined ? null : (PUBLISHED[version]?.parse ?? null);
    return [[alias, { namespace: each["namespace"], uri: each["uri"], parse, isOpen: true, prefix: alias }]];
  });
  const all: Vocabularies = { ...PUBLISHED, ...Object.fromEntries(own) };
  const taken = Object.hasOwn(all, namespace) ? all[namespace] : undefined;
  return taken === undefined ? all : { ...all, [namespace]: { ...taken, prefix: taken.namespace } };
}

/** Returns the alias of a published vocabulary by its namespace. */
export function knownAlias(namespace: string): string | undefined {
  return Object.entries(PUBLISHED).find(([, known]) => known.namespace === namespace)?.[0];
}

/** Returns the references of `$metadata` to the vocabularies in use. */
export function usedVocabularies(vocabularies: Vocabularies, used: ReadonlySet<string>): readonly UsedVocabulary[] {
  return [...used].flatMap((alias) => {
    const known = vocabularies[alias];
    if (known === undefined) return [];
    const { namespace, uri, prefix } = known;
    return [{ alias: prefix === alias ? alias : undefined, namespace, uri }];
  });
}

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
  readonly element: ComplexTypeElement;
}

const ANY: ExpectedType = { kind: "any" };
const TEXT: ExpectedType = { kind: "edm", name: "String" };
const LIST_PROPERTY: ExpectedType = { kind: "listProperty" };

/** Terms and properties of types whose values mean more, or less, than their types state. */
const MEANINGS: ReadonlyMap<string, ExpectedType> = new Map<string, ExpectedType>([
  ["Common.ValueListParameter/ValueListProperty", LIST_PROPERTY],
  ["UI.RecommendationListType/RankProperty", LIST_PROPERTY],
  ["UI.RecommendationBinding/ValueListProperty", LIST_PROPERTY],
  // The template of an operation is in a vocabulary, and the actions on hierarchies are not checked.
  ["Common.OperationTemplate", TEXT],
  ["Hierarchy.RecursiveHierarchyActionsType/ChangeNextSiblingAction", TEXT],
  ["Hierarchy.RecursiveHierarchyActionsType/CopyAction", TEXT],
]);

/** The types of names of functions and actions. */
const OPERATION_NAMES: ReadonlySet<string> = new Set(["Common.QualifiedName", "UI.ActionName"]);

/** Types whose values can have any form. */
const OPEN_TYPES: ReadonlySet<string> = new Set(["Untyped", "PrimitiveType", "ComplexType", "EntityType", "Stream"]);

/** Returns the names of the terms of a vocabulary. */
function termsOf(elements: VocabularyElements): readonly string[] {
  return Object.entries(elements).flatMap(([name, { $Kind }]) => ($Kind === "Term" ? [name] : []));
}

/** Returns the type of the values of a term; null if the vocabulary does not have the term. */
function typeOfTerm(vocabularies: Vocabularies, alias: string, local: string): ExpectedType | null {
  const element = elementOf(vocabularies, alias, local);
  if (element?.$Kind !== "Term") return null;
  return MEANINGS.get(`${alias}.${local}`) ?? expectedType(vocabularies, element);
}

function elementOf(vocabularies: Vocabularies, alias: string, local: string): VocabularyElements[string] | undefined {
  const vocabulary = vocabularies[alias];
  const elements = vocabulary === undefined ? null : elementsOf(vocabulary);
  return elements !== null && Object.hasOwn(elements, local) ? elements[local] : undefined;
}

/** Resolves a type of the namespace Edm or of a vocabulary. Values of unknown types can have any form. */
export function expectedType(vocabularies: Vocabularies, use: TypeUse): ExpectedType {
  const { $Type: type = "Edm.String", $Collection: isCollection = false } = use;
  if (isCollection) return { kind: "collection", item: expectedType(vocabularies, { $Type: type }) };
  const { alias, local } = split(type);
  if (alias === "Edm") return OPEN_TYPES.has(local) || local.startsWith("Geo") ? ANY : { kind: "edm", name: local };
  const isOpen = vocabularies[alias]?.isOpen ?? false;
  // Another version of the vocabulary may name operations in other forms.
  if (OPERATION_NAMES.has(type)) return isOpen ? TEXT : { kind: "operation" };
  const element = elementOf(vocabularies, alias, local);
  switch (element?.$Kind) {
    case "TypeDefinition":
      return expectedType(vocabularies, { $Type: element.$UnderlyingType });
    case "EnumType": {
      const members = Object.keys(element).filter((name) => !name.startsWith("$"));
      const name = qualified(vocabularies, alias, local);
      return { kind: "enum", name, alias, members, isFlags: element.$IsFlags === true, isOpen };
    }
    default:
      return recordType(vocabularies, alias, local) ?? ANY;
  }
}

/** Returns a complex type of a vocabulary; null if it is unknown. */
export function recordType(vocabularies: Vocabularies, alias: string, local: string): RecordType | null {
  const element = elementOf(vocabularies, alias, local);
  if (element?.$Kind !== "ComplexType") return null;
  return { kind: "record", alias, local, name: qualified(vocabularies, alias, local), element };
}

function qualified(vocabularies: Vocabularies, alias: string, local: string): string {
  return `${vocabularies[alias]?.prefix ?? alias}.${local}`;
}

function split(type: string): { readonly alias: string; readonly local: string } {
  const dot = type.lastIndexOf(".");
  return { alias: type.slice(0, dot), local: type.slice(dot + 1) };
}

/** Returns a type and its base types, the type first. */
export function lineageOf(vocabularies: Vocabularies, type: RecordType): readonly RecordType[] {
  const { $BaseType: base } = type.element;
  if (base === undefined) return [type];
  const { alias, local } = split(base);
  const parent = recordType(vocabularies, alias, local);
  return parent === null ? [type] : [type, ...lineageOf(vocabularies, parent)];
}

/** Returns the types of the properties of a type, inherited ones included. */
export function propertiesOfRecord(vocabularies: Vocabularies, type: RecordType): ReadonlyMap<string, ExpectedType> {
  return new Map(
    lineageOf(vocabularies, type)
      .toReversed()
      .flatMap(({ alias, local, element }) =>
        Object.entries(element).flatMap(([name, use]) => {
          if (typeof use !== "object") return [];
          return [[name, MEANINGS.get(`${alias}.${local}/${name}`) ?? expectedType(vocabularies, use)] as const];
        }),
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
    ({ element, alias }) => element.$OpenType === true || vocabularies[alias]?.isOpen === true,
  );
}

/** Returns the types of the same vocabulary that derive from a type. */
export function derivedFrom(vocabularies: Vocabularies, base: RecordType): readonly RecordType[] {
  const vocabulary = vocabularies[base.alias];
  const elements = vocabulary === undefined ? null : elementsOf(vocabulary);
  return Object.keys(elements ?? {}).flatMap((local) => {
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
    const isOpen = lineageOf(vocabularies, type).some(({ element }) => element.$OpenType === true);
    return type.element.$Abstract !== true && (isOpen || names.every((name) => properties.has(name)));
  };
  const derived = derivedFrom(vocabularies, declared);
  if (fits(declared)) return declared;
  const fitting = derived.filter(fits);
  const roots = fitting.filter((type) =>
    fitting.every((other) => lineageOf(vocabularies, other).some(({ name }) => name === type.name)),
  );
  return roots[0] ?? null;
}

/** Why a name or path is wrong, and the correction. */
export interface NameFault {
  readonly message: string;
  readonly fix: string;
}

/** The names that terms of a service may use. */
export interface TermScope {
  /** The vocabularies of the service by alias. */
  readonly vocabularies: Vocabularies;
  /** Collects the aliases in use. */
  readonly used: Set<string>;
}

/** A term, resolved. */
interface ReadTerm {
  /** With the prefix of its vocabulary. */
  readonly term: string;
  readonly qualifiedTerm: string;
  readonly qualifier: string | undefined;
  /** The type of its value. */
  readonly type: ExpectedType;
}

/** Resolves a term such as `UI.LineItem#Short`, or one with the namespace of its vocabulary. */
export function readTerm(scope: TermScope, text: string): ReadTerm | NameFault {
  const [name = "", qualifier, ...more] = text.split("#");
  if (more.length > 0 || (qualifier !== undefined && !isSimpleIdentifier(qualifier))) {
    const fix = "Write a name of letters and digits after one `#`.";
    return { message: `\`${text}\` has no valid qualifier.`, fix };
  }
  const found = findVocabulary(scope, name);
  if ("message" in found) return found;
  const { alias, known, local } = found;
  const type = typeOfTerm(scope.vocabularies, alias, local);
  if (type === null && !(known.isOpen && isSimpleIdentifier(local))) {
    const advice = adviseName(local, nearTerms(local, termsOf(elementsOf(known) ?? {})));
    const fix = `${advice} For a newer version of the vocabulary, give \`vocabularies: { ${alias}: { namespace, uri } }\`.`;
    return { message: `The vocabulary ${alias} has no term \`${local}\`.`, fix };
  }
  scope.used.add(alias);
  const names = { term: `${known.prefix}.${local}`, qualifiedTerm: `${known.namespace}.${local}` };
  return { ...names, qualifier, type: type ?? { kind: "any" } };
}

/**
 * Returns the name of an annotation, or of an annotation of an annotation, with the prefixes of its vocabularies: one text per
 * annotation.
 * @param terms the terms that `@` separates, the outermost first
 */
export function termChain(scope: TermScope, terms: readonly string[]): string | NameFault {
  const names: string[] = [];
  for (const each of terms) {
    const read = readTerm(scope, each);
    if ("message" in read) return read;
    names.push(read.qualifier === undefined ? read.term : `${read.term}#${read.qualifier}`);
  }
  return names.join("@");
}

/** Resolves the vocabulary of a term, type or enumeration. */
export function findVocabulary(
  { vocabularies }: TermScope,
  name: string,
): { readonly alias: string; readonly known: Vocabulary; readonly local: string } | NameFault {
  const dot = name.lastIndexOf(".");
  const prefix = name.slice(0, Math.max(dot, 0));
  const entry = Object.entries(vocabularies).find(([alias, { namespace }]) => alias === prefix || namespace === prefix);
  if (entry === undefined) {
    const message = dot <= 0 ? `\`${name}\` names no vocabulary.` : `The vocabulary \`${prefix}\` is unknown.`;
    const fix = `${adviseName(prefix, Object.keys(vocabularies))} Declare others with \`vocabularies\` of odataService.`;
    return { message, fix };
  }
  return { alias: entry[0], known: entry[1], local: name.slice(dot + 1) };
}

/** Long lists of terms do not help: only terms with the same first letter are advised. */
function nearTerms(name: string, terms: readonly string[]): readonly string[] {
  return terms.filter((term) => term.charAt(0).toLowerCase() === name.charAt(0).toLowerCase()).slice(0, 40);
}
