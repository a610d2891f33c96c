import { isSimpleIdentifier } from "../names.ts";
import { adviseName } from "../option-table.ts";
import type { PathScope } from "./annotation-sites.ts";
import { type PathFault, type PathTargets, step, type Stop } from "./annotation-steps.ts";
import { readTerm, termChain } from "./annotation-term.ts";
import { type ExpectedType, isOpenRecord, propertiesOfValues } from "./vocabulary-types.ts";

/** The kinds of paths in annotations. @see OData CSDL 4.0, sections 14.4.2 and 14.5.6 to 14.5.13 */
export type PathKind = "AnnotationPath" | "ModelPath" | "NavigationPropertyPath" | "Path" | "PropertyPath";

/** A path with wire names, or the reason why it leads nowhere. */
export type BoundPath = { readonly text: string; readonly isNavigation: boolean } | PathFault;

/**
 * Resolves a path: each segment is the key of a property or navigation, or its wire name.
 * @param start where the path starts
 * @param ownPlaces the places of the annotations that a path without a segment in front of the term may name
 */
export function bindAnnotationPath(
  targets: PathTargets,
  start: PathScope,
  text: string,
  kind: PathKind,
  ownPlaces: readonly string[] = [],
): BoundPath {
  const isAbsolute = text.startsWith("/");
  const scope: PathScope = isAbsolute ? { kind: "root" } : start;
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

/** Resolves a term, or the term of an annotation of an annotation. */
function readTerms(
  targets: PathTargets,
  places: readonly string[],
  terms: readonly string[],
  kind: PathKind,
): { readonly text: string; readonly type: ExpectedType } | PathFault {
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
): PathFault | null {
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
