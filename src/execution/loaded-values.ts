import { isPromiseLike } from "../base/maybe.ts";
import type { Context } from "../definition/context.ts";
import { logWarning } from "../definition/request-fields.ts";
import type { ComplexType, EntityType, StructuralProperty } from "../edm/model.ts";
import { declaredFieldOf, fieldOf } from "../memory/compile-property.ts";
import { isEntity } from "../memory/entity.ts";
import type { ExpandStep } from "../plan/plan-expand.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import { canonicalEntity } from "./canonical-entity.ts";
import { isIterable } from "./handler-answer.ts";
import { serviceOf } from "./reader.ts";

/** The reason why a value is left out, for the log. */
type Reason = string;

/**
 * Returns, for each parent, the value that its handler put into a navigation property: an entity, an array of entities,
 * null, or undefined where the value is absent or cannot be written. A skipped value is logged once per list of parents.
 * @see docs/reference/expand.md
 */
export function loadedValues(step: ExpandStep, parents: readonly unknown[], context: Context): readonly unknown[] {
  const { field, isCollection } = step.expansion.navigationProperty;
  let reason: Reason | null = null;
  const values = parents.map((parent) => {
    const value = isEntity(parent) ? declaredFieldOf(parent, field) : undefined;
    if (value === undefined || value === null) return value;
    const fault = isCollection ? faultOfList(step, value) : faultOfEntity(step, value);
    reason ??= fault;
    return fault === null ? value : undefined;
  });
  if (reason !== null) warn(step, reason, context);
  return values;
}

function faultOfList(step: ExpandStep, value: unknown): Reason | null {
  if (isPromiseLike(value)) return "it is a promise: await it";
  // A Set, or an iterable that can be read only once, may have lost entities or their order.
  if (!Array.isArray(value)) return "it is not a list of entities: use an array, such as `[...values]`";
  const list: readonly unknown[] = value;
  for (const [index, item] of list.entries()) {
    const fault = faultOfEntity(step, item);
    if (fault !== null) return `of item ${String(index)}: ${fault}`;
  }
  return null;
}

function faultOfEntity({ expansion }: ExpandStep, value: unknown): Reason | null {
  if (isPromiseLike(value)) return "it is a promise: await it";
  if (!isEntity(value) || isIterable(value)) return "it is not an entity";
  const { navigationProperty, target, selectExpand } = expansion;
  const { entityType } = navigationProperty;
  try {
    const entity = canonicalEntity(entityType, value);
    return missingOf(selectExpand.selected, entity) ?? missingOf(identifying(entityType, target?.etag), entity);
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be read";
  }
}

/** The properties that identify an entity, and its version. */
function identifying({ key }: EntityType, etag: readonly StructuralProperty[] = []): readonly SelectedProperty[] {
  return [...key, ...etag].map((property) => ({ property }));
}

function missingOf(selected: readonly SelectedProperty[], owner: object): Reason | null {
  for (const { property, nested } of selected) {
    const { name, type, nullable, isKey, isCollection } = property;
    const value = fieldOf(owner, property.field);
    if (value === null && (!nullable || isKey || isCollection)) return `'${name}' is missing`;
    if (type.kind !== "ComplexType" || value === null) continue;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const item of items) {
      const fault = isEntity(item) ? missingOf(nested ?? membersOf(type), item) : null;
      if (fault !== null) return fault;
    }
  }
  return null;
}

function membersOf({ properties }: ComplexType): readonly SelectedProperty[] {
  return properties.map((property) => ({ property }));
}

function warn({ place }: ExpandStep, reason: Reason, context: Context): void {
  const message = `The expansion '${place}' is left out for some entities: ${reason}.`;
  logWarning(serviceOf(context), context, message, { navigation: place });
}
