import { type ParseContext, toSyntaxLimits } from "../../../src/syntax/parse-context.ts";

/**
 * Makes the state of one parse. The page has no limits but the depth: the service knows its own.
 * @param aliases the values of parameter aliases by name, with `@`
 */
export function syntaxContext(aliases: ReadonlyMap<string, string> = new Map()): ParseContext {
  const limits = toSyntaxLimits({
    maxNodeCount: null,
    maxInListLength: null,
    maxAnyAllDepth: null,
    maxOrderByProperties: null,
    maxApplySteps: null,
  });
  return { limits, literals: [], aliases, computesInExpand: () => true, counters: { tokens: 0, nodes: 0 } };
}
