import { nearestName } from "../errors/nearest-name.ts";
import { type ODataError, protocolError } from "../errors/odata-error.ts";
import { quoteText } from "../syntax/syntax-error.ts";

/**
 * Makes the error of an invalid option.
 * @param option the option at fault, with its `$`
 * @param position offset in the decoded text of the option; undefined if the whole option is at fault
 * @param message the fault and its correction
 * @see docs/reference/errors.md
 */
export function invalidOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("InvalidQueryOption", withPosition(option, position, message), { target: option });
}

/** Makes the error of an option, or of a construct in it, that the standard has and the service does not support. @see docs/reference/errors.md */
export function unsupportedOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), { target: option });
}

/** Makes the error of an option that does not belong to the resource, or of an undeclared name in it. */
export function misplacedOption(option: string, position: number | undefined, message: string): ODataError {
  const options = { target: option, isUnsupported: false };
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), options);
}

function withPosition(option: string, position: number | undefined, message: string): string {
  return position === undefined ? message : `${option} at position ${position}: ${message}`;
}

/**
 * Returns the end of a message about an unknown name, such as ` Did you mean 'Countries'?`; empty without a similar name.
 * @param declared the names that the client may learn
 */
export function didYouMean(name: string, declared: Iterable<string>): string {
  const nearest = nearestName(name, declared);
  if (nearest === null) return "";
  const isSameWord = nearest.toLowerCase() === name.toLowerCase();
  return ` Did you mean '${nearest}'?${isSameWord ? " Names are case-sensitive." : ""}`;
}

/** Returns whether a name with points is in a namespace of the service, so that it means a type or an operation. */
export function isModelName(name: string, { namespace }: { readonly namespace: string }): boolean {
  return name.startsWith(`${namespace}.`) || name.startsWith("Edm.");
}

/** Returns the end of a message about a name with points, such as ` Write a path with slashes: Customer/Name.`; else empty. */
export function slashAdvice(name: string): string {
  return name.includes(".") ? ` Write a path with slashes: ${quotedName(name.replaceAll(".", "/")).slice(1, -1)}.` : "";
}

/** Quotes a name from a request for a message, in single quotes and shortened. */
export function quotedName(name: string): string {
  return `'${quoteText(name).slice(1, -1)}'`;
}
