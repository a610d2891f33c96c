import type { AnnotationExpression, AnnotationConstantType } from "../../edm/annotation.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import { namesOf, type DeclaredOperation, type DeclaredSet } from "../model/declared-service.ts";
import { isSimpleIdentifier } from "../names.ts";
import { adviseName, describe } from "../option-table.ts";
import type { EntityTypeDeclaration, PropertyDeclaration } from "../types/value-type.ts";
import { bindAnnotationPath, type PathKind, type PathTargets } from "./bind-annotation-path.ts";
import { type ValueContext, constant } from "./value-context.ts";
import {
  findVocabulary,
  type NameFault,
  type EnumerationType,
  type ExpectedType,
  expectedType,
} from "./vocabularies.ts";

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

/** The paths by the name of their type. */
const PATHS: Readonly<Record<string, PathKind>> = {
  AnnotationPath: "AnnotationPath",
  NavigationPropertyPath: "NavigationPropertyPath",
  PropertyPath: "PropertyPath",
  // Of OData 4.01: written as a path to a property or to a navigation property.
  AnyPropertyPath: "ModelPath",
  ModelElementPath: "ModelPath",
};

/** The bits of integers. */
const INTEGERS: ReadonlyMap<string, number> = new Map([
  ["Byte", 8],
  ["SByte", 8],
  ["Int16", 16],
  ["Int32", 32],
  ["Int64", 64],
]);

/** Binds a value of a type of the namespace Edm. @param name the type, without the namespace */
function edmConstant(context: ValueContext, value: unknown, name: string): AnnotationExpression {
  const path = PATHS[name];
  if (path !== undefined) return pathConstant(context, value, path);
  if (name === "String") {
    return typeof value === "string" ? constant("String", value) : context.wrong(value, "a string");
  }
  if (name === "Boolean") {
    return typeof value === "boolean" ? constant("Bool", String(value)) : context.wrong(value, "true or false");
  }
  const bits = INTEGERS.get(name);
  if (bits !== undefined) {
    const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
    if (!isInteger) return context.wrong(value, "a whole number");
    const fitting = name === "Byte" ? BigInt.asUintN(bits, BigInt(value)) : BigInt.asIntN(bits, BigInt(value));
    return fitting === BigInt(value) ? constant("Int", String(value)) : context.wrong(value, `a number of Edm.${name}`);
  }
  if (name === "Double" || name === "Single") {
    return typeof value === "number" ? constant("Float", floatText(value)) : context.wrong(value, "a number");
  }
  return codedConstant(context, value, name);
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

/** Binds a value whose type is unknown, by its type in JavaScript. */
function naturalConstant(context: ValueContext, value: unknown): AnnotationExpression {
  switch (typeof value) {
    case "string":
      return constant("String", value);
    case "boolean":
      return constant("Bool", String(value));
    case "bigint":
      return edmConstant(context, value, "Int64");
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

/** Binds a path from the element. The path leads to a property, a navigation property or an annotation, by its kind. */
function pathConstant(context: ValueContext, value: unknown, kind: PathKind): AnnotationExpression {
  const { targets, site } = context;
  const scope = site.scope;
  // The empty path is the element itself.
  if (value === "" && kind === "NavigationPropertyPath" && scope.kind === "type") return constant(kind, "");
  if (typeof value !== "string" || value === "") return context.wrong(value, 'a path, such as "address/city"');
  const ownPlaces = [site.place, ...(scope.kind === "type" ? [`type ${scope.type.name}`] : [])];
  const bound = bindAnnotationPath(targets, scope, value, kind, ownPlaces);
  if ("message" in bound) {
    context.report(`leads nowhere with the path "${value}": ${bound.message}`, bound.fix);
    return constant("String", value);
  }
  if (kind !== "ModelPath") return constant(kind, bound.text);
  return constant(bound.isNavigation ? "NavigationPropertyPath" : "PropertyPath", bound.text);
}

/** The explicit forms of constants and paths, such as `{ $Path: "name" }`, without the dollar sign. */
export const EXPLICIT_CONSTANTS: readonly string[] = Object.freeze([
  "Path",
  ...Object.keys(PATHS),
  "EnumMember",
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

/** An operation, and the set to which it is bound. */
interface Overload {
  readonly operation: DeclaredOperation;
  readonly set: DeclaredSet | undefined;
}

/** The forms of names: an import of a container, and an operation with or without the types that choose an overload. */
const IMPORT = /^(?<owner>[^()/]+)\/(?<name>[^()/]+)$/u;
const OPERATION = /^(?<owner>[^()/]+)\.(?<name>[^()/.]+)(?:\((?<types>.*)\))?$/u;

/**
 * Checks the name of a function or action in an annotation: `Shop.approve`, `Shop.approve(Shop.Order)`, `restock` or
 * `Shop.Container/restock` for an unbound one. Names in schemas of other services are not checked.
 * @returns null for a valid name
 * @see docs/reference/annotations.md, Names of operations
 */
function operationNameFault(targets: PathTargets, text: string): NameFault | null {
  const overloads = overloadsOf(targets);
  const { namespace, containerName } = targets;
  const imported = IMPORT.exec(text)?.groups;
  if (imported !== undefined) {
    const { owner = "", name = "" } = imported;
    if (owner === `${namespace}.${containerName}`) return importFault(targets, overloads, name);
    return ownerFault(targets, owner.slice(0, owner.lastIndexOf(".")), `${owner} is not a container of this service.`);
  }
  const qualified = OPERATION.exec(text)?.groups;
  if (qualified === undefined) return importFault(targets, overloads, text);
  const { owner = "", name = "", types } = qualified;
  if (owner !== namespace) return ownerFault(targets, owner, `${owner} is not a namespace of this service.`);
  const named = overloads.filter(({ operation }) => operation.name === name);
  if (named.length === 0) {
    const fix = adviseName(`${namespace}.${name}`, qualifiedNames(namespace, overloads));
    return { message: "The service does not declare it.", fix };
  }
  const signatures = named.map((overload) => signatureOf(targets, overload));
  if (types === undefined || signatures.includes(types.replaceAll(" ", ""))) return null;
  const known = [...new Set(signatures)].map((each) => `\`${namespace}.${name}(${each})\``).join(", ");
  return { message: "No overload has these types.", fix: `Write ${known}, or the name without types.` };
}

function overloadsOf({ service }: PathTargets): readonly Overload[] {
  return [
    ...service.operations.map((operation) => ({ operation, set: undefined })),
    ...service.sets.flatMap((set) => set.operations.map((operation) => ({ operation, set }))),
  ];
}

function importFault({ namespace }: PathTargets, overloads: readonly Overload[], name: string): NameFault | null {
  const imports = overloads.flatMap(({ operation, set }) => (set === undefined ? [operation.name] : []));
  if (imports.includes(name)) return null;
  const message = "The service has no unbound operation with this name.";
  const isBound = overloads.some(({ operation }) => operation.name === name);
  if (isBound) return { message, fix: `It is bound: write \`${namespace}.${name}\`.` };
  return { message, fix: adviseName(name, [...imports, ...qualifiedNames(namespace, overloads)]) };
}

function qualifiedNames(namespace: string, overloads: readonly Overload[]): readonly string[] {
  return [...new Set(overloads.map(({ operation }) => `${namespace}.${operation.name}`))];
}

/** Operations of other schemas are unknown here; `$metadata` must refer to their schema. */
function ownerFault({ vocabularies, namespace, used }: PathTargets, owner: string, message: string): NameFault | null {
  const referred = Object.entries(vocabularies).find(
    ([alias, known]) => known.parse === null && (alias === owner || known.namespace === owner),
  );
  if (referred !== undefined) {
    used.add(referred[0]);
    return null;
  }
  const fix = `Write the namespace ${namespace}, or declare that of another service with \`vocabularies\` of odataService.`;
  return { message, fix };
}

/**
 * Returns the types that distinguish an overload from others: the binding type of an action, all types of a function.
 * @see OData CSDL 4.0, section 14.2.1
 */
function signatureOf({ namespace }: PathTargets, { operation, set }: Overload): string {
  const { kind, bound, parameters } = operation;
  const boundType = set === undefined ? [] : [nameOfType(namespace, set.entityType, bound === "collection")];
  if (kind === "Action") return boundType.join(",");
  // `$metadata` lists parameters with a default last.
  const required = parameters.filter(({ declared }) => declared.defaultValue === undefined);
  const optional = parameters.filter(({ declared }) => declared.defaultValue !== undefined);
  const types = [...required, ...optional].map(({ declared: { type, item } }) =>
    nameOfType(namespace, type, item !== undefined),
  );
  return [...boundType, ...types].join(",");
}

function nameOfType(
  namespace: string,
  type: PropertyDeclaration["type"] | DeclaredSet["entityType"],
  isCollection: boolean,
): string {
  const name = type.kind === "PrimitiveType" ? type.name : `${namespace}.${type.name}`;
  return isCollection ? `Collection(${name})` : name;
}
