import { namesOf } from "../definition/model/declared-service.ts";
import { isNamespace, isSimpleIdentifier } from "../definition/names.ts";
import { adviseName, describe } from "../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import type { AnnotationExpression } from "../edm/annotation.ts";
import { findVocabulary } from "./annotation-term.ts";
import { bindAnnotationPath } from "./bind-annotation-path.ts";
import { CODED, INTEGERS, PATHS, edmConstant, naturalConstant, pathConstant } from "./bind-edm-constant.ts";
import { operationNameFault } from "./operation-name.ts";
import { type ValueContext, constant } from "./value-context.ts";
import { type EnumerationType, type ExpectedType, expectedType } from "./vocabulary-types.ts";

/** The explicit forms of constants and paths, such as `{ $Path: "name" }`, without the dollar sign. */
export const EXPLICIT_CONSTANTS: readonly string[] = Object.freeze([
  "Path",
  ...Object.keys(PATHS),
  "EnumMember",
  "LabeledElementReference",
  "String",
  "Bool",
  "Int",
  "Float",
  ...Object.keys(CODED),
]);

/** Binds a constant without an explicit form, by its expected type. */
export function bindConstant(context: ValueContext, value: unknown, type: ExpectedType): AnnotationExpression {
  if (value === null) return { kind: "Null", annotations: [] };
  switch (type.kind) {
    case "any":
      return naturalConstant(context, value);
    case "edm":
      return edmConstant(context, value, type.name);
    case "enum":
      return enumConstant(context, value, type);
    case "operation":
      return operationConstant(context, value);
    case "listProperty":
      return context.list === undefined || typeof value !== "string"
        ? edmConstant(context, value, "String")
        : listConstant(context, value, context.list);
    case "collection":
      return context.wrong(value, "an array");
    case "record":
      return context.wrong(value, `an object: the properties of ${type.name}`);
  }
}

/**
 * Binds a constant or path in its explicit form.
 * @param name the form without the dollar sign
 * @param type a type that has the form, see `rightForm`
 */
export function bindExplicit(
  context: ValueContext,
  name: string,
  value: unknown,
  type: ExpectedType,
): AnnotationExpression {
  switch (name) {
    case "Path":
      return pathConstant(context, value, "Path");
    case "EnumMember":
      return explicitEnum(context, value, type);
    case "String":
      return type.kind === "edm" ? edmConstant(context, value, "String") : textConstant(context, value, type);
    case "LabeledElementReference":
      return referenceConstant(context, value);
    case "Bool":
      return edmConstant(context, value, "Boolean");
    case "Int":
      return edmConstant(context, value, type.kind === "edm" && INTEGERS.has(type.name) ? type.name : "Int64");
    case "Float":
      return edmConstant(context, value, "Double");
    default:
      return edmConstant(context, value, name);
  }
}

/** A text where no type or a type with its own check is known. */
function textConstant(context: ValueContext, value: unknown, type: ExpectedType): AnnotationExpression {
  return type.kind === "any" ? edmConstant(context, value, "String") : bindConstant(context, value, type);
}

/** Binds `"UI.ImportanceType/High"`. Several members of flags are separated by commas or blanks. */
function explicitEnum(context: ValueContext, value: unknown, wanted: ExpectedType): AnnotationExpression {
  const text = typeof value === "string" ? value.trim() : "";
  const [type = ""] = text.split("/");
  const members = text.split(/[\s,]+/u).map((member) => member.split("/"));
  if (type === "" || members.some((parts, index) => parts.length > 2 || (index === 0 && parts.length !== 2))) {
    return context.wrong(value, 'a type and a member, such as "UI.ImportanceType/High"');
  }
  const names = members.map((parts) => parts.at(-1) ?? "").join(",");
  const { namespace, types, vocabularies, used } = context.targets;
  const own = [...types.enumTypes].find((each) => `${namespace}.${each.name}` === type);
  if (own !== undefined) {
    const ownType = {
      name: type,
      alias: undefined,
      members: namesOf(own.members),
      isFlags: own.isFlags,
      isOpen: false,
    };
    return statedEnum(context, names, { kind: "enum", ...ownType }, wanted);
  }
  const found = findVocabulary(context.targets, type);
  if ("message" in found) {
    context.report(`cannot be ${describe(value)}: ${found.message}`, found.fix);
    return constant("String", text);
  }
  const { alias, local, known } = found;
  used.add(alias);
  const expected = expectedType(vocabularies, { $Type: `${alias}.${local}` });
  if (expected.kind === "enum") return statedEnum(context, names, expected, wanted);
  if (expected.kind === "record") return context.wrong(value, "a member of an enumeration");
  const name = `${known.prefix}.${local}`;
  const open: EnumerationType = { kind: "enum", name, alias, members: [], isFlags: true, isOpen: true };
  return statedEnum(context, names, open, wanted);
}

/** A member whose type is stated, not only declared. */
function statedEnum(
  context: ValueContext,
  names: string,
  type: EnumerationType,
  wanted: ExpectedType,
): AnnotationExpression {
  if (wanted.kind === "enum" && wanted.name !== type.name) {
    context.report(`has a member of ${type.name}.`, `Give a member of ${wanted.name}.`);
  }
  const bound = enumConstant(context, names, type);
  return bound.kind === "Constant" && wanted.kind !== "enum" ? { ...bound, isTypeStated: true } : bound;
}

/** Binds the names of members, without their type. */
function enumConstant(context: ValueContext, value: unknown, type: EnumerationType): AnnotationExpression {
  const { name: typeName, members, isFlags, isOpen, alias } = type;
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : [];
  const unknown = names.find((name) => (isOpen ? !isSimpleIdentifier(name) : !members.includes(name)));
  if (names.length === 0 || unknown !== undefined) {
    const fix = unknown === undefined ? "Give the name of a member." : adviseName(unknown, members);
    context.report(`cannot be ${describe(value)}: it is a value of the enumeration ${typeName}.`, fix);
    return constant("String", "");
  }
  if (names.length > 1 && !isFlags) {
    context.report(`has several members of ${typeName}.`, "Give one: the enumeration has no flags.");
  }
  if (alias !== undefined) context.targets.used.add(alias);
  return constant("EnumMember", names.map((name) => `${typeName}/${name}`).join(" "));
}

/** Binds a path from the type of the value list. @see docs/reference/annotations.md, Value help */
function listConstant(context: ValueContext, value: string, type: EntityTypeDeclaration): AnnotationExpression {
  const bound = bindAnnotationPath(context.targets, { kind: "type", type }, value, "PropertyPath");
  if ("text" in bound) return constant("String", bound.text);
  context.report(`leads nowhere with the path "${value}": ${bound.message}`, bound.fix);
  return constant("String", value);
}

/** Binds the name of a function or action. */
function operationConstant(context: ValueContext, value: unknown): AnnotationExpression {
  if (typeof value !== "string") return context.wrong(value, "the name of an operation");
  const fault = operationNameFault(context.targets, value);
  if (fault !== null) context.report(`names no operation with "${value}": ${fault.message}`, fault.fix);
  return constant("String", value);
}

/** Binds the name of a labeled element, with the namespace of its schema. @see OData CSDL 4.0, section 14.5.9 */
function referenceConstant(context: ValueContext, value: unknown): AnnotationExpression {
  if (typeof value !== "string") return context.wrong(value, "the name of an expression");
  if (value.includes(".") && isNamespace(value)) return constant("LabeledElementReference", value);
  return context.wrong(
    value,
    `the name of an expression with its namespace, such as "${context.targets.namespace}.name"`,
  );
}
