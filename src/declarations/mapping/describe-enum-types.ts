import type { DatabaseKind, ObjectColumn } from "../../introspect/database-schema.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedEnumType } from "../described-service.ts";
import { objectKey, type ServiceNames } from "../names/naming.ts";
import type { DraftObject } from "./draft-object.ts";
import { roughMapping } from "./rough-mapping.ts";

/** Returns whether a column becomes a property of an enumeration type. */
export function isEnumColumn(kind: DatabaseKind, column: ObjectColumn, options: DescribeOptions): boolean {
  const mapping = roughMapping(kind, column, options);
  return "column" in mapping && typeof mapping.column.type === "object";
}

/** Returns the name of the enumeration type of a column; null without one. */
export function enumTypeOf({ object }: DraftObject, column: ObjectColumn, names: ServiceNames): string | null {
  if (column.labels === null) return null;
  if (column.enumType !== null) return names.enumTypes.get(objectKey(column.enumType)) ?? null;
  return names.objects.get(objectKey(object))?.enumTypes.get(column.name) ?? null;
}

/** Describes the enumeration types of all columns, in the order of their names. The values are the positions of the labels. */
export function describeEnumTypes(
  drafts: readonly DraftObject[],
  names: ServiceNames,
  kind: DatabaseKind,
  options: DescribeOptions,
): readonly DescribedEnumType[] {
  const found = new Map<string, DescribedEnumType>();
  for (const draft of drafts) {
    for (const column of draft.columns) {
      const name = isEnumColumn(kind, column, options) ? enumTypeOf(draft, column, names) : null;
      if (name === null) continue;
      const members = (column.labels ?? []).map((label, value) => ({ name: label, value }));
      found.set(name, { name, members, description: null });
    }
  }
  return [...found.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
