import type { AnnotationConstantType, AnnotationExpression } from "../edm/annotation.ts";
import { PRIMITIVE_TYPES, type PrimitiveTypeName } from "../edm/primitive-type.ts";
import { InvalidValueError } from "../edm/value-codec.ts";
import { valueCodec } from "../edm/value-codecs.ts";
import { type PathKind, bindAnnotationPath } from "./bind-annotation-path.ts";
import { type ValueContext, constant } from "./value-context.ts";

/** The constants whose text the codec of a type checks. */
export const CODED: Readonly<Record<string, AnnotationConstantType>> = {
  Binary: "Binary",
  Date: "Date",
  DateTimeOffset: "DateTimeOffset",
  Decimal: "Decimal",
  Duration: "Duration",
  Guid: "Guid",
  TimeOfDay: "TimeOfDay",
};

/** The paths by the name of their type. */
export const PATHS: Readonly<Record<string, PathKind>> = {
  AnnotationPath: "AnnotationPath",
  NavigationPropertyPath: "NavigationPropertyPath",
  PropertyPath: "PropertyPath",
  // Of OData 4.01: written as a path to a property or to a navigation property.
  AnyPropertyPath: "ModelPath",
  ModelElementPath: "ModelPath",
};

/** The bits of integers. */
export const INTEGERS: ReadonlyMap<string, number> = new Map([
  ["Byte", 8],
  ["SByte", 8],
  ["Int16", 16],
  ["Int32", 32],
  ["Int64", 64],
]);

/** Binds a value of a type of the namespace Edm. @param name the type, without the namespace */
export function edmConstant(context: ValueContext, value: unknown, name: string): AnnotationExpression {
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
export function naturalConstant(context: ValueContext, value: unknown): AnnotationExpression {
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
export function pathConstant(context: ValueContext, value: unknown, kind: PathKind): AnnotationExpression {
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
