import type { CastDigits } from "../../edm/cast.ts";
import type { PrimitiveType } from "../../edm/primitive-type.ts";
import type { CallExpression, Expression } from "./expression.ts";

/** The types of a cast, and how it writes fractions. */
interface CastCall {
  readonly source: PrimitiveType;
  readonly target: PrimitiveType;
  readonly digits: CastDigits;
}

/** The kinds of values whose fraction is written as responses write it. */
const WRITTEN: ReadonlySet<Expression["kind"]> = new Set(["property", "variable", "parameter", "literal"] as const);

/**
 * Returns the types of a call of `cast`. The text of a stored value or literal is that of its JSON; a computed value has no
 * zeros at the end of its fraction, because databases compute different ones.
 * @throws Error for a call that the binder does not make
 */
export function castIn({ arguments: [operand], type: target }: CallExpression): CastCall {
  if (operand?.type?.kind !== "PrimitiveType") throw new Error("A cast needs a primitive value.");
  return { source: operand.type, target, digits: WRITTEN.has(operand.kind) ? "written" : "needed" };
}
