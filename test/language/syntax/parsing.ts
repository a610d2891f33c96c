import { isODataError, type ODataError } from "../../../src/base/errors/odata-error.ts";
import {
  type ParseContext,
  type SyntaxLimits,
  DEFAULT_SYNTAX_LIMITS,
} from "../../../src/language/syntax/parse-context.ts";

/** A context with the default limits, some of them changed. */
export function parseContext(
  limits: Partial<SyntaxLimits> = {},
  aliases: Readonly<Record<string, string>> = {},
): ParseContext {
  return {
    limits: { ...DEFAULT_SYNTAX_LIMITS, ...limits },
    literals: [],
    aliases: new Map(Object.entries(aliases)),
    counters: { tokens: 0, nodes: 0 },
  };
}

/** Returns the ODataError of a call. Any other outcome fails the test. */
export function errorOf(call: () => unknown): ODataError {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    if (isODataError(error)) return error;
    throw error;
  }
  throw new Error(`Expected an ODataError, got ${JSON.stringify(result)}`);
}
