import { keeper } from "../../base/memo.ts";
import type { EntityType, LinkColumn, NavigationJoin, StructuralProperty } from "../../edm/model.ts";
import { type DeclaredNavigation, entriesOf } from "../declared-service.ts";
import { isObject } from "../option-table.ts";
import type { TypeBuilder } from "../types/build-types.ts";

/**
 * How the related entities of a checked declaration are found: what `on` or `through` says.
 * @param source the type that the navigation starts from
 * @returns null when it says nothing
 */
export function toNavigationJoin(
  { target, options }: Pick<DeclaredNavigation, "target" | "options">,
  source: EntityType,
  builder: TypeBuilder,
): NavigationJoin | null {
  if (target === undefined) return null;
  const related = builder.entityType(target);
  const { on, through } = options;
  if (isObject(through)) {
    const { anyCase } = through;
    const from = entriesOf(through["from"]).map(([field, column]): LinkColumn => {
      const found = toColumn(source, field, column);
      return Array.isArray(anyCase) && anyCase.includes(field) ? { ...found, isAnyCase: true } : found;
    });
    const to = entriesOf(through["to"]).map(([column, field]) => toColumn(related, String(field), column));
    return keeper<NavigationJoin>({ kind: "link", table: String(through["table"]), from, to });
  }
  const pairs = entriesOf(on).map(([field, other]) => ({
    property: propertyOf(source, field),
    related: propertyOf(related, String(other)),
  }));
  return pairs.length === 0 ? null : keeper<NavigationJoin>({ kind: "direct", pairs });
}

function toColumn(type: EntityType, field: string, column: unknown): LinkColumn {
  return { property: propertyOf(type, field), column: String(column) };
}

function propertyOf(type: EntityType, field: string): StructuralProperty {
  const found = [...type.properties, ...type.ignoredProperties].find((property) => property.field === field);
  if (found === undefined) throw new Error(`${type.name} has no property ${field}.`);
  return found;
}
