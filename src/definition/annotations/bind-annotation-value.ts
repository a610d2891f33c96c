import type { Annotation, AnnotationExpression, AnnotationRecordProperty } from "../../edm/annotation.ts";
import { adviseName, describe, isObject } from "../option-table.ts";
import { OPERATORS, operatorAttributes, operatorsOfLaterVersions } from "./annotation-operators.ts";
import { findVocabulary, readTerm } from "./annotation-term.ts";
import { bindConstant, bindExplicit, constant, EXPLICIT_CONSTANTS } from "./bind-annotation-constant.ts";
import { bindAnnotationPath } from "./bind-annotation-path.ts";
import { valueContext, type ValueContext, within } from "./value-context.ts";
import {
  expectedType,
  inferRecordType,
  isOpenRecord,
  lineageOf,
  propertiesOfRecord,
  type ExpectedType,
  recordType,
  type RecordType,
} from "./vocabulary-types.ts";

/** The member that states the type of a record. */
const TYPE_MEMBERS: readonly string[] = ["@type", "@odata.type", "$Type"];

/**
 * Binds a table of annotations: `Term`, `Term#Qualifier`, and `Term@Other` for the annotation of an annotation. Terms may
 * begin with `@`, as in CSDL JSON.
 * @param context where the table stands
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
  const type = expectedType(targets.vocabularies, read.alias, read.type);
  const { term, qualifiedTerm, qualifier } = read;
  return {
    term,
    qualifiedTerm,
    qualifier,
    value: bindValue(inner, value, type),
    annotations: bindAnnotationTable(inner, nested),
  };
}

function bindValue(context: ValueContext, value: unknown, type: ExpectedType): AnnotationExpression {
  if (Array.isArray(value)) return bindCollection(context, value, type);
  if (!isObject(value)) return bindConstant(context, value, type);
  const forms = Object.keys(value).filter((key) => key.startsWith("$") && !TYPE_MEMBERS.includes(key));
  if (forms.length === 0) return bindObject(context, value, type);
  return bindDynamic(context, value, forms, type);
}

function bindCollection(context: ValueContext, value: readonly unknown[], type: ExpectedType): AnnotationExpression {
  if (type.kind !== "collection" && type.kind !== "any") return context.wrong(value, "a single value");
  const item: ExpectedType = type.kind === "collection" ? type.item : type;
  const items = value.map((each, index) => bindValue(within(context, String(index)), each, item));
  return { kind: "Collection", items };
}

/** Binds an expression with a form such as `$Path`, `$If` or `$Apply`. */
function bindDynamic(
  context: ValueContext,
  value: Readonly<Record<string, unknown>>,
  forms: readonly string[],
  type: ExpectedType,
): AnnotationExpression {
  const names = forms.map((form) => form.slice(1));
  const explicit = names.find((name) => EXPLICIT_CONSTANTS.includes(name));
  const operator = names.find((name) => Object.hasOwn(OPERATORS, name));
  if (explicit !== undefined && forms.length === 1 && Object.keys(value).length === 1) {
    const stated = value[`$${explicit}`];
    if (type.kind === "operation" && explicit === "String") return bindConstant(context, stated, type);
    return bindExplicit(context, explicit, stated);
  }
  if (operator !== undefined) return bindOperator(context, value, operator);
  const later = names.find((name) => operatorsOfLaterVersions.has(name));
  const known = [...EXPLICIT_CONSTANTS, ...Object.keys(OPERATORS)].map((name) => `$${name}`);
  if (later !== undefined) {
    context.report(`uses \`$${later}\`, which OData 4.0 does not have.`, "Use $Apply, or the operators of OData 4.0.");
  } else if (explicit !== undefined) {
    context.report(`has other members beside \`$${explicit}\`.`, "Remove them.");
  } else {
    context.report(`has the unknown form \`${forms[0] ?? ""}\`.`, adviseName(forms[0] ?? "", known));
  }
  return constant("String", "");
}

function bindOperator(
  context: ValueContext,
  value: Readonly<Record<string, unknown>>,
  name: string,
): AnnotationExpression {
  const rule = OPERATORS[name] ?? { least: 0, most: 0, attributes: [] };
  const entries = Object.entries(value);
  const given = value[`$${name}`];
  const single = rule.most === 1;
  const listed: readonly unknown[] = Array.isArray(given) ? given : [];
  const operands = single ? [given] : listed;
  const isCount = operands.length >= rule.least && operands.length <= rule.most;
  if (!single && (!Array.isArray(given) || !isCount)) {
    const range = rule.least === rule.most ? String(rule.least) : `${rule.least} or more`;
    context.report(`has a wrong number of operands of \`$${name}\`.`, `Give an array of ${range}.`);
  }
  const foreign = entries.find(([key]) => !key.startsWith("@") && key !== `$${name}` && !rule.attributes.includes(key));
  if (foreign !== undefined) context.report(`has \`${foreign[0]}\` beside \`$${name}\`.`, "Remove it.");
  const read = operatorAttributes(name, value, context.targets.namespace);
  if ("message" in read) context.report(read.message, read.fix);
  const annotations = bindAnnotationTable(
    context,
    entries.filter(([key]) => key.startsWith("@")),
  );
  if (name === "Null") return { kind: "Null", annotations };
  return {
    kind: "Operator",
    name,
    attributes: "message" in read ? {} : read.attributes,
    operands: operands.map((each, index) =>
      bindValue(within(context, single ? `$${name}` : `$${name}/${index}`), each, { kind: "any" }),
    ),
    annotations,
  };
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
  const properties = chosen.type === null ? null : propertiesOfRecord(context.targets.vocabularies, chosen.type);
  const inner = valueContextOf(context, chosen.type, value);
  const isOpen = chosen.type === null || isOpenRecord(context.targets.vocabularies, chosen.type);
  const bound = names.map((name): AnnotationRecordProperty => {
    const expected = properties?.get(name);
    if (expected === undefined && !isOpen) {
      const known = [...(properties?.keys() ?? [])];
      context.report(
        `has the property \`${name}\`, which ${chosen.type?.name ?? ""} has not.`,
        adviseName(name, known),
      );
    }
    return {
      name,
      value: bindProperty(within(inner, name), name, value[name], expected ?? { kind: "any" }),
      annotations: bindAnnotationTable(
        within(inner, name),
        members.flatMap(([key, each]) => (key.startsWith(`${name}@`) ? [[key.slice(name.length), each] as const] : [])),
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

/** A value list names the properties of its own entity set. @see docs/reference/annotations.md, Value help */
function bindProperty(context: ValueContext, name: string, value: unknown, type: ExpectedType): AnnotationExpression {
  if (name !== "ValueListProperty" || context.list === undefined || typeof value !== "string") {
    return bindValue(context, value, type);
  }
  const bound = bindAnnotationPath(context.targets, { kind: "type", type: context.list }, value, "PropertyPath");
  if ("text" in bound) return constant("String", bound.text);
  context.report(`leads nowhere with the path "${value}": ${bound.message}`, bound.fix);
  return constant("String", value);
}

/** Finds the entity set of a value list, unless another service holds it. */
function valueContextOf(
  context: ValueContext,
  type: RecordType | null,
  value: Readonly<Record<string, unknown>>,
): ValueContext {
  const { CollectionPath: path, CollectionRoot: root } = value;
  const isList = type !== null && (type.name === "Common.ValueListType" || type.name === "Common.ValueListMappingType");
  if (!isList || typeof path !== "string" || root !== undefined) return context;
  const { targets, site, where, collect } = context;
  const { sets } = targets.service;
  const set = sets.find(({ name }) => name === path);
  if (set !== undefined) return valueContext(targets, site, where, collect, set.entityType);
  const names = sets.map(({ name }) => name);
  context.report(
    `names the CollectionPath "${path}", which is not an entity set of this service.`,
    adviseName(path, names),
  );
  return context;
}

/** Chooses the type of a record: the stated type, or else the type that has its properties. */
function chooseType(
  context: ValueContext,
  stated: unknown,
  declared: Extract<ExpectedType, { readonly kind: "record" | "any" }>,
  names: readonly string[],
): { readonly type: RecordType | null; readonly text: string | undefined } {
  const { vocabularies, namespace, used } = context.targets;
  if (stated === undefined) {
    if (declared.kind === "any") return { type: null, text: undefined };
    const inferred = inferRecordType(vocabularies, declared, names);
    if (inferred !== null && inferred.name !== declared.name) used.add(inferred.alias);
    return {
      type: inferred ?? declared,
      text: inferred === null || inferred.name === declared.name ? undefined : inferred.name,
    };
  }
  const name = typeof stated === "string" ? stated.slice(stated.lastIndexOf("#") + 1) : "";
  if (name.startsWith(`${namespace}.`) && declared.kind === "any") return { type: null, text: name };
  const found = findVocabulary(context.targets, name);
  if ("message" in found) {
    context.report(`has the type ${describe(stated)}: ${found.message}`, found.fix);
    return { type: null, text: undefined };
  }
  used.add(found.alias);
  const type = recordType(vocabularies, found.alias, found.local);
  const text = `${found.alias}.${found.local}`;
  if (type === null && found.known.notation !== null) {
    context.report(`has the type ${describe(stated)}, which is unknown.`, "Give a type of the vocabulary.");
  } else if (type !== null && declared.kind === "record" && !isDerived(context, type, declared)) {
    context.report(`has the type ${text}, but needs a ${declared.name}.`, "Give that type, or one derived from it.");
  }
  return { type, text };
}

function isDerived({ targets }: ValueContext, type: RecordType, base: RecordType): boolean {
  return lineageOf(targets.vocabularies, type).some(({ name }) => name === base.name);
}
