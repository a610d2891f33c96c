import type { AnnotationExpression } from "../../edm/annotation.ts";
import { isNamespace } from "../names.ts";
import type { EntityTypeDeclaration } from "../types/value-type.ts";
import { bindAnnotationPath, type PathKind } from "./bind-annotation-path.ts";
import { operationNameFault } from "./operation-name.ts";
import { constant, type ValueContext } from "./value-context.ts";

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

/** Binds a path from the type of the value list. @see docs/reference/annotations.md, Value help */
export function listConstant(context: ValueContext, value: string, type: EntityTypeDeclaration): AnnotationExpression {
  const bound = bindAnnotationPath(context.targets, { kind: "type", type }, value, "PropertyPath");
  if ("text" in bound) return constant("String", bound.text);
  context.report(`leads nowhere with the path "${value}": ${bound.message}`, bound.fix);
  return constant("String", value);
}

/** Binds the name of a function or action. */
export function operationConstant(context: ValueContext, value: unknown): AnnotationExpression {
  if (typeof value !== "string") return context.wrong(value, "the name of an operation");
  const fault = operationNameFault(context.targets, value);
  if (fault !== null) context.report(`names no operation with "${value}": ${fault.message}`, fault.fix);
  return constant("String", value);
}

/** Binds the name of a labeled element, with the namespace of its schema. @see OData CSDL 4.0, section 14.5.9 */
export function referenceConstant(context: ValueContext, value: unknown): AnnotationExpression {
  if (typeof value !== "string") return context.wrong(value, "the name of an expression");
  if (value.includes(".") && isNamespace(value)) return constant("LabeledElementReference", value);
  return context.wrong(
    value,
    `the name of an expression with its namespace, such as "${context.targets.namespace}.name"`,
  );
}
