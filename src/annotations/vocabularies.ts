import { type VocabularyElements, vocabularies as published } from "#vocabularies";
import { keptPer } from "../base/memo.ts";
import { entriesOf } from "../definition/model/declared-service.ts";
import { isObject } from "../definition/option-table.ts";
import type { UsedVocabulary } from "../edm/annotation.ts";

/** A vocabulary that the annotations of a service can use. */
export interface Vocabulary {
  readonly namespace: string;
  readonly uri: string;
  /** Parses its terms and types; null for a vocabulary of the application, whose values are not checked by type. */
  readonly parse: (() => VocabularyElements) | null;
  /** Whether it has more terms and types than these: the application declares another version of it. */
  readonly isOpen: boolean;
  /** What precedes its names in `$metadata`: its alias, or its namespace where the alias is taken. */
  readonly prefix: string;
}

/** Vocabularies by alias. */
export type Vocabularies = Readonly<Record<string, Vocabulary>>;

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
export const elementsOf: (vocabulary: Vocabulary) => VocabularyElements | null = keptPer(
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
