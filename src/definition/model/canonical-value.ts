import { keptPer } from "../../base/memo.ts";
import { checkItemCount, facetCheck } from "../../edm/facet-check.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { describeValue, InvalidValueError, type PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";

/**
 * Converts a value of the application to its canonical form, as a client could send it.
 * @param property not of a complex type
 * @throws InvalidValueError for a value of another type, and for a value that the facets forbid
 */
export function canonicalValue(property: StructuralProperty, value: unknown): unknown {
  if (!property.isCollection) return canonicalItem(property, value);
  if (!Array.isArray(value)) throw new InvalidValueError(`${describeValue(value)} is not an array.`);
  checkItems(property, value.length);
  return value.map((item: unknown) => canonicalItem(property, item));
}

/** Converts a single value, or an item of a collection. @throws as for canonicalValue */
export function canonicalItem(property: StructuralProperty, value: unknown): PrimitiveValue | null {
  const canonical = shownItem(property, value);
  const problem = canonical === null ? null : (checkOf(property)?.(canonical)?.problem ?? null);
  if (problem !== null) throw new InvalidValueError(problem);
  return canonical;
}

/**
 * Converts a single value, or an item of a collection, for a response. Facets that limit values of clients do not apply.
 * @throws InvalidValueError for a value of another type, or with too many characters or digits
 */
export function shownItem(property: StructuralProperty, value: unknown): PrimitiveValue | null {
  if (value === null && property.nullable) return null;
  if (value === null) throw new InvalidValueError("null is not allowed.");
  const { fromHandler, fit } = codecOf(property);
  return fit(fromHandler(value));
}

const checkOf = keptPer(({ type, facets }: StructuralProperty) =>
  type.kind === "ComplexType" ? null : facetCheck(type, facets),
);

/** Checks the number of items of a collection. @throws InvalidValueError for a number that the facets forbid */
export function checkItems({ facets }: StructuralProperty, count: number): void {
  const problem = checkItemCount(count, facets)?.problem ?? null;
  if (problem !== null) throw new InvalidValueError(problem);
}
