import type { Context, WriteContext } from "../../definition/context.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { SqlTable } from "./sql-table.ts";
import type { Expected } from "./write-statements.ts";

/** The last argument of handlers that write; the type of its ETag values does not matter here. */
export type AnyWriteContext = Context & Partial<Pick<WriteContext<EntityTypeDeclaration>, "expected">>;

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

/**
 * Returns the values that a row must still have, in canonical form.
 * @param expected the values by field, from the context of a write; undefined if any values are accepted
 */
export function toExpected(
  { entityType }: SqlTable,
  expected: Readonly<Record<string, unknown>> | undefined,
): Expected {
  if (expected === undefined) return [];
  const found: Array<Expected[number]> = [];
  for (const property of [...entityType.properties, ...entityType.ignoredProperties]) {
    const value = Object.hasOwn(expected, property.field) ? expected[property.field] : undefined;
    if (value === undefined) continue;
    found.push([property, value === null ? null : codecOf(property).fromHandler(value)]);
  }
  return found;
}

/**
 * Whether an equality in the database proves that a row has exactly the expected values, not merely equal ones such as
 * 1.10 and 1.1. In that case the statement itself checks them.
 */
export function isToldByDatabase(expected: Expected, table: SqlTable): boolean {
  return expected.every(([property, value]) => isExact(property, value === null, table));
}

/** Whether an equality in the database proves that a row has exactly a value of a property. */
export function isComparedExactly(property: StructuralProperty, table: SqlTable): boolean {
  return isExact(property, false, table);
}

function isExact({ field, type }: StructuralProperty, isNull: boolean, { plans }: SqlTable): boolean {
  const plan = plans.get(field);
  if (plan?.kind !== "scalar") return false;
  if (isNull) return true;
  if (plan.format.isExact !== undefined) return plan.format.isExact;
  if (type.kind === "EnumType") return new Set(type.members.values()).size === type.members.size;
  // Each value of a mapping has one cell.
  if (typeof plan.storage === "object") return true;
  if (plan.storage !== undefined && plan.storage !== "utc") return plan.storage === "scaled";
  return EXACT_TYPES.has(type.name);
}

/** Whether a row has the expected values, to the last digit. */
export function hasExpected(row: Readonly<Record<string, unknown>>, expected: Expected): boolean {
  return expected.every(([property, value]) => {
    const current = row[property.field];
    if (value === null || current === null || current === undefined) {
      return value === null && (current ?? null) === null;
    }
    const { toText } = codecOf(property);
    return toText(value) === toText(current as PrimitiveValue);
  });
}
