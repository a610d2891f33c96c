import { nearestName } from "../errors/nearest-name.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { quoteText } from "../syntax/syntax-error.ts";

/**
 * The error of an option that cannot mean what it says.
 * @param option the option at fault, with its `$`
 * @param position offset in the decoded text of the option; undefined where the option as a whole is at fault
 * @param message what was wrong and what would be right
 * @see specification, Errors
 */
export function invalidOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("InvalidQueryOption", withPosition(option, position, message), { target: option });
}

/** The error of an option, or of a construct in it, that the standard has and the service does not offer. @see docs/reference/errors.md */
export function unsupportedOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), { target: option });
}

/** The error of an option that does not belong to the resource, or of a name in it that nothing declares. */
export function misplacedOption(option: string, position: number | undefined, message: string): ODataError {
  const options = { target: option, isUnsupported: false };
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), options);
}

function withPosition(option: string, position: number | undefined, message: string): string {
  return position === undefined ? message : `${option} at position ${position}: ${message}`;
}

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
