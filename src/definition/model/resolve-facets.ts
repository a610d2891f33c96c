import { toPattern } from "../../edm/linear-pattern.ts";
import type { Facets } from "../../edm/primitive-type.ts";
import { InvalidValueError } from "../../edm/value-codec.ts";
import { valueCodec } from "../../edm/value-codecs.ts";
import type { PropertyDeclaration } from "../types/value-type.ts";

/**
 * Returns the facets of a declaration with its pattern compiled, and its bounds in canonical form.
 * @throws PatternError for a faulty pattern; InvalidValueError for a bound that is not a finite number of the type
 */
export function resolveFacets({ type, facets }: Pick<PropertyDeclaration, "type" | "facets">): Facets {
  const { pattern, minimum, maximum, ...others } = facets;
  const boundOf = (value: unknown): number | bigint | string => {
    if (type.kind !== "PrimitiveType") throw new InvalidValueError(`${type.name} is no numeric type.`);
    const bound = valueCodec(type).fromHandler(value);
    if (typeof bound === "string" || typeof bound === "bigint") return bound;
    if (typeof bound === "number" && Number.isFinite(bound)) return bound;
    throw new InvalidValueError("It is no finite number.");
  };
  return {
    ...others,
    ...(pattern === undefined ? {} : { pattern: toPattern(pattern) }),
    ...(minimum === undefined ? {} : { minimum: boundOf(minimum) }),
    ...(maximum === undefined ? {} : { maximum: boundOf(maximum) }),
  };
}
