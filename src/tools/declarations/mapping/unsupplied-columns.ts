import type { DescribedProperty } from "../described-service.ts";
import type { DraftObject } from "./draft-object.ts";

/** Returns the columns that are hidden or read-only, but neither null nor supplied by the database. */
export function unsuppliedColumns(
  { object }: DraftObject,
  properties: readonly DescribedProperty[],
): readonly string[] {
  const supplied = new Set(properties.filter(({ isReadOnly }) => !isReadOnly).map(({ column }) => column));
  return object.columns
    .filter(({ nullable, defaultValue, isIdentity, isGenerated }) => {
      return !nullable && defaultValue === null && !isIdentity && !isGenerated;
    })
    .flatMap(({ name }) => (supplied.has(name) ? [] : [name]));
}
