import type { CollectionPath, Expression, LambdaExpression } from "../query/expression.ts";
import { canonicalKind, canonicalTest, type CanonicalTest } from "./canonical-test.ts";
import {
  compileRawSource,
  describePath,
  invalidHandlerValue,
  toCanonical,
  type RawAccessor,
  type VariableSlot,
  type VariableSlots,
} from "./compile-property.ts";
import type { CompiledExpression, CompiledPredicate, Evaluation } from "./evaluation.ts";
import { itemsOf } from "./operand-cost.ts";

/** Compiles a predicate whose variables are in the slots. */
type CompilePredicate = (predicate: Expression, slots: VariableSlots) => CompiledExpression;

/** Puts an item of the application into a slot. */
type PlaceItem = (item: unknown) => void;

/** Reads the items of a collection; null where it is null. */
type ReadItems = (entity: object, evaluation: Evaluation) => readonly unknown[] | null;

/**
 * Compiles `any` and `all`. Their value is never null: an item counts only if its predicate is true, so null counts like
 * false. A collection that is null, or below a null value, has no items: `any` is false for it, and `all` true. No item
 * after the deciding one is evaluated. A row cannot pause, so its operators spend a budget of items.
 * @param slots the range variables of the surrounding lambda operators
 * @returns the closure, which throws a TypeError for a value that is not an array and for an item of another type, and
 *   an ODataError `InvalidQueryOption` where operators evaluate too many items
 * @see OData URL Conventions 4.0, section 5.1.1.5
 */
export function compileLambda(
  expression: LambdaExpression,
  slots: VariableSlots,
  compile: CompilePredicate,
): CompiledPredicate {
  const { collection, operator, predicate } = expression;
  const read = compileItems(collection, slots);
  const isAll = operator === "all";
  if (predicate === null) return (entity, evaluation) => (read(entity, evaluation)?.length ?? 0) > 0;
  const slot: VariableSlot = { value: null, object: null };
  const place = placeItem(collection, slot);
  const test = compile(predicate, [...slots, slot]);
  const weight = itemsOf(predicate);
  // Entities share their related entities, so a few entities can have many items.
  const isCounted = slots.length > 0 || collection.kind === "navigation";
  return (entity, evaluation) => {
    const items = read(entity, evaluation);
    if (items === null) return isAll;
    // A getter of the application may run the same query, so the slot is restored afterwards.
    const { value, object } = slot;
    let index = 0;
    let isDecided = false;
    try {
      while (index < items.length && !isDecided) {
        evaluation.spendRowItems(weight);
        place(items[index]);
        isDecided = (test(entity, evaluation) === true) !== isAll;
        index += 1;
      }
    } finally {
      slot.value = value;
      slot.object = object;
    }
    if (isCounted) evaluation.spendItems(index);
    return isDecided !== isAll;
  };
}

function compileItems(collection: CollectionPath, slots: VariableSlots): ReadItems {
  const raw: RawAccessor = compileRawSource(collection, slots);
  const path = describePath(collection);
  return (entity, evaluation) => {
    const value = raw(entity, evaluation);
    if (value === null) return null;
    if (!Array.isArray(value)) throw invalidHandlerValue(path, "a collection", value);
    const items: readonly unknown[] = value;
    return items;
  };
}

/** Puts items into the slot. Each is converted to canonical form once, however often the predicate uses it. */
function placeItem(collection: CollectionPath, slot: VariableSlot): PlaceItem {
  if (collection.kind === "navigation") {
    return (item) => {
      slot.object = item as object;
    };
  }
  const { type } = collection;
  if (type.kind === "ComplexType") {
    const path = describePath(collection);
    return (item) => {
      if (item !== null && item !== undefined && typeof item !== "object") {
        throw invalidHandlerValue(path, type.name, item);
      }
      slot.object = item ?? null;
    };
  }
  const canonical = toCanonical(collection);
  const kind = canonicalKind(type);
  const isCanonical: CanonicalTest = kind === null ? canonicalTest(type) : (item) => typeof item === kind;
  return (item) => {
    slot.value = isCanonical(item) ? (item as VariableSlot["value"]) : canonical(item);
  };
}
