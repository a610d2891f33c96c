import type { ODataError } from "../../base/errors/odata-error.ts";
import { keptPer } from "../../base/memo.ts";
import { castOf } from "../../edm/hierarchy.ts";
import type {
  ComplexType,
  EntitySet,
  Model,
  NavigationProperty,
  Operation,
  Singleton,
  StructuralProperty,
} from "../../edm/model.ts";
import type { AddressedPath, EntityAddress, PropertyPath, ResourcePath } from "../query/resource-path.ts";
import type { PathSegmentSyntax } from "../syntax/ast.ts";
import { didYouMean, quotedName } from "./binding-scope.ts";
import {
  notFound,
  refuseFurther,
  takesNothing,
  unknownBelowSet,
  unknownMember,
  unknownResource,
} from "./path-errors.ts";

/**
 * Resolves a resource path by its names, which are case-sensitive. Keys and arguments are not read.
 * @param segments the decoded segments below the service root; none for the root itself
 * @param reach whether paths end after the first property or navigation of an entity
 * @throws ODataError `NotFound`, with the segment and the most similar declared name
 * @see OData URL Conventions 4.0, section 4
 */
export function resolvePath(
  segments: readonly PathSegmentSyntax[],
  model: Model,
  reach: PathReach = "first",
): ResourcePath {
  const [first, ...rest] = segments;
  if (first === undefined) return { kind: "serviceRoot" };
  const container = model.entityContainer;
  const singleton = container.singletons.get(first.name);
  if (singleton !== undefined) return resolveInSingleton({ model, reach }, singleton, first, rest);
  const entitySet = container.entitySets.get(first.name);
  if (entitySet !== undefined) return resolveInSet({ model, reach }, entitySet, first, rest);
  const imports = [container.functionImports.get(first.name), container.actionImports.get(first.name)];
  const operations = imports.flatMap((found) => (found === undefined ? [] : [found.operation]));
  if (operations.length > 0) {
    refuseFurther(first, rest);
    return { kind: "operationImport", operations, arguments: first.parentheses ?? null };
  }
  if (first.name === "$metadata" && first.parentheses === undefined) {
    refuseFurther(first, rest);
    return { kind: "metadata" };
  }
  throw unknownResource(first, model);
}

/**
 * How far paths lead: to the first property or navigation of an entity, or further, into complex values, along several
 * navigations, and to references of entities and sets.
 */
export type PathReach = "first" | "further";

interface Scope {
  readonly model: Model;
  readonly reach: PathReach;
}

/** Resolves `Set…`: the collection, an entity, or a path below either. */
function resolveInSet(
  scope: Scope,
  entitySet: EntitySet,
  first: PathSegmentSyntax,
  rest: readonly PathSegmentSyntax[],
): ResourcePath {
  const key = first.parentheses;
  const [second, ...further] = rest;
  const cast = second === undefined ? undefined : castAt(scope, entitySet, second, key !== undefined);
  if (second !== undefined && cast !== undefined) {
    return resolveInSet(scope, cast, { ...second, parentheses: key ?? second.parentheses }, further);
  }
  if (key !== undefined) return resolveFromEntity(scope, { entitySet, key }, rest);
  if (second === undefined) return { kind: "entitySet", entitySet };
  const declared = boundOperations(scope.model, entitySet, "collection");
  const operations = declared.get(second.name);
  const kind = second.parentheses === undefined ? SET_SUFFIXES[scope.reach].get(second.name) : undefined;
  if (kind !== undefined) {
    refuseFurther(second, further);
    return { kind, entitySet };
  }
  if (operations === undefined) throw unknownBelowSet(entitySet, second, declared);
  refuseFurther(second, further);
  return { kind: "boundOperation", entitySet, key: null, operations, arguments: second.parentheses ?? null };
}

/** The parts of a path that may follow an entity set. */
const SET_SUFFIXES: Readonly<Record<PathReach, ReadonlyMap<string, "entitySetCount" | "entitySetReferences">>> = {
  first: new Map([["$count", "entitySetCount"]]),
  further: new Map([
    ["$count", "entitySetCount"],
    ["$ref", "entitySetReferences"],
  ]),
};

/**
 * Returns the set of a segment that casts the entities of a set to one of its types; undefined for any other segment.
 * @param hasKey whether a key precedes, so that none may follow
 * @see OData URL Conventions 4.0, section 4.11
 */
function castAt(
  { model }: Scope,
  entitySet: EntitySet,
  { name, parentheses }: PathSegmentSyntax,
  hasKey: boolean,
): EntitySet | undefined {
  if (!name.includes(".") || (hasKey && parentheses !== undefined)) return undefined;
  return castOf(model.entityContainer, entitySet, name);
}

/** Resolves `Me…`: the entity of a singleton, or a path below it. */
function resolveInSingleton(
  scope: Scope,
  singleton: Singleton,
  first: PathSegmentSyntax,
  rest: readonly PathSegmentSyntax[],
): AddressedPath {
  if (first.parentheses !== undefined) throw notFound(first, `'${first.name}' is a single entity and takes no key.`);
  return resolveFromEntity(scope, { entitySet: singleton.entitySet, key: "", singleton }, rest);
}

/** Walks along the navigations of a path, and resolves what follows the last entity. */
function resolveFromEntity(scope: Scope, first: EntityAddress, segments: readonly PathSegmentSyntax[]): AddressedPath {
  let address = first;
  for (const [index, segment] of segments.entries()) {
    const next = nextAddress(scope, address, segment, segments[index + 1]);
    if (next === null) return { ...resolveInEntity(scope, address, segment, segments.slice(index + 1)), ...address };
    address = next;
  }
  return { kind: "entity", ...address };
}

/**
 * Returns the address of the entity to which a segment leads, if another segment follows it there. References of the navigation
 * itself stay below the entity before.
 */
function nextAddress(
  { model, reach }: Scope,
  from: EntityAddress,
  { name, parentheses }: PathSegmentSyntax,
  next: PathSegmentSyntax | undefined,
): EntityAddress | null {
  if (reach === "first" || next === undefined) return null;
  const navigationProperty = from.entitySet.navigationProperties.get(name);
  if (navigationProperty === undefined || navigationProperty.isCollection !== (parentheses !== undefined)) return null;
  if (!navigationProperty.isCollection && next.name.startsWith("$")) return null;
  const target = from.entitySet.navigationPropertyBindings.get(navigationProperty.name) ?? "";
  const entitySet = model.entityContainer.entitySets.get(target);
  if (entitySet === undefined) return null;
  return { entitySet, key: "", step: { from, navigationProperty, relatedKey: parentheses ?? null } };
}

/**
 * Returns the path of an entity of a navigation as that of the entity itself, which writes address.
 * @see OData Protocol 4.0, section 11.4.3
 */
export function entityOfRelated(path: ResourcePath, { entityContainer }: Model): ResourcePath {
  if (path.kind !== "relatedEntity") return path;
  const { navigationProperty, relatedKey, entitySet: owner, key, singleton, step } = path;
  const target = owner.navigationPropertyBindings.get(navigationProperty.name) ?? "";
  const entitySet = entityContainer.entitySets.get(target);
  if (entitySet === undefined) return path;
  const from = { entitySet: owner, key, singleton, step };
  return { kind: "entity", entitySet, key: "", step: { from, navigationProperty, relatedKey } };
}

/** Resolves `Set(key)/…`: a property, a navigation property or an operation of the entity. */
function resolveInEntity(
  { model, reach }: Scope,
  { entitySet, key }: EntityAddress,
  segment: PathSegmentSyntax,
  rest: readonly PathSegmentSyntax[],
): AddressedPath {
  const [suffix] = rest;
  if (reach === "further" && segment.name === "$ref" && segment.parentheses === undefined) {
    refuseFurther(segment, rest);
    return { kind: "entityReference", entitySet, key };
  }
  if (segment.name === "") throw notFound(segment, "Write the key once, in one pair of parentheses.");
  const { media } = entitySet.entityType;
  if (media !== undefined && segment.name === "$value" && segment.parentheses === undefined) {
    refuseFurther(segment, rest);
    return { kind: "property", entitySet, key, property: media, members: [], operations: [] };
  }
  const declared = boundOperations(model, entitySet, "entity");
  const operations = declared.get(segment.name) ?? [];
  const member =
    entitySet.navigationProperties.get(segment.name) ?? entitySet.entityType.members.get(segment.name) ?? null;
  const isCall = operations.length > 0 && segment.parentheses !== undefined;
  if (member?.kind === "StructuralProperty" && !isCall) {
    const place = { owner: { entitySet, key, property: member }, members: [], operations };
    return resolveProperty(place, segment, rest, reach);
  }
  // Navigation properties that only other sets declare have no route here.
  if (
    member?.kind === "NavigationProperty" &&
    entitySet.navigationProperties.has(member.name) &&
    !(isCall && !member.isCollection)
  ) {
    return resolveNavigation({ entitySet, key, navigationProperty: member, operations }, segment, rest);
  }
  if (operations.length === 0) throw unknownMember(entitySet, segment, declared);
  if (suffix !== undefined) throw notFound(suffix, `Nothing may follow the operation '${segment.name}' in a path.`);
  return { kind: "boundOperation", entitySet, key, operations, arguments: segment.parentheses ?? null };
}

/** A property at the end of a path so far. */
interface PropertyPlace {
  readonly owner: Pick<PropertyPath, "entitySet" | "key" | "property">;
  readonly members: readonly StructuralProperty[];
  readonly operations: readonly Operation[];
}

/** Resolves the segments after a property. @param segment the segment of the property */
function resolveProperty(
  { owner, members, operations }: PropertyPlace,
  segment: PathSegmentSyntax,
  rest: readonly PathSegmentSyntax[],
  reach: PathReach,
): AddressedPath {
  if (segment.parentheses !== undefined) throw takesNothing(segment);
  const [next, ...further] = rest;
  if (next === undefined) return { kind: "property", ...owner, members, operations };
  const property = members.at(-1) ?? owner.property;
  const suffix = suffixKind(next, property, reach);
  if (suffix !== null) {
    refuseFurther(next, further);
    return { kind: suffix, ...owner, members, operations: [] };
  }
  const { type, isCollection } = property;
  const complexType = type.kind === "ComplexType" && !isCollection ? type : null;
  const member = reach === "further" ? complexType?.members.get(next.name) : undefined;
  if (member?.kind !== "StructuralProperty") throw unknownBelowProperty(property, complexType, next, reach);
  return resolveProperty({ owner, members: [...members, member], operations: [] }, next, further, reach);
}

function suffixKind(
  { name, parentheses }: PathSegmentSyntax,
  { isCollection, stream }: StructuralProperty,
  reach: PathReach,
): "propertyValue" | "propertyCount" | null {
  if (parentheses !== undefined || stream !== undefined) return null;
  if (name === "$value") return "propertyValue";
  return name === "$count" && isCollection && reach === "further" ? "propertyCount" : null;
}

function unknownBelowProperty(
  { name, isCollection, stream }: StructuralProperty,
  complexType: ComplexType | null,
  next: PathSegmentSyntax,
  reach: PathReach,
): ODataError {
  if (stream !== undefined) return notFound(next, `'${name}' is a stream: its own URL is that of its bytes.`);
  if (reach === "further") {
    if (complexType === null) {
      const suffix = isCollection ? "'$count'" : "'$value'";
      return notFound(next, `Only ${suffix} may follow the property '${name}'.`);
    }
    const names = complexType.properties.map((each) => each.name);
    return notFound(next, `'${name}' has no property ${quotedName(next.name)}.${didYouMean(next.name, names)}`);
  }
  if (complexType?.members.has(next.name) === true) {
    return notFound(next, `Read '${name}' as a whole, or select '${name}/${next.name}'. ${NEEDS_STANDARD}`);
  }
  // Neither a complex value nor a collection has a raw value.
  if (complexType !== null || isCollection) return notFound(next, `Read '${name}' as a whole. ${NEEDS_STANDARD}`);
  return notFound(next, `Only '$value' may follow the property '${name}'.`);
}

const NEEDS_STANDARD =
  "Paths into complex values, and the count of a collection of values, need a service with the profile of the standard.";

interface NavigationFound {
  readonly entitySet: EntitySet;
  readonly key: string;
  readonly navigationProperty: NavigationProperty;
  readonly operations: readonly Operation[];
}

function resolveNavigation(
  found: NavigationFound,
  segment: PathSegmentSyntax,
  rest: readonly PathSegmentSyntax[],
): AddressedPath {
  const { entitySet, key, navigationProperty } = found;
  const [suffix, ...further] = rest;
  const relatedKey = segment.parentheses;
  if (relatedKey !== undefined) {
    if (!navigationProperty.isCollection) {
      throw notFound(segment, `'${segment.name}' leads to a single entity and takes no key.`);
    }
    if (suffix !== undefined) {
      throw notFound(suffix, "To go further, address the related entity in its own entity set.");
    }
    return { kind: "relatedEntity", entitySet, key, navigationProperty, relatedKey };
  }
  if (suffix === undefined) return { kind: "navigation", ...found };
  const kinds = navigationProperty.isCollection ? COLLECTION_SUFFIXES : ENTITY_SUFFIXES;
  const kind = suffix.parentheses === undefined ? kinds.get(suffix.name) : undefined;
  if (kind === undefined) {
    const suffixes = [...kinds.keys()].map((name) => `'${name}'`).join(" and ");
    throw notFound(suffix, `Only ${suffixes} may follow the navigation property '${segment.name}'.`);
  }
  refuseFurther(suffix, further);
  return { kind, ...found, operations: [] };
}

/** The parts of a path that may follow a navigation property. */
const ENTITY_SUFFIXES: ReadonlyMap<string, "reference" | "navigationCount"> = new Map([["$ref", "reference"]]);
const COLLECTION_SUFFIXES: typeof ENTITY_SUFFIXES = new Map([
  ["$count", "navigationCount"],
  ["$ref", "reference"],
]);

/** The binding of an operation: to one entity of a set, or to the collection. */
type BindingKind = "entity" | "collection";

type OperationsByName = ReadonlyMap<string, readonly Operation[]>;

const NONE: OperationsByName = new Map();

/**
 * Returns the operations bound to a set, by name and by qualified name.
 * @see OData URL Conventions 4.0, section 4.5
 */
function boundOperations(model: Model, entitySet: EntitySet, binding: BindingKind): OperationsByName {
  return indexOf(model).get(slot(entitySet.name, binding)) ?? NONE;
}

const indexOf = keptPer((model: Model): ReadonlyMap<string, OperationsByName> => {
  const index = new Map<string, Map<string, readonly Operation[]>>();
  for (const operation of model.operations) {
    const { binding } = operation;
    if (binding === undefined) continue;
    const key = slot(binding.entitySet, binding.isCollection ? "collection" : "entity");
    const byName = index.get(key) ?? new Map<string, readonly Operation[]>();
    for (const name of [operation.name, operation.qualifiedName]) {
      byName.set(name, [...(byName.get(name) ?? []), operation]);
    }
    index.set(key, byName);
  }
  return index;
});

/** Names cannot contain blanks. */
function slot(entitySet: string, binding: BindingKind): string {
  return `${binding} ${entitySet}`;
}
