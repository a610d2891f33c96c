import { fromLiteral } from "../edm/literal.ts";
import { InvalidValueError, type PrimitiveValue } from "../edm/value-codec.ts";
import type { QueryParameter } from "../query/clauses.ts";
import type { Literal } from "../syntax/literal-token.ts";
import { invalidOption } from "./binding-error.ts";

/**
 * Gives the parameters of a shape their values: the one part of binding that every request needs.
 * @param parameters the parameters of the shape, by index
 * @param literals the literals of the request in order of appearance
 * @throws ODataError `InvalidQueryOption` for a literal that is not a value of the type at its place
 * @see OData URL Conventions 4.0, section 5.1.1.6.1
 */
export function bindParameters(
  parameters: readonly QueryParameter[],
  literals: readonly Literal[],
): readonly PrimitiveValue[] {
  return parameters.map((parameter) => {
    const literal = literals[parameter.literal];
    if (literal === undefined) throw new Error(`The query has no literal ${parameter.literal}.`);
    return bindValue(parameter, literal);
  });
}

function bindValue({ type, option, refuseZero }: QueryParameter, literal: Literal): PrimitiveValue {
  try {
    const value = fromLiteral(literal, type);
    if (refuseZero && isZero(value)) throw new InvalidValueError("Nothing can be divided by zero.");
    return value;
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw invalidOption(option, literal.position, error.message);
  }
}

function isZero(value: PrimitiveValue): boolean {
  return typeof value === "string" ? !/[1-9]/.test(value) : Number(value) === 0;
}
