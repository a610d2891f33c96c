import type { Literal } from "./token.ts";

/** The limits of one parse; Infinity for no limit. */
export interface SyntaxLimits {
  readonly maxTokens: number;
  readonly maxNodeCount: number;
  readonly maxInListLength: number;
  readonly maxAnyAllDepth: number;
  readonly maxOrderByProperties: number;
  readonly maxApplySteps: number;
  /** Nesting of parentheses, prefix operators, calls and options. */
  readonly maxDepth: number;
}

/** The state that the parsers of one request share. Only `literals` and `counters` change. */
export interface ParseContext {
  readonly limits: SyntaxLimits;
  /** Every literal of the request in order of appearance: literal nodes hold indexes into it. */
  readonly literals: Literal[];
  /** The decoded values of parameter aliases by name, with its `@`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether options nested in `$expand` may lack their `$`; absent: no. */
  readonly signIsOptional?: boolean | undefined;
  /** Whether operators, `asc` and `desc` may be in any letter case; absent: no. */
  readonly operatorsInAnyCase?: boolean | undefined;
  /** Whether `$expand` may contain `$compute`; absent: no. */
  readonly computesInExpand?: (() => boolean) | undefined;
  /** The work so far, for limits and tests. */
  readonly counters: { tokens: number; nodes: number };
}

/**
 * Returns a word that may be an operator, `asc` or `desc`: in lower case where the service takes them in any letter case.
 * @see OData URL Conventions 4.01, section 5.1.1.1
 */
export function keywordOf(word: string, { operatorsInAnyCase }: ParseContext): string {
  return operatorsInAnyCase === true ? word.toLowerCase() : word;
}

/** The settings that limit a parse; null for no limit. */
interface ParseLimitSettings {
  readonly maxNodeCount: number | null;
  readonly maxInListLength: number | null;
  readonly maxAnyAllDepth: number | null;
  readonly maxOrderByProperties: number | null;
  readonly maxApplySteps: number | null;
}

/** Deepest nesting, and greatest height of a syntax tree. It is not a setting, because it prevents stack overflows. */
const MAX_DEPTH = 100;
/** Most steps of `$apply`, whatever the setting: readers of a statement recurse into its derived tables. */
const MAX_APPLY_STEPS = 100;
/** Tokens per node: its name, a separator, and redundant parentheses. */
const TOKENS_PER_NODE = 16;
/** Tokens of the items of all lists of a request, as a multiple of the longest list. */
const TOKENS_PER_LIST_ITEM = 32;

/** Turns the settings of a service into the limits of its parsers. @see docs/reference/limits.md */
export function toSyntaxLimits(settings: ParseLimitSettings): SyntaxLimits {
  const maxNodeCount = settings.maxNodeCount ?? Infinity;
  const maxInListLength = settings.maxInListLength ?? Infinity;
  return Object.freeze({
    maxTokens: TOKENS_PER_NODE * maxNodeCount + TOKENS_PER_LIST_ITEM * maxInListLength,
    maxNodeCount,
    maxInListLength,
    maxAnyAllDepth: settings.maxAnyAllDepth ?? Infinity,
    maxOrderByProperties: settings.maxOrderByProperties ?? Infinity,
    maxApplySteps: Math.min(settings.maxApplySteps ?? MAX_APPLY_STEPS, MAX_APPLY_STEPS),
    maxDepth: MAX_DEPTH,
  });
}

/** The limits of a service that sets none. @see docs/reference/limits.md */
export const DEFAULT_SYNTAX_LIMITS: SyntaxLimits = toSyntaxLimits({
  maxNodeCount: 1000,
  maxInListLength: 1000,
  maxAnyAllDepth: 3,
  maxOrderByProperties: 10,
  maxApplySteps: 20,
});
