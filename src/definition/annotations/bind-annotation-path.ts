import { annotationPlace } from "../../edm/annotation.ts";
import type { DeclaredService } from "../declared-service.ts";
import { adviseName } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../types/value-type.ts";
import { type AnnotatedTypes, type PathScope, type TypeMember, visibleMembers } from "./annotation-sites.ts";
import { readTerm, type TermScope } from "./annotation-term.ts";

/** The kinds of paths in annotations. @see OData CSDL 4.0, sections 14.4.2 and 14.5.6 to 14.5.13 */
export type PathKind = "AnnotationPath" | "ModelPath" | "NavigationPropertyPath" | "Path" | "PropertyPath";

/** What paths of a service may lead to. */
export interface PathTargets extends TermScope {
  readonly service: DeclaredService;
  readonly types: AnnotatedTypes;
  readonly namespace: string;
  /** The annotated places, each with the terms and qualifiers there. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A path with wire names, or the reason why it leads nowhere. */
export type BoundPath = { readonly text: string; readonly isNavigation: boolean } | PathFault;

interface PathFault {
  readonly message: string;
  readonly fix: string;
}

/** The place that a part of a path leads to. */
interface Stop {
  readonly scope: PathScope;
  /** The places of annotations that an annotation path may name here. */
  readonly places: readonly string[];
  readonly member: TypeMember | undefined;
}

/** The name of the binding parameter of bound operations in `$metadata`. */
const BINDING_PARAMETER = "bindingParameter";

/**
 * Resolves a path: each segment is the key of a property or navigation, or its wire name.
 * @param start where the path starts
 */
export function bindAnnotationPath(
  targets: PathTargets,
  start: PathScope,
  text: string,
  kind: PathKind,
  ownPlaces: readonly string[] = [],
): BoundPath {
  const isAbsolute = text.startsWith("/");
  let stop: Stop = { scope: isAbsolute ? { kind: "container" } : start, places: ownPlaces, member: undefined };
  const written: string[] = isAbsolute ? [""] : [];
  const segments = (isAbsolute ? text.slice(1) : text).split("/");
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const [name = "", ...terms] = segment.split("@");
    if (isAbsolute && index === 0 && name === containerName(targets)) {
      written.push(segment);
      continue;
    }
    if (name === "$count" && isLast && kind === "Path") {
      return { text: [...written, name].join("/"), isNavigation: false };
    }
    if (name !== "") {
      const next = step(targets, stop, name);
      if ("message" in next) return next;
      stop = next.stop;
      written.push(next.text);
    } else if (terms.length === 0) {
      return { message: "A segment is empty.", fix: "Name a property in each segment." };
    }
    if (terms.length === 0) continue;
    if (!isLast) return { message: "An annotation precedes the end.", fix: "End the path with the annotation." };
    const fault = termFault(targets, stop, terms.join("@"), kind);
    if (fault !== null) return fault;
    if (name === "") written.push(`@${terms.join("@")}`);
    else written.push(`${written.pop() ?? ""}@${terms.join("@")}`);
    return { text: written.join("/"), isNavigation: false };
  }
  return endFault(stop, kind) ?? { text: written.join("/"), isNavigation: stop.member?.isNavigation ?? false };
}

function endFault({ member }: Stop, kind: PathKind): PathFault | null {
  if (kind === "AnnotationPath") {
    return { message: "It names no annotation.", fix: 'End it with a term, such as "@UI.FieldGroup#Address".' };
  }
  if (kind === "PropertyPath" && (member === undefined || member.isNavigation)) {
    return { message: "It leads to no property.", fix: "End it with a property that is not a navigation property." };
  }
  if (kind === "NavigationPropertyPath" && member?.isNavigation !== true) {
    return { message: "It leads to no navigation.", fix: "End it with a navigation property." };
  }
  return null;
}

function termFault(targets: PathTargets, { places }: Stop, term: string, kind: PathKind): PathFault | null {
  const read = readTerm(targets, term);
  if ("message" in read) return read;
  if (kind !== "AnnotationPath" || places.length === 0) return null;
  const known = places.flatMap((place) => [...(targets.declared.get(place) ?? [])]);
  if (known.includes(term)) return null;
  const message = `No annotation \`${term}\` is declared there.`;
  return { message, fix: known.length === 0 ? "Declare it, or remove the path." : adviseName(term, known) };
}

function step(
  targets: PathTargets,
  stop: Stop,
  name: string,
): { readonly stop: Stop; readonly text: string } | PathFault {
  const { scope } = stop;
  switch (scope.kind) {
    case "none":
      return { message: "Paths have no start here.", fix: "Give a constant: this element has no properties." };
    case "container":
      return stepIntoSet(targets, name);
    case "operation":
      return stepIntoOperation(scope, name);
    case "type":
      return name.includes(".") ? stepToType(targets, name) : stepAlong(targets, scope.type, name);
  }
}

function stepAlong(
  targets: PathTargets,
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
  name: string,
): { readonly stop: Stop; readonly text: string } | PathFault {
  const members = visibleMembers(targets.service, type);
  const member = members.find(({ field }) => field === name) ?? members.find((each) => each.name === name);
  if (member === undefined) {
    const message = `${type.name} has no property \`${name}\` that clients see.`;
    return { message, fix: adviseName(name, [...new Set(members.map(({ field }) => field))]) };
  }
  const scope: PathScope = member.type === undefined ? { kind: "none" } : { kind: "type", type: member.type };
  const places = [
    annotationPlace("type", type.name, member.name),
    ...(member.type === undefined ? [] : [annotationPlace("type", member.type.name)]),
  ];
  return { stop: { scope, places, member }, text: member.name };
}

function stepToType(targets: PathTargets, name: string): { readonly stop: Stop; readonly text: string } | PathFault {
  const types = [...targets.types.entityTypes, ...targets.types.complexTypes];
  const found = types.find((type) => `${targets.namespace}.${type.name}` === name);
  if (found === undefined) return { message: `\`${name}\` is not a type of this service.`, fix: "Remove the segment." };
  const places = [annotationPlace("type", found.name)];
  return { stop: { scope: { kind: "type", type: found }, places, member: undefined }, text: name };
}

function stepIntoSet(
  { service }: PathTargets,
  name: string,
): { readonly stop: Stop; readonly text: string } | PathFault {
  const set = service.sets.find((each) => each.name === name);
  if (set === undefined) {
    const names = service.sets.map((each) => each.name);
    return { message: `The service has no entity set \`${name}\`.`, fix: adviseName(name, names) };
  }
  const { entityType: type } = set;
  const places = [annotationPlace("set", name), annotationPlace("type", type.name)];
  return { stop: { scope: { kind: "type", type }, places, member: undefined }, text: name };
}

function stepIntoOperation(
  { set, operation }: Extract<PathScope, { readonly kind: "operation" }>,
  name: string,
): { readonly stop: Stop; readonly text: string } | PathFault {
  if (set !== undefined && name === BINDING_PARAMETER) {
    return { stop: { scope: { kind: "type", type: set.entityType }, places: [], member: undefined }, text: name };
  }
  const parameter = operation.parameters.find((each) => each.name === name);
  if (parameter === undefined) {
    const names = [...(set === undefined ? [] : [BINDING_PARAMETER]), ...operation.parameters.map((each) => each.name)];
    return { message: `\`${operation.name}\` has no parameter \`${name}\`.`, fix: adviseName(name, names) };
  }
  const { type } = parameter.declared;
  const scope: PathScope = type.kind === "ComplexTypeDeclaration" ? { kind: "type", type } : { kind: "none" };
  const member: TypeMember = { field: name, name, type: undefined, isNavigation: false };
  return { stop: { scope, places: [], member }, text: name };
}

/** The container has a second name if a type or operation has the first one. */
function containerName({ namespace, containerName: name }: PathTargets): string {
  return `${namespace}.${name}`;
}
