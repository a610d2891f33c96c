import type { EntityType } from "../../edm/model.ts";
import type { SchemaFinding } from "../../errors/schema-finding.ts";

/** The ignored part of an entity: a property or a member, with its path. */
interface IgnoredPart {
  readonly path: string;
  /** Whether it is a member of a complex value. */
  readonly isMember: boolean;
}

/** Returns the ignored property or member that a path leads to or through; undefined for a path that clients see. */
export function ignoredPartOf(entityType: EntityType, path: string): IgnoredPart | undefined {
  const fields = path.split(".");
  let type: Pick<EntityType, "properties" | "ignoredProperties"> = entityType;
  for (const [index, field] of fields.entries()) {
    if (type.ignoredProperties.some((property) => property.field === field)) {
      return { path: fields.slice(0, index + 1).join("."), isMember: index > 0 };
    }
    const property = type.properties.find((each) => each.field === field);
    if (property?.type.kind !== "ComplexType") return undefined;
    type = property.type;
  }
  return undefined;
}

/**
 * Leaves the ignored properties and members without a column out of the statements of a set, if no rule and no navigation
 * reads them.
 */
export function omitAbsent(
  { name, entityType }: { readonly name: string; readonly entityType: EntityType },
  rows: { readonly omit: (paths: Iterable<string>) => void },
  findings: readonly SchemaFinding[],
): void {
  const absent = findings.filter(({ set, code, severity }) => set === name && code === "C02" && severity === "warning");
  rows.omit(absent.flatMap(({ property = "" }) => ignoredPartOf(entityType, property)?.path ?? []));
}
