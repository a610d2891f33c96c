import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { bindAnnotations } from "../annotations/bind-annotations.ts";
import { schemaNames } from "../annotations/schema-names.ts";
import { type DeclaredService, entriesOf } from "../declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { isNamespace, isSimpleIdentifier } from "../names.ts";
import { checkOptions, describe, isObject } from "../option-table.ts";
import { VOCABULARY_OPTIONS } from "./option-tables.ts";

/** Checks the vocabularies of the service, and its annotations: terms, types, paths and forms. */
export function* checkAnnotations(service: DeclaredService, types: DeclaredTypes): Iterable<ConfigurationFault> {
  yield* checkVocabularies(service);
  for (const type of types.enumTypes) {
    const { name, members, options } = type;
    if (!isObject(options)) continue;
    for (const [member] of entriesOf(options["memberAnnotations"])) {
      if (Object.hasOwn(members, member)) continue;
      const message = `\`memberAnnotations\` of ${name} names \`${member}\`, which is not a member.`;
      yield { set: name, message, fix: `Name one of ${Object.keys(members).join(", ")}.` };
    }
  }
  const { namespace, containerName } = schemaNames(service, types);
  yield* bindAnnotations(service, types, namespace, containerName).faults;
}

function* checkVocabularies({ options }: DeclaredService): Iterable<ConfigurationFault> {
  const declared = options["vocabularies"];
  for (const [alias, vocabulary] of entriesOf(declared)) {
    if (!isSimpleIdentifier(alias)) {
      yield {
        message: `The alias \`${alias}\` in \`vocabularies\` is no identifier.`,
        fix: "Give letters and digits.",
      };
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
    if (typeof namespace !== "string" || isNamespace(namespace)) continue;
    const message = `The namespace of the vocabulary ${alias} cannot be "${namespace}".`;
    yield { message, fix: 'Give identifiers separated by dots, such as "com.example.Maps.v1".' };
  }
}
