import type { StructuralProperty } from "../../edm/model.ts";
import { shownValueOf } from "../../edm/shown-value.ts";
import type { CompiledExpression } from "./evaluation.ts";

/** Makes a function of the value that a property shows of an expression: see `shownValueOf`. */
export function compileShown(property: StructuralProperty, evaluate: CompiledExpression): CompiledExpression {
  const shown = shownValueOf(property);
  if (shown === undefined) return evaluate;
  return (entity, evaluation) => {
    const value = evaluate(entity, evaluation);
    return value === null ? null : shown(value);
  };
}
