import { protocolError, type ODataError } from "../errors/odata-error.ts";

/** Where a value stands in a body that is read: the path to it, and how its numbers are written. */
export interface BodyPlace {
  /** Null for the body itself. */
  readonly parent: BodyPlace | null;
  /** Name of a member, or index of an item. */
  readonly segment: string | number;
  readonly depth: number;
  /** Whether strings stand for numbers. */
  readonly ieee754Compatible: boolean;
}

/** Structures within one another that are read by the model, whatever limit the parser has. */
const MAX_DEPTH = 500;
/** Characters of a name, or of a path, that an error shows. */
const MAX_SHOWN = 128;

/** The place of a body. */
export function bodyRoot(ieee754Compatible: boolean): BodyPlace {
  return { parent: null, segment: "", depth: 0, ieee754Compatible };
}

/** The place of a member or item. */
export function placeWithin(parent: BodyPlace, segment: string | number): BodyPlace {
  return { parent, segment, depth: parent.depth + 1, ieee754Compatible: parent.ieee754Compatible };
}

/**
 * The place of a member or item whose own members are read next.
 * @throws ODataError `InvalidBody` below a depth that no honest body has
 */
export function enter(parent: BodyPlace, segment: string | number): BodyPlace {
  if (parent.depth < MAX_DEPTH) return placeWithin(parent, segment);
  throw protocolError("InvalidBody", `The body nests deeper than the ${String(MAX_DEPTH)} levels that are read.`);
}

/** The path of a member or item, such as `Lines/2/Quantity`; empty for the body itself. */
export function pathWithin(place: BodyPlace, segment: string | number): string {
  const segments = [segment];
  for (let at: BodyPlace | null = place; at !== null && at.parent !== null; at = at.parent) segments.push(at.segment);
  return shorten(segments.toReversed().join("/"));
}

/**
 * Makes the error of a member or item that is not what the model asks for; the path is the target.
 * @param problem what is wrong and what would be right, as a sentence
 */
export function invalidMember(problem: string, place: BodyPlace, segment: string | number): ODataError {
  const path = pathWithin(place, segment);
  return protocolError("InvalidBody", path === "" ? problem : `${path}: ${problem}`, {
    target: path === "" ? undefined : path,
  });
}

/**
 * Makes the error of a null that the model does not allow; the path is the target.
 * @param advice what would be right, as the rest of a sentence
 */
export function nullNotAllowed(place: BodyPlace, segment: string | number, advice: string): ODataError {
  const path = pathWithin(place, segment);
  return protocolError("NullNotAllowed", `${path} is never null: ${advice}.`, { target: path });
}

/** A text of the client's as an error shows it. */
export function shorten(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
