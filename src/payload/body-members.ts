import type { Pace, Steps } from "../base/turn.ts";
import { absentValue } from "../edm/absent-value.ts";
import type { StructuralProperty } from "../edm/model.ts";
import { nearestName } from "../errors/nearest-name.ts";
import type { ODataError } from "../errors/odata-error.ts";
import type { JsonObject } from "../json/json-value.ts";
import { type BodyPlace, invalidMember, placeWithin, shorten } from "./body-place.ts";
import { checkBindings, refuseBindingName, refuseBindings } from "./refuse-binding.ts";

/** An object that is read from a body, by the application's fields. */
export interface BodyObject {
  [field: string]: unknown;
}

/** The number of names whose check is too short to pause for. */
const FEW = 64;

/** The treatment of unknown members, which include ignored properties. */
export type UnknownMembers = "reject" | "ignore";

/**
 * Makes the check of the names in an object. It ignores annotations except `@odata.bind`.
 * @param typeName qualified name of the type, for messages
 * @param names the known members
 * @param kind the kind of the members, for messages
 * @returns a check that throws ODataError `InvalidBody` for an unknown member, `NotImplemented` for `@odata.bind`
 * @see docs/reference/writing.md
 */
export function compileNameCheck(
  typeName: string,
  names: Pick<ReadonlySet<string>, "has" | "keys">,
  unknownMembers: UnknownMembers,
  kind: "property" | "parameter" = "property",
): (object: JsonObject, place: BodyPlace) => void {
  const problem = `${typeName} has no ${kind}`;
  /** Checks a name. @returns whether its value is ignored */
  const isIgnored = (name: string, place: BodyPlace): boolean => {
    if (names.has(name)) return false;
    if (name.includes("@")) refuseBindingName(name, place);
    else if (unknownMembers === "reject") throw unknownMember(name, problem, names.keys(), place);
    return true;
  };
  function* checkMany(object: JsonObject, all: readonly string[], place: BodyPlace, pace: Pace): Steps<void> {
    for (const [index, name] of all.entries()) {
      if (isIgnored(name, place)) yield* checkBindings(object[name] ?? null, placeWithin(place, name), pace);
      if (index % FEW === 0 && pace.isOver) yield;
    }
  }
  return (object, place) => {
    const { progress } = place;
    if (progress.continues(isIgnored, object)) return;
    const all = progress.namesOf(object);
    if (all.length > FEW) {
      progress.doSteps(isIgnored, object, (pace) => checkMany(object, all, place, pace));
      return;
    }
    for (const name of all) {
      if (isIgnored(name, place)) refuseBindings(object[name] ?? null, placeWithin(place, name));
    }
  };
}

function unknownMember(name: string, problem: string, known: Iterable<string>, place: BodyPlace): Error {
  const near = nearestName(name, known);
  const advice = near === null ? "leave it out, or look up the names in $metadata" : `did you mean ${near}?`;
  const end = near === null ? "." : "";
  return invalidMember(`${problem} ${JSON.stringify(shorten(name))}: ${advice}${end}`, place, name);
}

/** Sets a field of an object. */
export type FieldWriter = (target: BodyObject, value: unknown) => void;

/**
 * Makes the writer of a field. It always sets an own property, also for names that objects inherit.
 * @param field key in the application's objects
 */
export function compileFieldWriter(field: string): FieldWriter {
  if (!(field in Object.prototype)) {
    return (target, value) => {
      target[field] = value;
    };
  }
  return (target, value) => {
    Object.defineProperty(target, field, { value, configurable: true, enumerable: true, writable: true });
  };
}

/**
 * Makes the function that returns the value of a missing member: its default, no items, or null.
 * @returns a function that throws ODataError `InvalidBody` for a required member
 * @see OData Protocol 4.0, section 11.4.2
 */
export function compileAbsentValue(
  property: Pick<StructuralProperty, "name" | "defaultValue" | "isCollection" | "nullable">,
): (place: BodyPlace) => unknown {
  const shared = absentValue(property);
  if (typeof shared === "object" && shared !== null) return () => absentValue(property);
  if (shared !== undefined) return () => shared;
  return (place) => {
    throw missingMember(place, property.name);
  };
}

/** Makes the error of a missing required member. */
export function missingMember(place: BodyPlace, name: string): ODataError {
  return invalidMember("This member is required: it has no default and must not be null.", place, name);
}
