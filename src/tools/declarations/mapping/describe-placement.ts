import type { DatabaseSchema, SchemaObject } from "../../../databases/introspect/database-schema.ts";
import type { DescribedDistribution } from "../described-service.ts";

/** Describes where the rows of an object are. @param nameOf returns what the declaration calls a column */
export function describePlacement(
  { placement, schema, name }: SchemaObject,
  { defaultSchema }: Pick<DatabaseSchema, "defaultSchema">,
  nameOf: (column: string) => string | undefined,
): { readonly distributed?: DescribedDistribution } {
  if (placement === undefined) return {};
  if (placement.kind !== "column") return { distributed: placement.kind === "reference" ? "reference" : true };
  const by = nameOf(placement.column);
  if (by === undefined) return { distributed: true };
  const { first } = placement;
  const isFirst = first.schema === schema && first.name === name;
  return { distributed: { by, partner: isFirst ? null : { ...first, needsSchema: first.schema !== defaultSchema } } };
}
