import type { Literal } from "./literal-token.ts";

/** Bounds of one parse, counted as it goes; Infinity for no limit. */
export interface SyntaxLimits {
  readonly maxTokens: number;
  readonly maxNodeCount: number;
  readonly maxInListLength: number;
  readonly maxAnyAllDepth: number;
  readonly maxOrderByProperties: number;
  /** Nesting of parentheses, prefix operators, calls and options. */
  readonly maxDepth: number;
}

/** What the parsers of one request share. `literals` and `counters` grow; nothing else changes. */
export interface ParseContext {
  readonly limits: SyntaxLimits;
  /** Every literal of the request in order of appearance: literal nodes hold indexes into it. */
  readonly literals: Literal[];
  /** Parameter aliases with their decoded texts: name with `@` to text. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Work done so far, for limits and tests. */
  readonly counters: { tokens: number; nodes: number };
}
