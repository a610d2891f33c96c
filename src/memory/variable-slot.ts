import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { VariableExpression } from "../query/expression.ts";

/**
 * Where a lambda operator puts the item that it looks at, and where the paths of its predicate find it. Closures without
 * lambda operators know nothing of it, so they pay nothing for it.
 */
export interface VariableSlot {
  /** An item of a primitive or enumeration type in canonical form, or null. */
  value: PrimitiveValue | null;
  /** An item of a structured type as the application holds it, or null. */
  object: object | null;
}

/** The slots of the lambda operators around an expression, by their depth. */
export type VariableSlots = readonly VariableSlot[];

/** The slot of a range variable. @throws Error when no lambda operator of its depth is around: a fault of the binder */
export function slotOf({ depth }: VariableExpression, slots: VariableSlots): VariableSlot {
  const slot = slots[depth];
  if (slot === undefined) throw new Error(`There is no lambda operator of depth ${String(depth)}.`);
  return slot;
}
