import { isPromiseLike } from "../../base/maybe.ts";
import { keptPerForeign } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import { logWarning } from "../../definition/request-fields.ts";
import type { ComplexType, EntityType, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { declaredFieldOf, fieldOf } from "../../memory/compile-property.ts";
import { isEntity } from "../../memory/entity.ts";
import type { ExpandStep } from "../../plan/plan-expand.ts";
import type { SelectedProperty } from "../../query/clauses.ts";
import { canonicalEntity } from "../entities/canonical-entity.ts";
import { isIterable } from "../entities/handler-answer.ts";
import { serviceOf } from "../entities/reader.ts";

/** The reason why a value is invalid, for the log. */
type Reason = string;

/** A value that a handler loaded into a navigation property. */
export interface LoadedValue {
  /** An entity or a list of entities; null: no related entity; undefined: not loaded, or invalid. */
  readonly value: object | readonly object[] | null | undefined;
  /** Null for a valid value. */
  readonly reason: Reason | null;
}

/**
 * Checks a value that a handler loaded into a navigation property. Any iterable is a list.
 * @throws the error of an iterable
 */
export function loadedValue({ isCollection }: NavigationProperty, value: unknown): LoadedValue {
  if (value === undefined || value === null) return { value, reason: null };
  if (!isCollection) return isLoaded(value) ? { value, reason: null } : invalid(faultOf(value));
  if (!isIterable(value)) return invalid(isPromiseLike(value) ? PROMISE : "it is not a list of entities: use an array");
  const items = itemsOf(value);
  if (items.every(isLoaded)) return { value: items, reason: null };
  const index = items.findIndex((item) => !isLoaded(item));
  return invalid(`of item ${String(index)}: ${faultOf(items[index])}`);
}

const PROMISE: Reason = "it is a promise: await it";

function isLoaded(value: unknown): value is object {
  return isEntity(value) && !isIterable(value) && !isPromiseLike(value);
}

function faultOf(value: unknown): Reason {
  return isPromiseLike(value) ? PROMISE : "it is not an entity";
}

function invalid(reason: Reason): LoadedValue {
  return { value: undefined, reason };
}

function itemsOf(list: Iterable<unknown>): readonly unknown[] {
  if (Array.isArray(list)) return list;
  const iterator: unknown = list[Symbol.iterator]();
  return iterator === list ? itemsOfIterator(list) : [...list];
}

/** An iterator can be read only once, but several options read the same value. */
const itemsOfIterator = keptPerForeign((list: Iterable<unknown>): readonly unknown[] => [...list]);

/**
 * Returns, for each parent, the value that its handler loaded into the navigation property of an expansion; undefined
 * where the value is absent or cannot be written. A skipped value is logged once per list of parents.
 * @see docs/reference/expand.md
 */
export function loadedValues(
  step: ExpandStep,
  parents: readonly unknown[],
  context: Context,
): readonly LoadedValue["value"][] {
  const { field } = step.expansion.navigationProperty;
  let first: Reason | null = null;
  const values = parents.map((parent) => {
    const { value, reason } = writableValue(step, isEntity(parent) ? declaredFieldOf(parent, field) : undefined);
    first ??= reason;
    return value;
  });
  if (first !== null) warn(step, first, context);
  return values;
}

/** Checks that a loaded value has all properties of the response. */
function writableValue({ expansion }: ExpandStep, loaded: unknown): LoadedValue {
  const { navigationProperty, target, selectExpand } = expansion;
  const { entityType, isCollection } = navigationProperty;
  let place = "";
  try {
    const found = loadedValue(navigationProperty, loaded);
    if (found.value === null || found.value === undefined) return found;
    for (const [index, item] of [found.value].flat().entries()) {
      if (isCollection) place = `of item ${String(index)}: `;
      const entity = canonicalEntity(entityType, item);
      const fault =
        missingOf(selectExpand.selected, entity) ?? missingOf(identifying(entityType, target?.etag), entity);
      if (fault !== null) return invalid(place + fault);
    }
    return found;
  } catch (error) {
    return invalid(place + (error instanceof Error ? error.message : "it cannot be read"));
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
