import type { AnnotationExpression } from "../../edm/annotation.ts";
import { enumConstant, explicitEnum } from "./bind-annotation-enum.ts";
import { listConstant, operationConstant, pathConstant, referenceConstant } from "./bind-annotation-name.ts";
import { CODED, edmConstant, INTEGERS, naturalConstant, PATHS } from "./bind-edm-constant.ts";
import type { ValueContext } from "./value-context.ts";
import type { ExpectedType } from "./vocabulary-types.ts";

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
