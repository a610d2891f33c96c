import type { Annotation, AnnotationExpression, AnnotationRecordProperty } from "../../edm/annotation.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import { isSimpleIdentifier } from "../names.ts";
import { adviseName, isObject, describe } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../types/value-type.ts";
import { visibleMembers } from "./annotation-sites.ts";
import { EXPLICIT_CONSTANTS, bindConstant, bindExplicit } from "./bind-annotation-constant.ts";
import { type ValueContext, constant, valueContext, within } from "./value-context.ts";
import {
  readTerm,
  findVocabulary,
  type ExpectedType,
  type RecordType,
  derivedFrom,
  inferRecordType,
  isOpenRecord,
  lineageOf,
  propertiesOfRecord,
  recordType,
} from "./vocabularies.ts";

/** The member that states the type of a record. */
const TYPE_MEMBERS: readonly string[] = ["@type", "@odata.type", "$Type"];

/**
 * Binds a table of annotations: `Term`, `Term#Qualifier`, and `Term@Other` for the annotation of an annotation. Terms may
 * begin with `@`, as in CSDL JSON.
 * @param context the place of the table
 */
export function bindAnnotationTable(
  context: ValueContext,
  entries: ReadonlyArray<readonly [string, unknown]>,
): readonly Annotation[] {
  const stated = entries.map(([key, value]) => [key.startsWith("@") ? key.slice(1) : key, value] as const);
  const bound = new Map<string, Annotation>();
  for (const [key, value] of stated) {
    if (key.includes("@") || value === undefined) continue;
    const nested = stated.flatMap(([other, each]) =>
      other.startsWith(`${key}@`) ? [[other.slice(key.length), each] as const] : [],
    );
    const annotation = bindAnnotation(context, key, value, nested);
    if (annotation === null) continue;
    const id = `${annotation.qualifiedTerm}#${annotation.qualifier ?? ""}`;
    if (bound.has(id)) context.collect(`\`${key}\` of ${context.site.what} is given twice.`, "Remove one of them.");
    bound.set(id, annotation);
  }
  for (const [key] of stated) {
    const [owner = ""] = key.split("@");
    if (!key.includes("@") || stated.some(([other, value]) => other === owner && value !== undefined)) continue;
    const message = `\`${key}\` of ${context.site.what} annotates \`${owner}\`, which is missing.`;
    context.collect(message, `Add \`${owner}\`, or remove \`${key}\`.`);
  }
  return [...bound.values()];
}

function bindAnnotation(
  context: ValueContext,
  key: string,
  value: unknown,
  nested: ReadonlyArray<readonly [string, unknown]>,
): Annotation | null {
  const { targets, site, where, collect, list } = context;
  const read = readTerm(targets, key);
  if ("message" in read) {
    collect(`The annotation \`${key}\` of ${site.what} cannot be written: ${read.message}`, read.fix);
    return null;
  }
  const inner = valueContext(targets, site, where === "" ? key : `${where}@${key}`, collect, list);
  const { term, qualifiedTerm, qualifier, type } = read;
  return {
    term,
    qualifiedTerm,
    qualifier,
    value: bindValue(inner, value, type),
    annotations: bindAnnotationTable(inner, nested),
  };
}

/** @param isItem whether the value is an item of a collection */
function bindValue(context: ValueContext, value: unknown, type: ExpectedType, isItem = false): AnnotationExpression {
  if (Array.isArray(value)) return bindCollection(context, value, type, isItem);
  if (!isObject(value)) return bindConstant(context, value, type);
  const forms = Object.keys(value).filter((key) => key.startsWith("$") && !TYPE_MEMBERS.includes(key));
  return forms.length === 0 ? bindObject(context, value, type) : bindForm(context, value, forms, type);
}

/** Collections have no collections as their items. @see OData CSDL 4.0, section 14.5.4 */
function bindCollection(
  context: ValueContext,
  value: readonly unknown[],
  type: ExpectedType,
  isItem: boolean,
): AnnotationExpression {
  if (isItem || (type.kind !== "collection" && type.kind !== "any")) return context.wrong(value, "a single value");
  const item: ExpectedType = type.kind === "collection" ? type.item : type;
  const items = value.map((each, index) => bindValue(within(context, String(index)), each, item, true));
  return { kind: "Collection", items };
}

/** The form of a null that has annotations itself: any other null needs no form. */
const NULL = "Null";

/** Binds a constant or path in an explicit form, such as `{ $Path: "name" }`. */
function bindForm(
  context: ValueContext,
  value: Readonly<Record<string, unknown>>,
  forms: readonly string[],
  type: ExpectedType,
): AnnotationExpression {
  const name = [...EXPLICIT_CONSTANTS, NULL].find((each) => forms.some((form) => form === `$${each}`));
  const others = Object.keys(value).filter(
    (key) => key !== `$${name ?? ""}` && !(name === NULL && key.startsWith("@")),
  );
  if (name === undefined) {
    reportForm(context, forms.find((form) => EVALUATED.has(form)) ?? forms[0] ?? "");
  } else if (others.length > 0) {
    context.report(`has other members beside \`$${name}\`.`, "Remove them.");
  } else if (name === NULL) {
    if (value["$Null"] !== null) context.report("gives `$Null` a value.", "Write { $Null: null }.");
    const own = Object.entries(value).filter(([key]) => key !== "$Null");
    return { kind: "Null", annotations: bindAnnotationTable(context, own) };
  } else {
    const right = rightForm(name, type);
    if (right === null) return bindExplicit(context, name, value[`$${name}`], type);
    context.report(`cannot be { $${name} }.`, `Give ${right}.`);
  }
  return constant("String", "");
}

/** The expressions that clients would evaluate. @see OData CSDL 4.0, section 14.5 */
const EVALUATED: ReadonlySet<string> = new Set(
  (
    "Add And Apply Cast Div DivBy Eq Ge Gt Has If In IsOf LabeledElement LabeledElementReference Le Lt Mod Mul Ne Neg Not Or " +
    "Sub UrlRef"
  )
    .split(" ")
    .map((name) => `$${name}`),
);

function reportForm({ report }: ValueContext, form: string): void {
  if (EVALUATED.has(form)) {
    const fix =
      "Give a constant, a path, a record or a collection: let a property have the result, and write its path.";
    report(`is the expression \`${form}\`, which is not supported.`, fix);
    return;
  }
  const known = [...EXPLICIT_CONSTANTS, NULL].map((name) => `$${name}`);
  report(`has the unknown form \`${form}\`.`, adviseName(form, known));
}

/** Binds a record. */
function bindObject(
  context: ValueContext,
  value: Readonly<Record<string, unknown>>,
  type: ExpectedType,
): AnnotationExpression {
  if (type.kind !== "record" && type.kind !== "any") {
    return context.wrong(value, type.kind === "collection" ? "an array" : `a constant, or a path: { $Path: "name" }`);
  }
  const members = Object.entries(value).filter(([key, each]) => each !== undefined && !TYPE_MEMBERS.includes(key));
  const names = members.flatMap(([key]) => (key.includes("@") ? [] : [key]));
  const stated = TYPE_MEMBERS.map((key) => value[key]).find((each) => each !== undefined);
  const chosen = chooseType(context, stated, type, names);
  const memberOf = recordMembers(context, chosen);
  const inner = listContext(context, chosen.type, value);
  const bound = names.map((key): AnnotationRecordProperty => {
    const member = memberOf(key);
    return {
      name: member.name,
      value: bindValue(within(inner, key), value[key], member.type),
      annotations: bindAnnotationTable(
        within(inner, key),
        members.flatMap(([other, each]) =>
          other.startsWith(`${key}@`) ? [[other.slice(key.length), each] as const] : [],
        ),
      ),
    };
  });
  const own = members.filter(([key]) => key.startsWith("@"));
  const orphan = members.find(
    ([key]) => key.includes("@") && !key.startsWith("@") && !names.includes(key.split("@")[0] ?? ""),
  );
  if (orphan !== undefined) context.report(`has \`${orphan[0]}\` without the property it annotates.`, "Remove it.");
  return { kind: "Record", type: chosen.text, properties: bound, annotations: bindAnnotationTable(inner, own) };
}

const NUMBERS: readonly string[] = ["Float", "Decimal", "Int"];

/** The explicit forms of constants that a type of the namespace Edm allows. Types without an entry have one of their name. */
const EDM_FORMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Boolean", ["Bool"]],
  ["Byte", ["Int"]],
  ["SByte", ["Int"]],
  ["Int16", ["Int"]],
  ["Int32", ["Int"]],
  ["Int64", ["Int"]],
  ["Decimal", ["Decimal", "Int"]],
  ["Double", NUMBERS],
  ["Single", NUMBERS],
  ["AnyPropertyPath", ["AnyPropertyPath", "PropertyPath", "NavigationPropertyPath"]],
  ["ModelElementPath", ["ModelElementPath", "AnyPropertyPath", "PropertyPath", "NavigationPropertyPath"]],
]);

/**
 * Returns why an explicit form, such as `{ $Int: 5 }`, cannot be a value of a type: the right form. A path to a value can be
 * a value of every type except those of paths.
 * @param form without the dollar sign
 * @returns null for a possible form
 */
function rightForm(form: string, type: ExpectedType): string | null {
  if (type.kind === "any") return null;
  const isPath = type.kind === "edm" && type.name.endsWith("Path");
  if (form === "Path") return isPath ? 'a text with the path, such as "name"' : null;
  switch (type.kind) {
    case "edm":
      return rightOf(form, EDM_FORMS.get(type.name) ?? [type.name]);
    case "enum":
      return rightOf(form, ["EnumMember"]);
    case "operation":
    case "listProperty":
      return rightOf(form, ["String"]);
    case "collection":
      return "an array";
    case "record":
      return `an object: the properties of ${type.name}`;
  }
}

function rightOf(form: string, allowed: readonly string[]): string | null {
  return allowed.includes(form) ? null : allowed.map((name) => `{ $${name}: … }`).join(" or ");
}

/** The type of a record: of a vocabulary, of the service, or unknown. */
interface ChosenType {
  readonly type: RecordType | null;
  readonly own: EntityTypeDeclaration | ComplexTypeDeclaration | null;
  /** The type as written; undefined for the declared type. */
  readonly text: string | undefined;
}

/** The property of a record, by its written name. */
interface RecordMember {
  readonly name: string;
  readonly type: ExpectedType;
}

/** Chooses the type of a record: the stated type, or else the type that has its properties. */
function chooseType(
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
function recordMembers(context: ValueContext, { type, own }: ChosenType): (name: string) => RecordMember {
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
function listContext(
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
