import { nearestName } from "../errors/nearest-name.ts";
import { quoteText } from "../syntax/syntax-error.ts";

/**
 * The end of a message about an unknown name: ` Did you mean 'Countries'?`, or nothing when no declared name is near.
 * @param declared the names that the client may know of
 */
export function didYouMean(name: string, declared: Iterable<string>): string {
  const nearest = nearestName(name, declared);
  if (nearest === null) return "";
  const isSameWord = nearest.toLowerCase() === name.toLowerCase();
  return ` Did you mean '${nearest}'?${isSameWord ? " Names are case-sensitive." : ""}`;
}

/** A name of the client as a message quotes it: in single quotes, cut when it is long. */
export function quotedName(name: string): string {
  return `'${quoteText(name).slice(1, -1)}'`;
}
