import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, NavigationJoin } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { Expression } from "../../language/query/expression.ts";
import type { RowRestriction } from "../../language/query/source.ts";
import { stepsOf } from "../../language/query/walk-expression.ts";
import { placeBeyondKey } from "./shared-keys.ts";
import { findService, setOfTable, type SqlTable } from "./sql-table.ts";
import type { Expected } from "./write-statements.ts";

/** The row rules of sets for the user who writes; a set without an entry shows all its rows. */
export type Restrictions = ReadonlyMap<EntitySetDefinition, RowRestriction>;

const ANYWHERE: Expected = [];

/** The key of a row. */
export interface PlacedKey {
  readonly key: readonly PrimitiveValue[];
  /** The stored value of `placeBeyondKey`, without which several rows may have the key; absent if there is none. */
  readonly place?: unknown;
}

/** Returns the value of a row that was read with the property of `placeBeyondKey`; undefined if it was not. */
export function storedPlace(table: SqlTable, row: object): Expected | undefined {
  const property = placeBeyondKey(table);
  const value: unknown = property === null ? undefined : Reflect.get(row, property.field);
  return property === null || value === undefined ? undefined : [[property, value as PrimitiveValue | null]];
}

/**
 * Returns the value that decides on the machine of all rows that the user sees, if it is no part of the key: the row rule requires
 * that the property equals it, as `order.tenant.eq(user.tenant)` does. With it, a statement asks one machine and can lock a
 * row there, and the key of a row is unique.
 * @returns nothing for any other table or rule
 * @see docs/guides/tenants.md
 */
export function placeOf(table: SqlTable, context: Context, restrictions: Restrictions | undefined): Expected {
  if (restrictions === undefined || restrictions.size === 0) return ANYWHERE;
  const property = placeBeyondKey(table);
  const set = property === null ? null : setOfTable(context, table);
  const restriction = set === null ? undefined : restrictions.get(set);
  if (property === null || set === null || restriction === undefined) return ANYWHERE;
  const isOf = (operand: Expression): boolean => fieldOf(operand, set, findService(context)) === property.field;
  const value = requiredValue(restriction.filter.expression, isOf, restriction.values);
  return value === undefined ? ANYWHERE : [[property, value]];
}

/** Returns the value that a property has in every row that meets a condition; undefined if there may be several. */
function requiredValue(
  expression: Expression,
  isOf: (operand: Expression) => boolean,
  values: readonly PrimitiveValue[],
): PrimitiveValue | undefined {
  if (expression.kind === "logical" && expression.operator === "and") {
    for (const operand of expression.operands) {
      const value = requiredValue(operand, isOf, values);
      if (value !== undefined) return value;
    }
  }
  if (expression.kind !== "comparison" || expression.operator !== "eq") return undefined;
  const { left, right } = expression;
  if (isOf(left)) return valueOf(right, values);
  return isOf(right) ? valueOf(left, values) : undefined;
}

/** Returns the property of a row that an operand equals: a property of the row, or of a parent that is found by the property. */
function fieldOf(operand: Expression, set: EntitySetDefinition, service: ServiceDefinition | null): string | null {
  if (operand.kind !== "property") return null;
  const { start, steps } = stepsOf(operand.source);
  if (start.kind !== "it") return null;
  const joins: NavigationJoin[] = [];
  let current: EntitySet | undefined = set.entitySet;
  for (const step of steps) {
    const name = step.kind === "navigation" ? step.navigationProperty.name : "";
    const join = current?.navigationJoins.get(name);
    if (current === undefined || join === undefined) return null;
    joins.push(join);
    current = service?.entitySets.get(current.navigationPropertyBindings.get(name) ?? "")?.entitySet;
  }
  return joins.reduceRight<string | null>((field, join) => {
    const pair = join.kind === "direct" ? join.pairs.find(({ related }) => related.field === field) : undefined;
    return pair?.property.field ?? null;
  }, operand.property.field);
}

function valueOf(expression: Expression, values: readonly PrimitiveValue[]): PrimitiveValue | undefined {
  if (expression.kind === "parameter") return values[expression.index];
  return expression.kind === "literal" ? expression.value : undefined;
}
