import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Evaluation } from "./evaluation.ts";

/**
 * A bound expression as a closure: evaluates it for one entity (or collection item).
 * @param entity the application's object
 * @param evaluation the values of the parameters, and what all rows share
 * @returns a canonical value, or null
 */
export type CompiledExpression = (entity: object, evaluation: Evaluation) => PrimitiveValue | null;

/** A Boolean expression as a closure; null is "unknown" of three-valued logic. */
export type CompiledPredicate = (entity: object, evaluation: Evaluation) => boolean | null;
