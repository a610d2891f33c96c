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
import type { LambdaUse } from "./lambda-progress.ts";

/** The number of items between two readings of the clock. */
const SLICE = 64;

/** Compiles a predicate whose variables are in the slots. */
type CompilePredicate = (predicate: Expression, slots: VariableSlots) => CompiledExpression;

/** Puts an item of the application into a slot. */
type PlaceItem = (item: unknown) => void;

/** Reads the items of a collection; null where it is null. */
type ReadItems = (entity: object, evaluation: Evaluation) => readonly unknown[] | null;

/**
 * Compiles `any` and `all`. Their value is never null: an item counts only if its predicate is true, so null counts like
 * false. A collection that is null, or below a null value, has no items: `any` is false for it, and `all` true. No item
 * after the deciding one is evaluated. Many items pause between them: see `LambdaProgress`.
 * @param slots the range variables of the surrounding lambda operators
 * @returns the closure, which throws a TypeError for a value that is not an array and for an item of another type, and
 *   an ODataError `InvalidQueryOption` where nested operators evaluate too many items
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
  // Entities share their related entities, so a few entities can have many items.
  const isCounted = slots.length > 0 || collection.kind === "navigation";
  const evaluateItems: EvaluateItems = (items, use, entity, evaluation) => {
    const { progress } = evaluation;
    // A getter of the application may run the same query, so the slot is restored afterwards.
    const { value, object } = slot;
    try {
      for (let index = use?.at ?? 0; index < items.length; index += 1) {
        if (index % SLICE === SLICE - 1) progress?.count(SLICE);
        place(items[index]);
        const result =
          use === null || progress === null ? test(entity, evaluation) : progress.within(use, test, entity, evaluation);
        if ((result === true) !== isAll) return index + 1;
      }
    } finally {
      slot.value = value;
      slot.object = object;
    }
    return -1;
  };
  return (entity, evaluation) => {
    const { progress } = evaluation;
    let use = progress?.known(slot) ?? null;
    if (use !== null && use.verdict !== null) return use.verdict;
    const items = use?.items ?? read(entity, evaluation);
    if (items === null) return isAll;
    use ??= progress?.begin(slot, items) ?? null;
    const decided = evaluateItems(items, use, entity, evaluation);
    const verdict = decided < 0 === isAll;
    if (use !== null) use.verdict = verdict;
    if (isCounted) {
      const looked = decided < 0 ? items.length : decided;
      evaluation.spendItems(looked);
      progress?.count(looked % SLICE);
    }
    return verdict;
  };
}

/** Returns the number of items up to the deciding one; -1 without one. */
type EvaluateItems = (
  items: readonly unknown[],
  use: LambdaUse | null,
  entity: object,
  evaluation: Evaluation,
) => number;

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
