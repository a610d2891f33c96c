import { annotationPlace } from "../../edm/annotation.ts";
import type { DeclaredService } from "../model/declared-service.ts";
import type { DeclaredTypes } from "../model/declared-types.ts";
import { isSimpleIdentifier } from "../names.ts";
import { adviseName } from "../option-table.ts";
import type { ComplexTypeDeclaration, EntityTypeDeclaration } from "../types/value-type.ts";
import { type AnnotationScope, type TypeMember, visibleMembers } from "./annotation-sites.ts";
import {
  type TermScope,
  readTerm,
  termChain,
  type NameFault,
  type ExpectedType,
  isOpenRecord,
  propertiesOfValues,
} from "./vocabularies.ts";

/** The kinds of paths in annotations. @see OData CSDL 4.0, sections 14.4.2 and 14.5.6 to 14.5.13 */
export type PathKind = "AnnotationPath" | "ModelPath" | "NavigationPropertyPath" | "Path" | "PropertyPath";

/** A path with wire names, or the reason why it leads nowhere. */
type BoundPath = { readonly text: string; readonly isNavigation: boolean } | NameFault;

/**
 * Resolves a path: each segment is the key of a property or navigation, or its wire name.
 * @param start where the path starts
 * @param ownPlaces the places of the annotations that a path without a segment in front of the term may name
 */
export function bindAnnotationPath(
  targets: PathTargets,
  start: AnnotationScope,
  text: string,
  kind: PathKind,
  ownPlaces: readonly string[] = [],
): BoundPath {
  const isAbsolute = text.startsWith("/");
  const scope: AnnotationScope = isAbsolute ? { kind: "root" } : start;
  let stop: Stop = { scope, places: ownPlaces, typePlaces: ownPlaces, member: undefined, isCountable: false };
  const written: string[] = isAbsolute ? [""] : [];
  const segments = (isAbsolute ? text.slice(1) : text).split("/");
  for (const [index, segment] of segments.entries()) {
    const rest = segments.slice(index + 1);
    const [name = "", ...terms] = segment.split("@");
    if (segment === "$count" && rest.length === 0 && kind === "Path" && stop.isCountable) {
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
    const read = readTerms(targets, name === "" ? stop.typePlaces : stop.places, terms, kind);
    if ("message" in read) return read;
    const fault = rest.length === 0 ? null : restFault(targets, read.type, rest, kind);
    if (fault !== null) return fault;
    const cast = `${name === "" ? "" : (written.pop() ?? "")}@${read.text}`;
    return { text: [...written, cast, ...rest].join("/"), isNavigation: false };
  }
  return endFault(stop, kind) ?? { text: written.join("/"), isNavigation: stop.member?.isNavigation ?? false };
}

function endFault({ member }: Stop, kind: PathKind): NameFault | null {
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

/** Resolves a term, or the term of an annotation of an annotation. */
function readTerms(
  targets: PathTargets,
  places: readonly string[],
  terms: readonly string[],
  kind: PathKind,
): { readonly text: string; readonly type: ExpectedType } | NameFault {
  const chain = termChain(targets, terms);
  if (typeof chain !== "string") return chain;
  const last = readTerm(targets, terms.at(-1) ?? "");
  if ("message" in last) return last;
  const { type } = last;
  if (kind !== "AnnotationPath" || places.length === 0) return { text: chain, type };
  const known = places.flatMap((place) => [...(targets.declared.get(place) ?? [])]);
  if (known.includes(chain)) return { text: chain, type };
  const message = `No annotation \`${chain}\` is declared there.`;
  return { message, fix: known.length === 0 ? "Declare it, or remove the path." : adviseName(chain, known) };
}

/** Checks the segments after a term: the properties of its value. @see OData CSDL 4.0, section 14.5.12 */
function restFault(
  { vocabularies }: PathTargets,
  type: ExpectedType,
  names: readonly string[],
  kind: PathKind,
): NameFault | null {
  let current = type;
  for (const name of names) {
    const isKnown = current.kind === "record";
    if (kind !== "Path" || !isSimpleIdentifier(name) || (!isKnown && current.kind !== "any")) {
      return { message: "An annotation precedes the end.", fix: "End the path with the annotation." };
    }
    if (current.kind !== "record") continue;
    const properties = propertiesOfValues(vocabularies, current);
    const next = properties.get(name);
    if (next === undefined && !isOpenRecord(vocabularies, current)) {
      return { message: `${current.name} has no property \`${name}\`.`, fix: adviseName(name, [...properties.keys()]) };
    }
    current = next ?? { kind: "any" };
  }
  return null;
}

/** The declarations that paths of a service may name. */
export interface PathTargets extends TermScope {
  readonly service: DeclaredService;
  readonly types: DeclaredTypes;
  readonly namespace: string;
  /** The unqualified name of the container. */
  readonly containerName: string;
  /** The annotated places, each with the terms and qualifiers there. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The place that a part of a path leads to. */
interface Stop {
  readonly scope: AnnotationScope;
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
function step(targets: PathTargets, { scope }: Stop, name: string): Step | NameFault {
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
function stepToContainer({ namespace, containerName }: PathTargets, name: string): Step | NameFault {
  const container = `${namespace}.${containerName}`;
  if (name !== container) {
    const fix = `Start it with \`/${container}/\` and an entity set, or write it without the first slash.`;
    return { message: `\`/${name}\` is not the container.`, fix };
  }
  const places = [annotationPlace("container")];
  const scope: AnnotationScope = { kind: "container" };
  return { stop: { scope, places, typePlaces: places, member: undefined, isCountable: false }, text: name };
}

function stepAlong(
  targets: PathTargets,
  type: EntityTypeDeclaration | ComplexTypeDeclaration,
  name: string,
): Step | NameFault {
  const members = visibleMembers(targets.service, type);
  const member = members.find(({ field }) => field === name) ?? members.find((each) => each.name === name);
  if (member === undefined) {
    if (name.includes(".")) return stepToType(targets, name);
    const message = `${type.name} has no property \`${name}\` that clients see.`;
    return { message, fix: adviseName(name, [...new Set(members.map(({ field }) => field))]) };
  }
  const scope: AnnotationScope = member.type === undefined ? { kind: "none" } : { kind: "type", type: member.type };
  const places = [annotationPlace("type", type.name, member.name)];
  const typePlaces = member.type === undefined ? places : [annotationPlace("type", member.type.name)];
  const isCountable = member.isNavigation || member.isCollection;
  return { stop: { scope, places, typePlaces, member, isCountable }, text: member.name };
}

function stepToType(targets: PathTargets, name: string): Step | NameFault {
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

function stepIntoSet({ service }: PathTargets, name: string): Step | NameFault {
  const set = service.sets.find((each) => each.name === name);
  if (set === undefined) {
    const names = service.sets.map((each) => each.name);
    return { message: `The service has no entity set \`${name}\`.`, fix: adviseName(name, names) };
  }
  return { stop: typeStop(set.entityType, [annotationPlace("set", name)], true), text: name };
}

function stepIntoOperation(
  { set, operation }: Extract<AnnotationScope, { readonly kind: "operation" }>,
  name: string,
): Step | NameFault {
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
  const scope: AnnotationScope = type.kind === "ComplexTypeDeclaration" ? { kind: "type", type } : { kind: "none" };
  const isCollection = item !== undefined;
  const member: TypeMember = { field: name, name, type: undefined, isNavigation: false, isCollection };
  return { stop: { scope, places: [], typePlaces: [], member, isCountable: isCollection }, text: name };
}
