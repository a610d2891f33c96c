/** Where a registration follows the specification or the standard to the letter: one frozen data object, no code paths. */
export interface ServiceProfile {
  readonly name: "specification" | "standard";
  /** Whether navigation routes take every query option. */
  readonly navigationTakesEveryOption: boolean;
  /** Whether `$count` on navigation routes is taken before `$skip`. */
  readonly navigationCountsBeforeSkip: boolean;
  /** Whether results of unbound operations are enveloped. */
  readonly unboundResultsEnveloped: boolean;
  /** Whether context URLs of expansions always have the full form. */
  readonly fullContextUrl: boolean;
}

/** The two profiles. @see decisions, Batch, and where the specification is stricter than the standard */
export const SERVICE_PROFILES: Readonly<Record<ServiceProfile["name"], ServiceProfile>> = Object.freeze({
  specification: Object.freeze({
    name: "specification",
    navigationTakesEveryOption: false,
    navigationCountsBeforeSkip: false,
    unboundResultsEnveloped: false,
    fullContextUrl: false,
  }),
  standard: Object.freeze({
    name: "standard",
    navigationTakesEveryOption: true,
    navigationCountsBeforeSkip: true,
    unboundResultsEnveloped: true,
    fullContextUrl: true,
  }),
});
