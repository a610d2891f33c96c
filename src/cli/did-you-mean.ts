import { nearestName } from "../errors/nearest-name.ts";

/**
 * Returns advice for an unknown name: the name that it most likely means, or other advice.
 * @param quote writes a name as its user writes it
 */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  otherwise: string,
  quote: (name: string) => string = JSON.stringify,
): string {
  const nearest = nearestName(name, known);
  return nearest === null ? otherwise : `Did you mean ${quote(nearest)}?`;
}
