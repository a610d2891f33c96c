import { protocolError, type ODataError } from "../errors/odata-error.ts";

/** The place of a value in a body: the path to it, and the form of its numbers. */
export interface BodyPlace {
  /** Null for the body itself. */
  readonly parent: BodyPlace | null;
  /** Name of a member, or index of an item. */
  readonly segment: string | number;
  readonly depth: number;
  /** Whether numbers may be strings. */
  readonly ieee754Compatible: boolean;
}

/** Maximum nesting of structures, independent of the limit of the parser. */
const MAX_DEPTH = 500;
/** Maximum number of characters of a name or path in an error. */
const MAX_SHOWN = 128;

/** Returns the place of a body. */
export function bodyRoot(ieee754Compatible: boolean): BodyPlace {
  return { parent: null, segment: "", depth: 0, ieee754Compatible };
}

/** Returns the place of a member or item. */
export function placeWithin(parent: BodyPlace, segment: string | number): BodyPlace {
  const { depth, ieee754Compatible } = parent;
  return { parent, segment, depth: depth + 1, ieee754Compatible };
}

/**
 * Returns the place of a member or item whose members are read next.
 * @throws ODataError `InvalidBody` if the body is nested too deeply
 */
export function enter(parent: BodyPlace, segment: string | number): BodyPlace {
  if (parent.depth < MAX_DEPTH) return placeWithin(parent, segment);
  throw protocolError("InvalidBody", `The body is nested deeper than ${String(MAX_DEPTH)} levels.`);
}

/** Returns the path of a member or item, such as `Lines/2/Quantity`; empty for the body itself. */
export function pathWithin(place: BodyPlace, segment: string | number): string {
  const segments = [segment];
  for (let at: BodyPlace | null = place; at !== null && at.parent !== null; at = at.parent) segments.push(at.segment);
  return shorten(segments.toReversed().join("/"));
}

/**
 * Makes the error of an invalid member or item, with the path as target.
 * @param problem the fault and its correction, as a sentence
 */
export function invalidMember(problem: string, place: BodyPlace, segment: string | number): ODataError {
  const path = pathWithin(place, segment);
  return protocolError("InvalidBody", path === "" ? problem : `${path}: ${problem}`, {
    target: path === "" ? undefined : path,
  });
}

/**
 * Makes the error of a null that the model does not allow, with the path as target.
 * @param advice the correction, as the rest of a sentence
 */
export function nullNotAllowed(place: BodyPlace, segment: string | number, advice: string): ODataError {
  const path = pathWithin(place, segment);
  return protocolError("NullNotAllowed", `${path} must not be null: ${advice}.`, { target: path });
}

/** Shortens a client's text for an error. */
export function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
