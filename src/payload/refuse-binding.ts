import { protocolError } from "../errors/odata-error.ts";
import { isJsonObject, type JsonValue, namesOf } from "../json/json-value.ts";
import { type BodyPlace, pathWithin, placeWithin } from "./body-place.ts";

/** The end of the annotation that links to existing entities; the short form belongs to OData 4.01. */
const BINDING = /.@(?:odata\.)?bind$/;

/** A structure whose members have not been checked yet. */
interface Pending {
  readonly value: JsonValue & object;
  readonly place: BodyPlace;
}

/**
 * Refuses an annotation that requests a link, which is not supported.
 * @param name of a member with `@` in it
 * @throws ODataError `NotImplemented`
 * @see docs/reference/writing.md
 */
export function refuseBindingName(name: string, place: BodyPlace): void {
  if (!BINDING.test(name)) return;
  throw protocolError(
    "NotImplemented",
    "@odata.bind is unsupported on this route: link to existing entities through the $ref endpoints of the navigation property; or nest new ones in the body of a POST, where the entity set allows deep insert.",
    { target: pathWithin(place, name) },
  );
}

/**
 * Refuses such an annotation anywhere in an ignored value. It does not recurse, so the depth is not limited.
 * @throws ODataError `NotImplemented`
 */
export function refuseBindings(value: JsonValue, place: BodyPlace): void {
  if (!isStructure(value)) return;
  const pending: Pending[] = [{ value, place }];
  const add = (inner: JsonValue | undefined, outer: BodyPlace, segment: string | number): void => {
    if (isStructure(inner)) pending.push({ value: inner, place: placeWithin(outer, segment) });
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: structure, place: here } = next;
    if (isJsonObject(structure)) {
      for (const name of namesOf(structure)) {
        if (name.includes("@")) refuseBindingName(name, here);
        add(structure[name], here, name);
      }
    } else if (Array.isArray(structure)) {
      for (const [index, item] of (structure as readonly JsonValue[]).entries()) add(item, here, index);
    }
  }
}

function isStructure(value: JsonValue | undefined): value is JsonValue & object {
  return typeof value === "object" && value !== null;
}
