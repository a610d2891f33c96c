import type { Pace, Steps } from "../base/turn.ts";
import { protocolError } from "../errors/odata-error.ts";
import { isJsonObject, type JsonValue } from "../json/json-value.ts";
import { type BodyPlace, pathWithin, placeWithin } from "./body-place.ts";

/** The end of the annotation that links to existing entities; the short form belongs to OData 4.01. */
const BINDING = /.@(?:odata\.)?bind$/;

/** A structure whose members have not been checked yet. */
interface Pending {
  readonly value: JsonValue;
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

/** The number of names or items that are checked between two readings of the clock. */
const FEW = 64;

/**
 * Refuses such an annotation anywhere in an ignored value. It does not recurse, so the depth is not limited.
 * @throws ODataError `NotImplemented`
 * @throws Paused where the turn of the body is over
 */
export function refuseBindings(value: JsonValue, place: BodyPlace): void {
  if (typeof value !== "object" || value === null) return;
  place.progress.doSteps(refuseBindings, value, (pace) => checkBindings(value, place, pace));
}

/**
 * Refuses such an annotation anywhere in an ignored value, in steps.
 * @throws ODataError `NotImplemented`
 */
export function* checkBindings(value: JsonValue, place: BodyPlace, pace: Pace): Steps<void> {
  if (typeof value !== "object" || value === null) return;
  const pending: Pending[] = [{ value, place }];
  let checked = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const parts = partsOf(next);
    for (let start = 0; start < parts.length; start += FEW) {
      checkSome(next, parts, start, pending);
      checked += Math.min(FEW, parts.length - start);
      if (checked < FEW) continue;
      checked = 0;
      if (pace.isOver) yield;
    }
  }
}

/** The names of an object, or the items of an array. */
type Parts = readonly string[] | readonly JsonValue[];

function partsOf({ value, place }: Pending): Parts {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  return isJsonObject(value) ? place.progress.namesOf(value) : [];
}

/** Checks a few parts of a structure. Loops over names are faster outside of generators. */
function checkSome({ value, place }: Pending, parts: Parts, start: number, pending: Pending[]): void {
  const end = Math.min(parts.length, start + FEW);
  for (let index = start; index < end; index += 1) {
    const part = parts[index];
    if (!isJsonObject(value)) {
      addStructure(pending, part, place, index);
    } else if (typeof part === "string") {
      if (part.includes("@")) refuseBindingName(part, place);
      addStructure(pending, value[part], place, part);
    }
  }
}

function addStructure(
  pending: Pending[],
  value: JsonValue | undefined,
  parent: BodyPlace,
  segment: string | number,
): void {
  if (typeof value !== "object" || value === null) return;
  pending.push({ value, place: placeWithin(parent, segment) });
}
