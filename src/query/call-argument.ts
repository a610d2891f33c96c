import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { JsonValue } from "../json/json-value.ts";

/**
 * An argument of a function call as a URL gives it: the value of a literal, in canonical form, or the JSON of a
 * complex value or collection, still to be read by the model.
 */
export type CallArgument =
  | { readonly kind: "value"; readonly value: PrimitiveValue | null }
  | { readonly kind: "json"; readonly json: JsonValue };

/** The arguments of a call by the names of their parameters; absent ones were not given. */
export type CallArguments = ReadonlyMap<string, CallArgument>;
