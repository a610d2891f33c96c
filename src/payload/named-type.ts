import { isJsonObject, type JsonValue } from "../base/json/write-json.ts";
import { TYPE_FIELD } from "../edm/hierarchy.ts";
import type { EntityType } from "../edm/model.ts";
import { describeValue } from "../edm/value-codec.ts";
import { type BodyPlace, bodyRoot, enter, invalidMember } from "./body-members.ts";

/**
 * Returns the type that a body names by `@odata.type`; without it, the declared type.
 * @throws ODataError `InvalidBody` for a type that is not the declared one or derived from it
 * @see OData JSON Format 4.0, section 4.5.3
 */
export function namedType(declared: EntityType, body: JsonValue, place: BodyPlace = bodyRoot(false)): EntityType {
  const { hierarchy, qualifiedName } = declared;
  const given = isJsonObject(body) ? body[TYPE_FIELD] : undefined;
  if (hierarchy === undefined || given === undefined) return declared;
  const types = [...hierarchy.types.values()];
  const name = typeof given === "string" ? fragmentOf(given) : null;
  const found = types.find((each) => each.qualifiedName === name);
  if (found !== undefined) return found;
  const listed = types.map((each) => `#${each.qualifiedName}`).join(", ");
  const problem = `${describeValue(given)} is not ${qualifiedName} or derived from it: write one of ${listed}.`;
  throw invalidMember(problem, place, TYPE_FIELD);
}

/**
 * Returns the type of a new entity.
 * @throws ODataError `InvalidBody` as `namedType`, and for an abstract type
 */
export function newType(declared: EntityType, body: JsonValue, place: BodyPlace, segment: string | number): EntityType {
  const here = place.parent === null && segment === "" ? place : enter(place, segment);
  const type = namedType(declared, body, here);
  requireConcrete(type, here);
  return type;
}

/** Requires that entities have a type. @throws ODataError `InvalidBody` for an abstract type */
export function requireConcrete(type: EntityType, place: BodyPlace = bodyRoot(false)): void {
  if (type.hierarchy?.isAbstract !== true) return;
  const concrete = [...type.hierarchy.types.values()].filter(({ hierarchy }) => hierarchy?.isAbstract !== true);
  const listed = concrete.map((each) => `#${each.qualifiedName}`).join(", ");
  throw invalidMember(
    `No entity is only a ${type.qualifiedName}, which is abstract: write ${listed}.`,
    place,
    TYPE_FIELD,
  );
}

/** Returns the qualified name in a reference to a type: behind `#`, in a URL or alone. */
function fragmentOf(reference: string): string {
  return reference.slice(reference.indexOf("#") + 1);
}
