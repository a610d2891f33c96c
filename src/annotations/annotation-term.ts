import { isSimpleIdentifier } from "../definition/names.ts";
import { adviseName } from "../definition/option-table.ts";
import {
  type Vocabularies,
  type Vocabulary,
  elementsOf,
  type ExpectedType,
  termsOf,
  typeOfTerm,
} from "./vocabularies.ts";

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
