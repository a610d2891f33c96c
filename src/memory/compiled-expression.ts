import type { PrimitiveValue } from "../edm/value-codec.ts";

/**
 * A bound expression as a closure: evaluates it for one entity (or collection item).
 * @param entity the application's object
 * @param values the values of the parameters of the query, by index; one array per execution
 * @returns a canonical value, or null
 */
export type CompiledExpression = (entity: object, values: readonly PrimitiveValue[]) => PrimitiveValue | null;

/** A Boolean expression as a closure; null is "unknown" of three-valued logic. */
export type CompiledPredicate = (entity: object, values: readonly PrimitiveValue[]) => boolean | null;
