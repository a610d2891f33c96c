import type { DatabaseSchema, SchemaObject } from "../../../databases/introspect/database-schema.ts";
import type { DescribedDistribution } from "../described-service.ts";

/** Describes how a distributed database stores an object. @param nameOf returns what the declaration calls a column */
export function describeDistribution(
  { distribution }: SchemaObject,
  { defaultSchema }: Pick<DatabaseSchema, "defaultSchema">,
  nameOf: (column: string) => string | undefined,
): { readonly distributed?: DescribedDistribution } {
  if (distribution === undefined) return {};
  if (distribution.kind !== "column") return { distributed: distribution.kind === "reference" ? "reference" : true };
  const by = nameOf(distribution.column);
  const { partner } = distribution;
  const needsSchema = partner?.schema !== defaultSchema;
  return {
    distributed: by === undefined ? true : { by, partner: partner === null ? null : { ...partner, needsSchema } },
  };
}
