import { required } from "../../base/required.ts";
import type { EntityType } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { Expression, InExpression, PathSource } from "./expression.ts";

/**
 * Makes the test whether an entity has a type of its hierarchy or one derived from it. It is false for null. The names of the
 * types are constants: requests of one shape have the same.
 */
export function typeTest(source: PathSource, { name, hierarchy }: EntityType): InExpression {
  const { discriminator, types } = required(hierarchy, `${name} has no hierarchy.`);
  const { type } = discriminator;
  if (type.kind === "ComplexType") throw new Error("Names of types are single values.");
  const operand: Expression = { kind: "property", source, property: discriminator, type };
  const items = Array.from(types.keys(), (value): Expression => ({ kind: "literal", value, type }));
  return { kind: "in", operand, items, type: PRIMITIVE_TYPES["Edm.Boolean"] };
}
