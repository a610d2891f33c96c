import type { DescribedSet } from "odatakit/introspect";

/** `$search` reads whole tables, so it is for small ones. */
const MAX_SEARCHED_ROWS = 100_000;

/** Returns the fields of the properties that `$search` reads; undefined if the set has no search. */
export function searchedProperties({ properties, estimatedRows, key }: DescribedSet): readonly string[] | undefined {
  if (estimatedRows === null || estimatedRows >= MAX_SEARCHED_ROWS || key === "unique in the data") return undefined;
  const fields = properties.filter(({ type, isCollection }) => type === "Edm.String" && !isCollection);
  return fields.length === 0 ? undefined : fields.map(({ field }) => field);
}
