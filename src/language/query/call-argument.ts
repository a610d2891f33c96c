import type { JsonValue } from "../../base/json/write-json.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";

/**
 * An argument of a function call in a URL: the value of a literal, in canonical form, or the JSON of a complex value or
 * collection, which is not checked against the model yet.
 */
export type CallArgument =
  | { readonly kind: "value"; readonly value: PrimitiveValue | null }
  | { readonly kind: "json"; readonly json: JsonValue };

/** The given arguments of a call by the names of their parameters. */
export type CallArguments = ReadonlyMap<string, CallArgument>;
