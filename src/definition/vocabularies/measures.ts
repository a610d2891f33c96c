/**
 * The terms and types of the vocabulary Measures, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const MEASURES: string = `
ISOCurrency=.
Scale=.Byte
Unit=.
UNECEUnit=.
DurationGranularity=.
`;
