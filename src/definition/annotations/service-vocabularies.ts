import type { UsedVocabulary } from "../../edm/annotation.ts";
import { entriesOf } from "../declared-service.ts";
import { isObject } from "../option-table.ts";
import { KNOWN_VOCABULARIES, type KnownVocabulary } from "../vocabularies/known-vocabularies.ts";

/**
 * Returns the vocabularies of a service by alias. A declared vocabulary with the namespace of a known one is another version
 * of it: the known terms and types keep their meaning.
 * @param declared the option `vocabularies` of the service
 * @param namespace the namespace of its schema: an alias with the same text would be ambiguous
 */
export function serviceVocabularies(declared: unknown, namespace: string): Readonly<Record<string, KnownVocabulary>> {
  const own = entriesOf(declared).flatMap(([alias, each]): ReadonlyArray<readonly [string, KnownVocabulary]> => {
    if (!isObject(each) || typeof each["namespace"] !== "string" || typeof each["uri"] !== "string") return [];
    const version = knownAlias(each["namespace"]);
    const notation = version === undefined ? null : (KNOWN_VOCABULARIES[version]?.notation ?? null);
    return [[alias, { namespace: each["namespace"], uri: each["uri"], notation, isOpen: true, prefix: alias }]];
  });
  const all: Readonly<Record<string, KnownVocabulary>> = { ...KNOWN_VOCABULARIES, ...Object.fromEntries(own) };
  const taken = Object.hasOwn(all, namespace) ? all[namespace] : undefined;
  return taken === undefined ? all : { ...all, [namespace]: { ...taken, prefix: taken.namespace } };
}

/** Returns the alias of a published vocabulary by its namespace. */
export function knownAlias(namespace: string): string | undefined {
  return Object.entries(KNOWN_VOCABULARIES).find(([, known]) => known.namespace === namespace)?.[0];
}

/** Returns the references of `$metadata` to the vocabularies in use. */
export function usedVocabularies(
  vocabularies: Readonly<Record<string, KnownVocabulary>>,
  used: ReadonlySet<string>,
): readonly UsedVocabulary[] {
  return [...used].flatMap((alias) => {
    const known = vocabularies[alias];
    if (known === undefined) return [];
    const { namespace, uri, prefix } = known;
    return [{ alias: prefix === alias ? alias : undefined, namespace, uri }];
  });
}
