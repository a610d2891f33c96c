import type { StructuralProperty } from "./model.ts";

/** The facts that determine the value of a missing property. */
type Absent = Pick<StructuralProperty, "defaultValue" | "isCollection" | "nullable"> &
  Partial<Pick<StructuralProperty, "facets">>;

/**
 * Returns the value of a missing property: its default, no items, or null; undefined if the property is required. A
 * structured default is copied, so that a handler may change it.
 * @see OData Protocol 4.0, section 11.4.2
 */
export function absentValue({ defaultValue, isCollection, nullable, facets = {} }: Absent): unknown {
  if (defaultValue !== undefined) return structuredClone(defaultValue);
  const { minItems = 0 } = facets;
  if (isCollection) return minItems === 0 ? [] : undefined;
  return nullable ? null : undefined;
}
