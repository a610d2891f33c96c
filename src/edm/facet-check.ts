import type { Fault } from "../base/errors/fault.ts";
import { JsonNumber } from "../base/json/write-json.ts";
import type { EnumType } from "./model.ts";
import type { Facets, PrimitiveType } from "./primitive-type.ts";
import {
  asText,
  describeValue,
  type InvalidValueError,
  OutsideFacetError,
  type PrimitiveValue,
} from "./value-codec.ts";
import { valueCodec } from "./value-codecs.ts";

/** A facet that a value violates. */
export interface ViolatedFacet {
  /** The fault and the correction, as a sentence. */
  readonly problem: string;
  readonly fault: Fault;
}

/** Returns the facet that a value in canonical form violates; null for a valid value. */
export type FacetCheck = (value: PrimitiveValue) => ViolatedFacet | null;

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
      const problem = `${describeValue(text)} is too short: write at least ${String(minLength)} characters.`;
      return { problem, fault: { code: "MinLength", parameters: { minLength } } };
    }
    if (pattern === undefined || pattern.matches(text)) return null;
    const problem = `${describeValue(text)} does not match the pattern ${pattern.source}.`;
    return { problem, fault: { code: "Pattern", parameters: { pattern: pattern.source } } };
  };
}

/** Returns the kind of an invalid value: the facet that it violates, or its type. */
export function faultOf(error: InvalidValueError, type: PrimitiveType | EnumType): Fault {
  if (error instanceof OutsideFacetError) return error.fault;
  return { code: "Type", parameters: { type: type.kind === "EnumType" ? type.qualifiedName : type.name } };
}

/** NaN is neither above a minimum nor below a maximum. */
function rangeCheck(type: PrimitiveType | EnumType, { minimum, maximum }: Facets): FacetCheck {
  const { compare, toText } = valueCodec(type);
  const textOf = (bound: PrimitiveValue | undefined): string => (bound === undefined ? "" : toText(bound));
  const [least, most] = [textOf(minimum), textOf(maximum)];
  const advice = rangeAdvice(least, most);
  return (value) => {
    const isSmall = minimum !== undefined && !(compare(value, minimum) >= 0);
    if (!isSmall && !(maximum !== undefined && !(compare(value, maximum) <= 0))) return null;
    const problem = `${describeValue(new JsonNumber(toText(value)))} is too ${isSmall ? "small" : "large"}: ${advice}.`;
    const parameters = { ...(least !== "" && { minimum: least }), ...(most !== "" && { maximum: most }) };
    return { problem, fault: { code: isSmall ? "Minimum" : "Maximum", parameters } };
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

/** Returns the facet that the number of items of a collection violates; null for a valid number. */
export function checkItemCount(count: number, { minItems = 0, maxItems = Infinity }: Facets): ViolatedFacet | null {
  if (count >= minItems && count <= maxItems) return null;
  const items = `The collection has ${String(count)} ${count === 1 ? "item" : "items"}`;
  return count < minItems
    ? {
        problem: `${items}: write at least ${String(minItems)}.`,
        fault: { code: "MinItems", parameters: { minItems } },
      }
    : {
        problem: `${items}: write at most ${String(maxItems)}.`,
        fault: { code: "MaxItems", parameters: { maxItems } },
      };
}
