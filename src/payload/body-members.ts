import { absentValue } from "../edm/absent-value.ts";
import type { StructuralProperty } from "../edm/model.ts";
import { nearestName } from "../errors/nearest-name.ts";
import type { ODataError } from "../errors/odata-error.ts";
import { type JsonObject, namesOf } from "../json/json-value.ts";
import { type BodyPlace, invalidMember, placeWithin, shorten } from "./body-place.ts";
import { refuseBindingName, refuseBindings } from "./refuse-binding.ts";

/** An object that is read from a body, by the application's fields. */
export interface BodyObject {
  [field: string]: unknown;
}

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
  return (object, place) => {
    for (const name of namesOf(object)) {
      if (names.has(name)) continue;
      if (name.includes("@")) refuseBindingName(name, place);
      else if (unknownMembers === "reject") throw unknownMember(name, problem, names.keys(), place);
      refuseBindings(object[name] ?? null, placeWithin(place, name));
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
