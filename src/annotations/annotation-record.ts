import { isDeclaration } from "../definition/model/declaration-kind.ts";
import { isSimpleIdentifier } from "../definition/names.ts";
import { adviseName, describe } from "../definition/option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { visibleMembers } from "./annotation-sites.ts";
import { findVocabulary } from "./annotation-term.ts";
import { type ValueContext, valueContext } from "./value-context.ts";
import {
  type ExpectedType,
  type RecordType,
  derivedFrom,
  inferRecordType,
  isOpenRecord,
  lineageOf,
  propertiesOfRecord,
  recordType,
} from "./vocabulary-types.ts";

/** The type of a record: of a vocabulary, of the service, or unknown. */
export interface ChosenType {
  readonly type: RecordType | null;
  readonly own: EntityTypeDeclaration | ComplexTypeDeclaration | null;
  /** The type as written; undefined for the declared type. */
  readonly text: string | undefined;
}

/** The property of a record, by its written name. */
export interface RecordMember {
  readonly name: string;
  readonly type: ExpectedType;
}

/** Chooses the type of a record: the stated type, or else the type that has its properties. */
export function chooseType(
  context: ValueContext,
  stated: unknown,
  declared: Extract<ExpectedType, { readonly kind: "record" | "any" }>,
  names: readonly string[],
): ChosenType {
  if (stated === undefined) return inferType(context, declared, names);
  const { targets, report } = context;
  const { vocabularies, namespace, types, used } = targets;
  const name = typeof stated === "string" ? stated.slice(stated.lastIndexOf("#") + 1) : "";
  const own = [...types.entityTypes, ...types.complexTypes].find((each) => `${namespace}.${each.name}` === name);
  if (own !== undefined && declared.kind === "any") return { type: null, own, text: name };
  const found = findVocabulary(targets, name);
  if ("message" in found) {
    report(`has the type ${describe(stated)}: ${found.message}`, found.fix);
    return { type: null, own: null, text: undefined };
  }
  used.add(found.alias);
  const type = recordType(vocabularies, found.alias, found.local);
  const text = `${found.known.prefix}.${found.local}`;
  if (type === null && !found.known.isOpen) {
    report(`has the type ${describe(stated)}, which is unknown.`, "Give a type of the vocabulary.");
  } else if (type !== null && declared.kind === "record" && !isDerived(context, type, declared)) {
    report(`has the type ${text}, but needs a ${declared.name}.`, "Give that type, or one derived from it.");
  } else if (type?.element.$Abstract === true) {
    report(`has the abstract type ${text}.`, adviseTypes(context, type));
  }
  return { type, own: null, text };
}

function inferType(
  context: ValueContext,
  declared: Extract<ExpectedType, { readonly kind: "record" | "any" }>,
  names: readonly string[],
): ChosenType {
  if (declared.kind === "any") return { type: null, own: null, text: undefined };
  const { vocabularies, used } = context.targets;
  const inferred = inferRecordType(vocabularies, declared, names);
  if (inferred === null && declared.element.$Abstract === true) {
    context.report(`needs \`@type\`, since ${declared.name} is abstract.`, adviseTypes(context, declared));
  }
  if (inferred === null || inferred.name === declared.name) return { type: declared, own: null, text: undefined };
  used.add(inferred.alias);
  return { type: inferred, own: null, text: inferred.name };
}

function adviseTypes({ targets }: ValueContext, type: RecordType): string {
  const concrete = derivedFrom(targets.vocabularies, type).filter(({ element }) => element.$Abstract !== true);
  const names = concrete.map(({ name }) => name).join(", ");
  return names === "" ? "No type of the vocabulary derives from it." : `Give one of ${names}.`;
}

function isDerived({ targets }: ValueContext, type: RecordType, base: RecordType): boolean {
  return lineageOf(targets.vocabularies, type).some(({ name }) => name === base.name);
}

/** Returns the reader of the properties of a record. It reports properties that the type of the record does not have. */
export function recordMembers(context: ValueContext, { type, own }: ChosenType): (name: string) => RecordMember {
  const { vocabularies, service } = context.targets;
  const properties = type === null ? new Map<string, ExpectedType>() : propertiesOfRecord(vocabularies, type);
  const members = own === null ? [] : visibleMembers(service, own);
  const isOpen = own === null && (type === null || isOpenRecord(vocabularies, type));
  return (key) => {
    const member = members.find(({ field }) => field === key) ?? members.find(({ name }) => name === key);
    const name = member?.name ?? key;
    const known = properties.get(key);
    if (known === undefined && member === undefined && !isOpen) {
      const names = [...properties.keys(), ...members.map(({ field }) => field)];
      const owner = type?.name ?? own?.name ?? "";
      context.report(`has the property \`${key}\`, which ${owner} does not have.`, adviseName(key, names));
    } else if (!isSimpleIdentifier(name)) {
      context.report(`has the property \`${key}\`, which is not an identifier.`, "Write letters, digits and `_`.");
    }
    return { name, type: known ?? { kind: "any" } };
  };
}

/** The types with an entity set of this service as their `CollectionPath`, without their vocabulary. */
const LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Common", ["ValueListType", "ValueListMappingType"]],
  ["UI", ["RecommendationListType"]],
]);

const CALL = /^(?<name>[^/().]+)\(.*\)$/u;

/** Finds the entity set of a value list, or the function that returns its entities, unless another service has it. */
export function listContext(
  context: ValueContext,
  type: RecordType | null,
  value: Readonly<Record<string, unknown>>,
): ValueContext {
  const { CollectionPath: path, CollectionRoot: root } = value;
  const isList = type !== null && LISTS.get(type.alias)?.includes(type.local) === true;
  if (!isList || typeof path !== "string" || root !== undefined) return context;
  const { targets, site, where, collect } = context;
  const { sets, operations } = targets.service;
  const called = CALL.exec(path)?.groups?.["name"];
  const result = operations.find(({ name, kind }) => name === called && kind === "Function")?.options["returns"];
  const returned = isDeclaration(result, "EntityCollection") ? result.of : undefined;
  const list = returned ?? sets.find(({ name }) => name === path)?.entityType;
  if (list !== undefined) return valueContext(targets, site, where, collect, list);
  context.report(
    `names the CollectionPath "${path}", which is not an entity set of this service.`,
    adviseName(
      path,
      sets.map(({ name }) => name),
    ),
  );
  return context;
}
