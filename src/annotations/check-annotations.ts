import { type DeclaredService, entriesOf } from "../definition/model/declared-service.ts";
import type { DeclaredTypes } from "../definition/model/declared-types.ts";
import { isNamespace, isSimpleIdentifier } from "../definition/names.ts";
import { checkOptions, describe, isObject, type OptionRule, type OptionTable } from "../definition/option-table.ts";
import type { VocabularyOptions } from "../definition/types/annotations.ts";
import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { knownAlias } from "./vocabularies.ts";

const TEXT: OptionRule = { kind: "text" };
/** The options of a vocabulary. */
const VOCABULARY_OPTIONS: OptionTable<keyof VocabularyOptions> = { namespace: TEXT, uri: TEXT };

/** Checks the vocabularies of the service, and where its annotations stand. */
export function* checkAnnotations(
  service: DeclaredService,
  types: DeclaredTypes,
  namespace: string,
): Iterable<ConfigurationFault> {
  yield* checkVocabularies(service, namespace);
  const { options, sets, operations } = service;
  if (options["annotations"] !== undefined && sets.length + operations.length === 0) {
    const message =
      "Annotations of the service need a container, which `$metadata` has only with a set or an operation.";
    yield { message, fix: "Add an entity set or an unbound operation, or remove `annotations`." };
  }
  for (const type of types.enumTypes) {
    const { name, members, options, memberDescriptions } = type;
    const named = [
      ["`memberAnnotations` of", isObject(options) ? options["memberAnnotations"] : undefined],
      ["`.describe()` of", memberDescriptions],
    ] as const;
    for (const [what, table] of named) {
      if (table !== undefined && !isObject(table) && table === memberDescriptions) {
        const fix = "Give an object of member names and texts, or leave it out.";
        yield { set: name, message: `The members of \`.describe()\` of ${name} are ${describe(table)}.`, fix };
      }
      for (const [member] of entriesOf(table)) {
        if (Object.hasOwn(members, member)) continue;
        const message = `${what} ${name} names \`${member}\`, which is not a member.`;
        yield { set: name, message, fix: `Name one of ${Object.keys(members).join(", ")}.` };
      }
    }
  }
}

/** The alias of a vocabulary, and its namespace, are unique in the document. @see OData CSDL 4.0, sections 3.3 and 5.1.2 */
function* checkVocabularies({ options }: DeclaredService, schema: string): Iterable<ConfigurationFault> {
  const declared = options["vocabularies"];
  const aliases = new Map<string, string>();
  for (const [alias, vocabulary] of entriesOf(declared)) {
    if (!isSimpleIdentifier(alias)) {
      yield {
        message: `The alias \`${alias}\` in \`vocabularies\` is not an identifier.`,
        fix: "Give letters and digits.",
      };
    } else if (alias === schema || !isNamespace(alias)) {
      const reason = alias === schema ? "is the namespace of the service" : "is reserved";
      yield { message: `The alias \`${alias}\` in \`vocabularies\` ${reason}.`, fix: "Choose another one." };
    }
    if (!isObject(vocabulary)) {
      const message = `The vocabulary ${alias} is ${describe(vocabulary)}.`;
      yield { message, fix: "Give its namespace and URL: { namespace, uri }." };
      continue;
    }
    yield* checkOptions(VOCABULARY_OPTIONS, vocabulary, `the vocabulary ${alias}`, {});
    for (const name of ["namespace", "uri"]) {
      if (vocabulary[name] !== undefined) continue;
      yield { message: `The vocabulary ${alias} has no \`${name}\`.`, fix: "Give its namespace and URL." };
    }
    const { namespace } = vocabulary;
    if (typeof namespace !== "string") continue;
    if (namespace === schema) {
      const message = `The vocabulary ${alias} has the namespace of the service.`;
      yield { message, fix: "Give the namespace of the vocabulary." };
    } else if (!isNamespace(namespace)) {
      const message = `The namespace of the vocabulary ${alias} cannot be "${namespace}".`;
      yield { message, fix: 'Give identifiers separated by dots, such as "com.example.Maps.v1".' };
    }
    const other = knownAlias(namespace) ?? aliases.get(namespace) ?? alias;
    if (other !== alias) {
      const message = `The vocabularies ${other} and ${alias} have the same namespace "${namespace}".`;
      yield { message, fix: `Use the alias ${other}.` };
    }
    aliases.set(namespace, alias);
  }
}
