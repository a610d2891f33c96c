import { type ODataError, protocolError } from "../errors/odata-error.ts";

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

/** The error of an option, or of a construct in it, that is not offered. @see decisions, Smaller points */
export function unsupportedOption(option: string, position: number | undefined, message: string): ODataError {
  return protocolError("UnsupportedQueryOption", withPosition(option, position, message), { target: option });
}

function withPosition(option: string, position: number | undefined, message: string): string {
  return position === undefined ? message : `${option} at position ${position}: ${message}`;
}
