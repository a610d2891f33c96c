import type { StructuralProperty } from "../../edm/model.ts";
import { isSameValue } from "../../edm/same-value.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { SqlTable } from "./sql-table.ts";
import type { Expected } from "./write-statements.ts";

/** Types whose equal values always have the same text in the default storage. */
const EXACT_TYPES: ReadonlySet<string> = new Set([
  "Edm.Boolean",
  "Edm.Byte",
  "Edm.SByte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.String",
  "Edm.Guid",
  "Edm.Binary",
  "Edm.Date",
]);

/** The values that a row must still have, in canonical form. Complex values and collections are those of an ETag of all properties. */
export type ExpectedRow = ReadonlyArray<readonly [property: StructuralProperty, value: unknown]>;

/**
 * Returns the values that a row must still have, in canonical form.
 * @param expected the values by field, from the context of a write; undefined if any values are accepted
 */
export function toExpected(
  { entityType }: SqlTable,
  expected: Readonly<Record<string, unknown>> | undefined,
): ExpectedRow {
  if (expected === undefined) return [];
  const found: Array<ExpectedRow[number]> = [];
  for (const property of [...entityType.properties, ...entityType.ignoredProperties]) {
    const value = Object.hasOwn(expected, property.field) ? expected[property.field] : undefined;
    if (value === undefined) continue;
    const isAsIs = value === null || isStructured(property);
    found.push([property, isAsIs ? value : codecOf(property).fromHandler(value)]);
  }
  return found;
}

/** Whether a property has several values. */
export function isStructured({ isCollection, type }: StructuralProperty): boolean {
  return isCollection || type.kind === "ComplexType";
}

/** Returns the expected values that a statement can compare, to the last digit or not. */
export function toCondition(expected: ExpectedRow, { plans }: SqlTable): Expected {
  return expected.flatMap(([property, value]) =>
    plans.get(property.field)?.kind === "scalar" && !mayBeReplaced(value)
      ? [[property, value as PrimitiveValue | null] as const]
      : [],
  );
}

/**
 * Whether an equality in the database proves that a row has exactly the expected values, not merely equal ones such as
 * 1.10 and 1.1. In that case the statement itself checks them.
 */
export function isToldByDatabase(expected: ExpectedRow, table: SqlTable): boolean {
  return expected.every(([property, value]) => isExact(property, value === null, table) && !mayBeReplaced(value));
}

/** Whether a text may be that of a cell of SQLite with other bytes, because they are not UTF-8. No statement compares it. */
function mayBeReplaced(value: unknown): boolean {
  return typeof value === "string" && value.includes(REPLACEMENT);
}

/** The character that is read in place of bytes that are not UTF-8. */
const REPLACEMENT = "\uFFFD";

/** Whether an equality in the database proves that a row has exactly a value of a property. */
export function isComparedExactly(property: StructuralProperty, table: SqlTable): boolean {
  return isExact(property, false, table);
}

function isExact({ field, type }: StructuralProperty, isNull: boolean, { plans }: SqlTable): boolean {
  const plan = plans.get(field);
  if (plan?.kind !== "scalar") return false;
  // A cell that cannot be read is null in responses, but not in the database.
  if (isNull) return plan.unreadable === undefined;
  if (plan.format.isExact !== undefined) return plan.format.isExact;
  if (type.kind === "EnumType") return new Set(type.members.values()).size === type.members.size;
  // Each value of a mapping has one cell.
  if (typeof plan.storage === "object") return true;
  if (plan.storage !== undefined && plan.storage !== "utc") return plan.storage === "scaled";
  return EXACT_TYPES.has(type.name);
}

/** Whether a row has the expected values, to the last digit. */
export function hasExpected(row: Readonly<Record<string, unknown>>, expected: ExpectedRow): boolean {
  return expected.every(([property, value]) => isSameValue(property, value, row[property.field]));
}
