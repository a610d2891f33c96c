import { JsonNumber } from "../json/write-json.ts";
import type { EnumType } from "./model.ts";
import type { Facets, PrimitiveType } from "./primitive-type.ts";
import { asText, describeValue, type PrimitiveValue } from "./value-codec.ts";
import { valueCodec } from "./value-codecs.ts";

/** Returns the facet that a value in canonical form violates, and the correction, as a sentence; null for a valid value. */
export type FacetCheck = (value: PrimitiveValue) => string | null;

/**
 * Makes the check of the facets that limit the values of clients, and not their form.
 * @returns null without such a facet
 * @see Org.OData.Validation.V1
 */
export function facetCheck(type: PrimitiveType | EnumType, facets: Facets): FacetCheck | null {
  const { minLength, pattern, minimum, maximum } = facets;
  if (minimum !== undefined || maximum !== undefined) return rangeCheck(type, facets);
  if (minLength === undefined && pattern === undefined) return null;
  return (value) => {
    const text = asText(value);
    if (minLength !== undefined && isShorter(text, minLength)) {
      return `${describeValue(text)} is too short: write at least ${String(minLength)} characters.`;
    }
    if (pattern === undefined || pattern.matches(text)) return null;
    return `${describeValue(text)} does not match the pattern ${pattern.source}.`;
  };
}

/** NaN is neither above a minimum nor below a maximum. */
function rangeCheck(type: PrimitiveType | EnumType, { minimum, maximum }: Facets): FacetCheck {
  const { compare, toText } = valueCodec(type);
  const textOf = (bound: PrimitiveValue | undefined): string => (bound === undefined ? "" : toText(bound));
  const advice = rangeAdvice(textOf(minimum), textOf(maximum));
  return (value) => {
    const isSmall = minimum !== undefined && !(compare(value, minimum) >= 0);
    if (!isSmall && !(maximum !== undefined && !(compare(value, maximum) <= 0))) return null;
    return `${describeValue(new JsonNumber(toText(value)))} is too ${isSmall ? "small" : "large"}: ${advice}.`;
  };
}

function rangeAdvice(minimum: string, maximum: string): string {
  if (maximum === "") return `write a number of at least ${minimum}`;
  return minimum === "" ? `write a number of at most ${maximum}` : `write a number from ${minimum} to ${maximum}`;
}

/** Whether a text has fewer code points than a number; each of them has one or two units. */
function isShorter(text: string, minLength: number): boolean {
  if (text.length >= 2 * minLength) return false;
  return text.length < minLength || Array.from(text).length < minLength;
}

/**
 * Returns the facet that the number of items of a collection violates, and the correction, as a sentence; null for a valid number.
 */
export function checkItemCount(count: number, { minItems = 0, maxItems = Infinity }: Facets): string | null {
  if (count >= minItems && count <= maxItems) return null;
  const items = `The collection has ${String(count)} ${count === 1 ? "item" : "items"}`;
  return count < minItems
    ? `${items}: write at least ${String(minItems)}.`
    : `${items}: write at most ${String(maxItems)}.`;
}
