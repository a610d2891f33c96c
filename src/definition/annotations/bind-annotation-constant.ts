import type { AnnotationConstant, AnnotationConstantType, AnnotationExpression } from "../../edm/annotation.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import { namesOf } from "../declared-service.ts";
import { adviseName, describe } from "../option-table.ts";
import { findVocabulary } from "./annotation-term.ts";
import { bindAnnotationPath, type PathKind } from "./bind-annotation-path.ts";
import { operationNameFault } from "./operation-name.ts";
import type { ValueContext } from "./value-context.ts";
import { expectedType, type ExpectedType } from "./vocabulary-types.ts";

/** The constants whose text the codec of a type checks. */
const CODED: Readonly<Record<string, AnnotationConstantType>> = {
  Binary: "Binary",
  Date: "Date",
  DateTimeOffset: "DateTimeOffset",
  Decimal: "Decimal",
  Duration: "Duration",
  Guid: "Guid",
  TimeOfDay: "TimeOfDay",
};

const PATHS: Readonly<Record<string, PathKind>> = {
  AnnotationPath: "AnnotationPath",
  NavigationPropertyPath: "NavigationPropertyPath",
  PropertyPath: "PropertyPath",
  // Of OData 4.01: written as a path to a property or to a navigation property.
  AnyPropertyPath: "ModelPath",
  ModelElementPath: "ModelPath",
};

const INTEGERS: ReadonlySet<string> = new Set(["Byte", "SByte", "Int16", "Int32", "Int64"]);

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
      return enumConstant(context, value, type.name, type.members);
    case "operation":
      return operationConstant(context, value);
    case "collection":
      return context.wrong(value, "an array");
    case "record":
      return context.wrong(value, `an object: the properties of ${type.name}`);
  }
}

/** Binds a constant or path in its explicit form. @param name the form without the dollar sign */
export function bindExplicit(context: ValueContext, name: string, value: unknown): AnnotationExpression {
  switch (name) {
    case "Path":
      return pathConstant(context, value, "Path");
    case "EnumMember":
      return explicitEnum(context, value);
    case "LabeledElementReference":
      return typeof value === "string" ? constant(name, value) : context.wrong(value, "the name of an expression");
    case "Bool":
      return edmConstant(context, value, "Boolean");
    case "Int":
      return edmConstant(context, value, "Int64");
    case "Float":
      return edmConstant(context, value, "Double");
    default:
      return edmConstant(context, value, name);
  }
}

function edmConstant(context: ValueContext, value: unknown, name: string): AnnotationExpression {
  const path = PATHS[name];
  if (path !== undefined) return pathConstant(context, value, path);
  if (name === "String") {
    return typeof value === "string" ? constant("String", value) : context.wrong(value, "a string");
  }
  if (name === "Boolean") {
    return typeof value === "boolean" ? constant("Bool", String(value)) : context.wrong(value, "true or false");
  }
  if (INTEGERS.has(name)) {
    const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
    return isInteger ? constant("Int", String(value)) : context.wrong(value, "a whole number");
  }
  if (name === "Double" || name === "Single") {
    return typeof value === "number" ? constant("Float", floatText(value)) : context.wrong(value, "a number");
  }
  return codedConstant(context, value, name);
}

function operationConstant(context: ValueContext, value: unknown): AnnotationExpression {
  if (typeof value !== "string") return context.wrong(value, "the name of an operation");
  const fault = operationNameFault(context.targets, value);
  if (fault !== null) context.report(`names no operation with "${value}": ${fault.message}`, fault.fix);
  return constant("String", value);
}

function codedConstant(context: ValueContext, value: unknown, name: string): AnnotationExpression {
  const type = CODED[name];
  if (type === undefined) return naturalConstant(context, value);
  const codec = valueCodec(PRIMITIVE_TYPES[`Edm.${name}` as PrimitiveTypeName]);
  try {
    const canonical = name === "Binary" && typeof value === "string" ? codec.fromText(value) : codec.fromHandler(value);
    return constant(type, codec.toText(canonical));
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    return context.wrong(value, `a value of Edm.${name}`);
  }
}

function naturalConstant(context: ValueContext, value: unknown): AnnotationExpression {
  switch (typeof value) {
    case "string":
      return constant("String", value);
    case "boolean":
      return constant("Bool", String(value));
    case "bigint":
      return constant("Int", String(value));
    case "number":
      if (Number.isSafeInteger(value)) return constant("Int", String(value));
      return Number.isFinite(value) && !String(value).includes("e")
        ? constant("Decimal", String(value))
        : constant("Float", floatText(value));
    default:
      return context.wrong(value, "a constant, an array or an object");
  }
}

function floatText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : String(value).replace("Infinity", "INF");
}

function pathConstant(context: ValueContext, value: unknown, kind: PathKind): AnnotationExpression {
  if (typeof value !== "string" || value === "") return context.wrong(value, 'a path, such as "address/city"');
  const { targets, site } = context;
  const scope = site.scope;
  const ownPlaces = [site.place, ...(scope.kind === "type" ? [`type ${scope.type.name}`] : [])];
  const bound = bindAnnotationPath(targets, scope, value, kind, ownPlaces);
  if ("message" in bound) {
    context.report(`leads nowhere with the path "${value}": ${bound.message}`, bound.fix);
    return constant("String", value);
  }
  if (kind !== "ModelPath") return constant(kind, bound.text);
  return constant(bound.isNavigation ? "NavigationPropertyPath" : "PropertyPath", bound.text);
}

/** `"UI.ImportanceType/High"`; several members of flags are separated by commas or blanks. */
function explicitEnum(context: ValueContext, value: unknown): AnnotationExpression {
  const text = typeof value === "string" ? value.trim() : "";
  const [type = ""] = text.split("/");
  const members = text.split(/[\s,]+/u).map((member) => member.split("/"));
  if (type === "" || members.some((parts, index) => parts.length > 2 || (index === 0 && parts.length !== 2))) {
    return context.wrong(value, 'a type and a member, such as "UI.ImportanceType/High"');
  }
  const names = members.map((parts) => parts.at(-1) ?? "");
  const { namespace, types } = context.targets;
  const own = [...types.enumTypes].find((each) => `${namespace}.${each.name}` === type);
  if (own !== undefined) return enumConstant(context, names.join(","), type, namesOf(own.members));
  const found = findVocabulary(context.targets, type);
  if ("message" in found) {
    context.report(`cannot be ${describe(value)}: ${found.message}`, found.fix);
    return constant("String", text);
  }
  const { alias, local } = found;
  context.targets.used.add(alias);
  const expected = expectedType(context.targets.vocabularies, alias, local);
  if (expected.kind === "enum") return enumConstant(context, names.join(","), expected.name, expected.members);
  if (expected.kind === "record") return context.wrong(value, "a member of an enumeration");
  return constant("EnumMember", names.map((name) => `${alias}.${local}/${name}`).join(" "));
}

function enumConstant(
  context: ValueContext,
  value: unknown,
  type: string,
  members: readonly string[],
): AnnotationExpression {
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : [];
  const unknown = names.find((name) => !members.includes(name));
  if (names.length === 0 || unknown !== undefined) {
    const fix = unknown === undefined ? "Give the name of a member." : adviseName(unknown, members);
    context.report(`cannot be ${describe(value)}: it is a value of the enumeration ${type}.`, fix);
    return constant("String", "");
  }
  const [alias = ""] = type.split(".");
  if (Object.hasOwn(context.targets.vocabularies, alias)) context.targets.used.add(alias);
  return constant("EnumMember", names.map((name) => `${type}/${name}`).join(" "));
}

/** Makes a constant. */
export function constant(type: AnnotationConstantType, text: string): AnnotationConstant {
  return { kind: "Constant", type, text };
}
