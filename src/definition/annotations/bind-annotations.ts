import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { COMMON, type Annotation, type ModelAnnotations } from "../../edm/annotation.ts";
import { frozenMap } from "../../edm/frozen-map.ts";
import type { AnnotationBinder } from "../model/build-model.ts";
import { entriesOf, type DeclaredService } from "../model/declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { isNamespace, isSimpleIdentifier } from "../names.ts";
import { describe, isObject, checkOptions, type OptionRule, type OptionTable } from "../option-table.ts";
import type { VocabularyOptions } from "../types/entity-type.ts";
import { type AnnotationSite, annotationSites } from "./annotation-sites.ts";
import type { PathTargets } from "./bind-annotation-path.ts";
import { bindAnnotationTable } from "./bind-annotation-value.ts";
import { valueContext } from "./value-context.ts";
import {
  type TermScope,
  termChain,
  type NameFault,
  serviceVocabularies,
  usedVocabularies,
  knownAlias,
} from "./vocabularies.ts";

/**
 * Resolves the terms, types, paths and constants of all annotations of a service, and finds all faults of its annotations
 * and vocabularies.
 * @see docs/reference/annotations.md
 */
export const bindAnnotations: AnnotationBinder = (service, types, { namespace, containerName }) => {
  const sites = annotationSites(service, types);
  const faults: ConfigurationFault[] = [...checkAnnotations(service, types, namespace)];
  const vocabularies = serviceVocabularies(service.options["vocabularies"], namespace);
  // Details of errors use it. An application may give its alias to another vocabulary.
  const isDetailed = service.options["profile"] === "standard" && vocabularies["Common"]?.namespace === COMMON;
  const used = new Set<string>(isDetailed ? ["Common"] : []);
  const declared = declaredTerms({ vocabularies, used: new Set() }, sites);
  const targets: PathTargets = { service, types, namespace, containerName, vocabularies, used, declared };
  const byPlace = new Map<string, readonly Annotation[]>();
  for (const site of sites) {
    if (site.annotations === undefined && site.description === undefined) continue;
    const bound = bindSite(targets, site, faults);
    const known = byPlace.get(site.place);
    byPlace.set(site.place, known === undefined ? bound : merged(known, bound, site, faults));
  }
  const annotations: ModelAnnotations = {
    byPlace: frozenMap(byPlace),
    vocabularies: usedVocabularies(vocabularies, used),
    isExternal: service.options["annotationForm"] === "external",
  };
  return { annotations, faults };
};

function bindSite(targets: PathTargets, site: AnnotationSite, faults: ConfigurationFault[]): readonly Annotation[] {
  const collect = (message: string, fix: string): void => {
    faults.push({ ...site.fault, message: message.charAt(0).toUpperCase() + message.slice(1), fix });
  };
  const described = site.description === undefined ? [] : ([["Core.Description", site.description]] as const);
  if (described.length > 0 && typeof site.description !== "string") {
    collect(`The description of ${site.what} cannot be ${describe(site.description)}.`, "Give a string.");
    return [];
  }
  const annotations = site.annotations ?? {};
  if (!isObject(annotations)) {
    const fix = 'Give an object of terms and values, such as { "Core.LongDescription": "…" }.';
    collect(`The annotations of ${site.what} are ${describe(annotations)}.`, fix);
    return [];
  }
  const fault = nestingFault(annotations);
  if (fault !== null) {
    collect(`The annotations of ${site.what} ${fault.message}`, fault.fix);
    return [];
  }
  const context = valueContext(targets, site, "", collect, undefined);
  const bound = bindAnnotationTable(context, Object.entries(annotations));
  const isDescribed = described.length > 0 || site.derived.includes("Core.Description");
  if (isDescribed && bound.some(isDescription)) {
    collect(`${site.what} has two descriptions.`, "Remove `.describe()` or the annotation `Core.Description`.");
  }
  return described.length === 0 ? bound : [...bindAnnotationTable(context, described), ...bound];
}

function isDescription({ qualifiedTerm, qualifier }: Annotation): boolean {
  return qualifiedTerm === "Org.OData.Core.V1.Description" && qualifier === undefined;
}

/** Joins the annotations that several sets declare for one element of their type. */
function merged(
  known: readonly Annotation[],
  more: readonly Annotation[],
  site: AnnotationSite,
  faults: ConfigurationFault[],
): readonly Annotation[] {
  const added = more.filter((annotation) => {
    const other = known.find(({ term, qualifier }) => term === annotation.term && qualifier === annotation.qualifier);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(annotation)) {
      const message = `\`${annotation.term}\` of ${site.what} differs from that in another set of the same type.`;
      faults.push({ ...site.fault, message, fix: "Declare it identically in both sets, or only in one." });
    }
    return other === undefined;
  });
  return [...known, ...added];
}

/** Annotation paths may name these terms. */
function declaredTerms(scope: TermScope, sites: readonly AnnotationSite[]): ReadonlyMap<string, ReadonlySet<string>> {
  const declared = new Map<string, Set<string>>();
  for (const { place, annotations, description, derived } of sites) {
    const terms = declared.get(place) ?? new Set();
    declared.set(place, terms);
    const stated = entriesOf(annotations).flatMap(([key, value]) => (value === undefined ? [] : [key]));
    if (description !== undefined) stated.push("Core.Description");
    for (const key of [...stated, ...derived]) {
      const chain = termChain(scope, key.replace(/^@/u, "").split("@"));
      if (typeof chain === "string") terms.add(chain);
    }
  }
  return declared;
}

/** Deeper values would end the process that writes or reads them. No vocabulary needs a tenth of it. */
const MAX_DEPTH = 200;

/** Returns the fault of a value that contains itself or is nested too deeply; null for every other value. */
function nestingFault(value: unknown): NameFault | null {
  return faultBelow(value, new Set());
}

function faultBelow(value: unknown, around: Set<unknown>): NameFault | null {
  if (typeof value !== "object" || value === null) return null;
  if (around.has(value)) {
    return { message: "contain themselves.", fix: "Give a tree: an object cannot contain itself." };
  }
  if (around.size >= MAX_DEPTH) {
    return { message: `are nested deeper than ${MAX_DEPTH} levels.`, fix: "Nest them less deeply." };
  }
  around.add(value);
  for (const each of Object.values(value)) {
    const fault = faultBelow(each, around);
    if (fault !== null) return fault;
  }
  around.delete(value);
  return null;
}

const TEXT: OptionRule = { kind: "text" };
/** The options of a vocabulary. */
const VOCABULARY_OPTIONS: OptionTable<keyof VocabularyOptions> = { namespace: TEXT, uri: TEXT };

/** Checks the vocabularies of the service, and the places of its annotations. */
function* checkAnnotations(
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
