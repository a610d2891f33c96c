import type { ComplexType, EntityType, Model, Operation, ModelProperty, StructuralProperty } from "../../edm/model.ts";
import type { PathSegmentSyntax } from "../syntax/ast.ts";

/** The resource at the end of the segments so far; null if they are not a valid path. */
type Place =
  | { readonly kind: "entities" | "entity"; readonly type: EntityType }
  | { readonly kind: "complex"; readonly type: ComplexType }
  | { readonly kind: "values" | "value" | "end" }
  | null;

const END: Place = { kind: "end" };

/**
 * Returns whether the standard defines a resource for a path that this service does not resolve: a path through complex
 * values, several navigations, a type cast, `$crossjoin` or `$all`. Keys and arguments are not read.
 * @param segments the decoded segments below the service root
 * @see OData URL Conventions 4.0, section 4
 */
export function isStandardPath(segments: readonly PathSegmentSyntax[], model: Model): boolean {
  const place = segments.reduce<Place>(
    (before, segment, index) => (index === 0 ? placeOfFirst(segment, model) : next(before, segment, model)),
    null,
  );
  return place !== null;
}

function placeOfFirst({ name, parentheses }: PathSegmentSyntax, model: Model): Place {
  const { entitySets, singletons, functionImports, actionImports } = model.entityContainer;
  const singleton = singletons.get(name);
  if (singleton !== undefined) {
    return parentheses === undefined ? { kind: "entity", type: singleton.entitySet.entityType } : null;
  }
  const entitySet = entitySets.get(name);
  if (entitySet !== undefined) {
    return { kind: parentheses === undefined ? "entities" : "entity", type: entitySet.entityType };
  }
  const imported = functionImports.get(name) ?? actionImports.get(name);
  if (imported !== undefined) return placeOfResult(imported.operation);
  switch (name) {
    case "$batch":
    case "$all":
      return parentheses === undefined ? END : null;
    case "$crossjoin": {
      const names = parentheses?.split(",").map((each) => each.trim()) ?? [""];
      return names.every((each) => entitySets.has(each)) ? END : null;
    }
    default:
      return null;
  }
}

function next(place: Place, segment: PathSegmentSyntax, model: Model): Place {
  if (place === null) return null;
  const isBare = segment.parentheses === undefined;
  switch (place.kind) {
    case "end":
      return null;
    case "value":
      return segment.name === "$value" && isBare ? END : null;
    case "values":
      return segment.name === "$count" && isBare ? END : null;
    case "complex":
      return isCast(place.type, segment) ? place : memberPlace(place.type, segment);
    case "entities":
      if (isBare && (segment.name === "$count" || segment.name === "$ref")) return END;
      if (segment.name === "" || segment.name === place.type.qualifiedName) {
        return { kind: isBare ? "entities" : "entity", type: place.type };
      }
      return operationPlace(model, place.type, true, segment);
    case "entity":
      if (segment.name === "$ref" && isBare) return END;
      if (isCast(place.type, segment)) return place;
      return memberPlace(place.type, segment) ?? operationPlace(model, place.type, false, segment);
  }
}

function isCast({ qualifiedName }: EntityType | ComplexType, { name, parentheses }: PathSegmentSyntax): boolean {
  return name === qualifiedName && parentheses === undefined;
}

function memberPlace(type: EntityType | ComplexType, { name, parentheses }: PathSegmentSyntax): Place {
  const member: ModelProperty | undefined = type.members.get(name);
  if (member === undefined) return null;
  if (member.kind === "NavigationProperty") {
    if (!member.isCollection && parentheses !== undefined) return null;
    const isOne = !member.isCollection || parentheses !== undefined;
    return { kind: isOne ? "entity" : "entities", type: member.entityType };
  }
  return parentheses === undefined ? valuePlace(member) : null;
}

/** Returns the result of a call. Further segments may follow only a composable function. */
function operationPlace(
  { operations }: Model,
  type: EntityType,
  isCollection: boolean,
  { name }: PathSegmentSyntax,
): Place {
  const called = operations.find(
    (each) =>
      (each.name === name || each.qualifiedName === name) &&
      each.binding?.entityType === type &&
      each.binding.isCollection === isCollection,
  );
  return called === undefined ? null : placeOfResult(called);
}

function placeOfResult({ isComposable, returnType }: Operation): Place {
  if (!isComposable || returnType === undefined) return END;
  const { type, isCollection } = returnType;
  if (type.kind === "EntityType") return { kind: isCollection ? "entities" : "entity", type };
  return valuePlace({ type, isCollection });
}

function valuePlace({ type, isCollection }: Pick<StructuralProperty, "type" | "isCollection">): Place {
  if (isCollection) return { kind: "values" };
  return type.kind === "ComplexType" ? { kind: "complex", type } : { kind: "value" };
}
