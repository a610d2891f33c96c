import type { Annotation, AnnotationExpression, AnnotationRecordProperty } from "../../edm/annotation.ts";
import { isDeclaration } from "../model/declaration-kind.ts";
import { isSimpleIdentifier } from "../names.ts";
import { adviseName, isObject, describe } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../types/value-type.ts";
import { OPERATORS, operandType, operatorAttributes, operatorsOfLaterVersions } from "./annotation-operators.ts";
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
  if (forms.length === 0) return bindObject(context, value, type);
  return bindDynamic(context, value, forms, { type, isItem });
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

/** The meaning of a dynamic expression. */
interface Wanted {
  readonly type: ExpectedType;
  /** Whether the value is an item of a collection. */
  readonly isItem: boolean;
}

/** Binds an expression with a form such as `$Path`, `$If` or `$Apply`. */
function bindDynamic(
  context: ValueContext,
  value: Readonly<Record<string, unknown>>,
  forms: readonly string[],
  wanted: Wanted,
): AnnotationExpression {
  const names = forms.map((form) => form.slice(1));
  const explicit = names.find((name) => EXPLICIT_CONSTANTS.includes(name));
  const operator = names.find((name) => Object.hasOwn(OPERATORS, name));
  if (explicit !== undefined && forms.length === 1 && Object.keys(value).length === 1) {
    const right = rightForm(explicit, wanted.type);
    if (right === null) return bindExplicit(context, explicit, value[`$${explicit}`], wanted.type);
    context.report(`cannot be { $${explicit} }.`, `Give ${right}.`);
  } else if (operator !== undefined) {
    return bindOperator(context, value, operator, wanted);
  } else {
    reportForm(context, forms, names, explicit);
  }
  return constant("String", "");
}

function reportForm(
  { report }: ValueContext,
  forms: readonly string[],
  names: readonly string[],
  explicit: string | undefined,
): void {
  const later = names.find((name) => operatorsOfLaterVersions.has(name));
  const known = [...EXPLICIT_CONSTANTS, ...Object.keys(OPERATORS)].map((name) => `$${name}`);
  if (later !== undefined) {
    report(`uses \`$${later}\`, which OData 4.0 does not have.`, "Use $Apply, or the operators of OData 4.0.");
  } else if (explicit !== undefined) {
    report(`has other members beside \`$${explicit}\`.`, "Remove them.");
  } else {
    report(`has the unknown form \`${forms[0] ?? ""}\`.`, adviseName(forms[0] ?? "", known));
  }
}

function bindOperator(
  context: ValueContext,
  value: Readonly<Record<string, unknown>>,
  name: string,
  { type, isItem }: Wanted,
): AnnotationExpression {
  const rule = OPERATORS[name] ?? { least: 0, most: 0, attributes: [] };
  const entries = Object.entries(value);
  const given = value[`$${name}`];
  const single = rule.most === 1;
  const listed: readonly unknown[] = Array.isArray(given) ? given : [];
  const operands = single ? [given] : listed;
  // Only an item of a collection can be absent. @see OData CSDL 4.0, section 14.5.6
  const least = name === "If" && !isItem ? rule.most : rule.least;
  const isCount = operands.length >= least && operands.length <= rule.most;
  if (!single && (!Array.isArray(given) || !isCount)) {
    const range = least === rule.most ? String(least) : `${least} or more`;
    context.report(`has a wrong number of operands of \`$${name}\`.`, `Give an array of ${range}.`);
  }
  const foreign = entries.find(([key]) => !key.startsWith("@") && key !== `$${name}` && !rule.attributes.includes(key));
  if (foreign !== undefined) context.report(`has \`${foreign[0]}\` beside \`$${name}\`.`, "Remove it.");
  const read = operatorAttributes(name, value, context.targets);
  if ("message" in read) context.report(read.message, read.fix);
  const annotations = bindAnnotationTable(
    context,
    entries.filter(([key]) => key.startsWith("@")),
  );
  if (name === "Null") return { kind: "Null", annotations };
  const bindOperand = (each: unknown, index: number): AnnotationExpression => {
    const place = within(context, single ? `$${name}` : `$${name}/${index}`);
    return bindValue(place, each, operandType(name, index, type), isItem && name === "If");
  };
  const attributes = "message" in read ? {} : read.attributes;
  return { kind: "Operator", name, attributes, operands: operands.map(bindOperand), annotations };
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
  if (type.kind === "any" || form === "LabeledElementReference") return null;
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
