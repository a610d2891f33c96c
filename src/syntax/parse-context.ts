import type { Literal } from "./token.ts";

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

/** The settings that bound a parse; null for no limit. */
export interface ParseLimitSettings {
  readonly maxNodeCount: number | null;
  readonly maxInListLength: number | null;
  readonly maxAnyAllDepth: number | null;
  readonly maxOrderByProperties: number | null;
}

/** Deepest nesting, and greatest height of a syntax tree: no setting, for it is what keeps the stack from overflowing. */
const MAX_DEPTH = 100;
/** Tokens that a node may take: its name, a separator, and redundant parentheses. */
const TOKENS_PER_NODE = 16;
/** Tokens that the items of all lists of a request may take, in multiples of the longest list. */
const TOKENS_PER_LIST_ITEM = 32;

/** Turns the settings of a service into the limits of its parsers. @see decisions, Settings */
export function toSyntaxLimits(settings: ParseLimitSettings): SyntaxLimits {
  const maxNodeCount = settings.maxNodeCount ?? Infinity;
  const maxInListLength = settings.maxInListLength ?? Infinity;
  return Object.freeze({
    maxTokens: TOKENS_PER_NODE * maxNodeCount + TOKENS_PER_LIST_ITEM * maxInListLength,
    maxNodeCount,
    maxInListLength,
    maxAnyAllDepth: settings.maxAnyAllDepth ?? Infinity,
    maxOrderByProperties: settings.maxOrderByProperties ?? Infinity,
    maxDepth: MAX_DEPTH,
  });
}

/** The limits of a service that sets none. @see decisions, Settings */
export const DEFAULT_SYNTAX_LIMITS: SyntaxLimits = toSyntaxLimits({
  maxNodeCount: 1000,
  maxInListLength: 1000,
  maxAnyAllDepth: 3,
  maxOrderByProperties: 10,
});
