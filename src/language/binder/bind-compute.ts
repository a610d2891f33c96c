import type { StructuralProperty } from "../../edm/model.ts";
import type { ComputedSyntax } from "../syntax/ast.ts";
import { bindOperand } from "./bind-expression.ts";
import { toType } from "./bind-literal.ts";
import { type BindingContext, type ComputedName, type Copies, invalidOption, quotedName } from "./binding-scope.ts";
import { facetsOf, madeProperty } from "./made-types.ts";
import { describeOperand, isScalar, typeOf } from "./operand.ts";
import { sizeOf } from "./row-names.ts";

/** The greatest height of a computed value. Names in it are copies, whose heights add up. */
const MAX_HEIGHT = 100;

/** Most nodes without a setting. */
const MAX_NODES = 10_000;

/** Starts to count the nodes of the expressions of one level. */
export function copiesOf({ maxNodeCount }: { readonly maxNodeCount: number | null }): Copies {
  return { nodes: 0, most: Math.min(maxNodeCount ?? MAX_NODES, MAX_NODES), named: [] };
}

/**
 * Binds the items of `$compute`, or of `compute` in `$apply`. No expression can use the name of another one.
 * @param context that of the clause `compute`
 * @param checkAlias throws if a name is not free
 * @throws ODataError `InvalidQueryOption`, `UnsupportedQueryOption`
 * @returns the values by name, with those of the context
 * @see OData URL Conventions 4.01, section 5.1.3.2
 */
export function bindComputed(
  items: readonly ComputedSyntax[],
  context: BindingContext,
  checkAlias: (alias: ComputedSyntax["alias"], taken: ReadonlySet<string>) => void,
): ReadonlyMap<string, ComputedName> {
  const computed = new Map<string, ComputedName>(context.rows?.computed);
  const taken = new Set<string>(computed.keys());
  for (const { expression: node, alias } of items) {
    checkAlias(alias, taken);
    taken.add(alias.name);
    computed.set(alias.name, bindItem(node, alias.name, computed.size, context));
  }
  return computed;
}

function bindItem(
  node: ComputedSyntax["expression"],
  name: string,
  index: number,
  context: BindingContext,
): ComputedName {
  const operand = bindOperand(node, context);
  const type = isScalar(operand) ? typeOf(operand) : null;
  if (!isScalar(operand) || type === null) {
    const message = `A computed value is a single value, not ${describeOperand(operand)}.`;
    throw invalidOption(context.option, node.position, message);
  }
  const expression = toType(operand, type, context);
  const { nodes, height } = sizeOf(expression);
  if (height > MAX_HEIGHT) {
    const message = `The expression of ${quotedName(name)}, with those of the names in it, nests deeper than ${MAX_HEIGHT} levels: simplify it.`;
    throw invalidOption(context.option, node.position, message);
  }
  const property = computedProperty(name, type, expression, index);
  context.rows?.copies.named.push({ property, expression });
  return { property, expression, nodes };
}

/** Makes the property of a computed value. Its field is none of those of entities. */
function computedProperty(
  name: string,
  type: StructuralProperty["type"],
  expression: ComputedName["expression"],
  index: number,
): StructuralProperty {
  const made = { name, type, nullable: true, isCollection: false, facets: facetsOf(expression) };
  return madeProperty(made, index, `$compute/${name}`);
}
