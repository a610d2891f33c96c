import type { EntityType, StructuralProperty } from "../edm/model.ts";
import { declaredFieldOf } from "../memory/compile-property.ts";
import type { FilterClause } from "../query/clauses.ts";
import type { Expression } from "../query/expression.ts";
import { childrenOf } from "../query/walk-expression.ts";

const required = new WeakMap<FilterClause, readonly StructuralProperty[]>();

/**
 * Whether an entity lacks what its row rule asks for: handlers may leave ignored properties out, and what is absent must
 * not count as null where there always is a value. Nullable ones that are absent are null.
 */
export function lacksRequired(filter: FilterClause, entity: object, { ignoredProperties }: EntityType): boolean {
  if (ignoredProperties.length === 0) return false;
  let properties = required.get(filter);
  if (properties === undefined) {
    properties = [...ownProperties(filter.expression)].filter(
      (property) => !property.nullable && ignoredProperties.includes(property),
    );
    required.set(filter, properties);
  }
  return properties.some(({ field }) => declaredFieldOf(entity, field) === undefined);
}

/** The properties of the entity itself that a condition asks for. */
function* ownProperties(expression: Expression): Generator<StructuralProperty> {
  if (expression.kind === "property") {
    if (expression.source.kind === "it") yield expression.property;
    return;
  }
  for (const child of childrenOf(expression)) yield* ownProperties(child);
}
