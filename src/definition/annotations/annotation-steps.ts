import { annotationPlace } from "../../edm/annotation.ts";
import type { DeclaredService } from "../declared-service.ts";
import { adviseName } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../types/value-type.ts";
import { type AnnotatedTypes, type PathScope, type TypeMember, visibleMembers } from "./annotation-sites.ts";
import type { TermScope } from "./annotation-term.ts";

/** The declarations that paths of a service may name. */
export interface PathTargets extends TermScope {
  readonly service: DeclaredService;
  readonly types: AnnotatedTypes;
  readonly namespace: string;
  /** The annotated places, each with the terms and qualifiers there. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The fault of a path, and its fix. */
export interface PathFault {
  readonly message: string;
  readonly fix: string;
}

/** The place that a part of a path leads to. */
export interface Stop {
  readonly scope: PathScope;
  /** The places of the annotations `segment@Term`: those of the element itself. */
  readonly places: readonly string[];
  /** The places of the annotations `segment/@Term`: those of the type of its values. */
  readonly typePlaces: readonly string[];
  readonly member: TypeMember | undefined;
  /** Whether `$count` can follow. */
  readonly isCountable: boolean;
}

/** A stop, and the segment that leads to it as written. */
interface Step {
  readonly stop: Stop;
  readonly text: string;
}

/** The name of the binding parameter of bound operations in `$metadata`. */
const BINDING_PARAMETER = "bindingParameter";

/** Follows one segment of a path. */
export function step(targets: PathTargets, { scope }: Stop, name: string): Step | PathFault {
  switch (scope.kind) {
    case "none":
      return { message: "Paths have no start here.", fix: "Give a constant: this element has no properties." };
    case "root":
      return stepToContainer(targets, name);
    case "container":
      return stepIntoSet(targets, name);
    case "operation":
      return stepIntoOperation(scope, name);
    case "type":
      return stepAlong(targets, scope.type, name);
  }
}

/** An absolute path starts with the container. @see OData CSDL 4.0, section 14.5.12 */
function stepToContainer({ namespace, containerName }: PathTargets, name: string): Step | PathFault {
  const container = `${namespace}.${containerName}`;
  if (name !== container) {
    const fix = `Start it with \`/${container}/\` and an entity set, or write it without the first slash.`;
    return { message: `\`/${name}\` is not the container.`, fix };
  }
  const places = [annotationPlace("container")];
  const scope: PathScope = { kind: "container" };
  return { stop: { scope, places, typePlaces: places, member: undefined, isCountable: false }, text: name };
}

function stepAlong(
  targets: PathTargets,
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
  name: string,
): Step | PathFault {
  const members = visibleMembers(targets.service, type);
  const member = members.find(({ field }) => field === name) ?? members.find((each) => each.name === name);
  if (member === undefined) {
    if (name.includes(".")) return stepToType(targets, name);
    const message = `${type.name} has no property \`${name}\` that clients see.`;
    return { message, fix: adviseName(name, [...new Set(members.map(({ field }) => field))]) };
  }
  const scope: PathScope = member.type === undefined ? { kind: "none" } : { kind: "type", type: member.type };
  const places = [annotationPlace("type", type.name, member.name)];
  const typePlaces = member.type === undefined ? places : [annotationPlace("type", member.type.name)];
  const isCountable = member.isNavigation || member.isCollection;
  return { stop: { scope, places, typePlaces, member, isCountable }, text: member.name };
}

function stepToType(targets: PathTargets, name: string): Step | PathFault {
  const types = [...targets.types.entityTypes, ...targets.types.complexTypes];
  const found = types.find((type) => `${targets.namespace}.${type.name}` === name);
  if (found === undefined) return { message: `\`${name}\` is not a type of this service.`, fix: "Remove the segment." };
  return { stop: typeStop(found, [annotationPlace("type", found.name)], false), text: name };
}

function typeStop(
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
  places: readonly string[],
  isCountable: boolean,
): Stop {
  const typePlaces = [annotationPlace("type", type.name)];
  return { scope: { kind: "type", type }, places, typePlaces, member: undefined, isCountable };
}

function stepIntoSet({ service }: PathTargets, name: string): Step | PathFault {
  const set = service.sets.find((each) => each.name === name);
  if (set === undefined) {
    const names = service.sets.map((each) => each.name);
    return { message: `The service has no entity set \`${name}\`.`, fix: adviseName(name, names) };
  }
  return { stop: typeStop(set.entityType, [annotationPlace("set", name)], true), text: name };
}

function stepIntoOperation(
  { set, operation }: Extract<PathScope, { readonly kind: "operation" }>,
  name: string,
): Step | PathFault {
  if (set !== undefined && name === BINDING_PARAMETER) {
    const stop = typeStop(set.entityType, [], operation.bound === "collection");
    return { stop: { ...stop, typePlaces: [] }, text: name };
  }
  const parameter = operation.parameters.find((each) => each.name === name);
  if (parameter === undefined) {
    const names = [...(set === undefined ? [] : [BINDING_PARAMETER]), ...operation.parameters.map((each) => each.name)];
    return { message: `\`${operation.name}\` has no parameter \`${name}\`.`, fix: adviseName(name, names) };
  }
  const { type, item } = parameter.declared;
  const scope: PathScope = type.kind === "ComplexTypeDeclaration" ? { kind: "type", type } : { kind: "none" };
  const isCollection = item !== undefined;
  const member: TypeMember = { field: name, name, type: undefined, isNavigation: false, isCollection };
  return { stop: { scope, places: [], typePlaces: [], member, isCountable: isCollection }, text: name };
}
