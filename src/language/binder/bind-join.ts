import type { NavigationProperty } from "../../edm/model.ts";
import type { JoinSyntax } from "../syntax/apply-parser.ts";
import { type AppliedRows, checkAlias, rowsOf, totalOrder, withStep } from "./apply-rows.ts";
import { bindOperand } from "./bind-expression.ts";
import { invalidOption, unsupportedOption } from "./binding-scope.ts";
import { pathText } from "./group-keys.ts";
import { describeOperand } from "./operand.ts";
import { contextOf, type Work } from "./step-context.ts";

/**
 * Binds `join` and `outerjoin` of a navigation property of the rows.
 * @param run binds the steps that apply to the related entities
 * @throws ODataError `InvalidQueryOption` for anything but a navigation property, and for a name that is not free;
 *   `UnsupportedQueryOption` for longer paths, and steps that cannot apply to related entities
 * @see OData Aggregation 4.0, section 3.5.1
 */
export function withJoin(
  { kind, path: node, alias, steps: given, position }: JoinSyntax,
  rows: AppliedRows,
  work: Work,
  run: (rows: AppliedRows, work: Work) => readonly AppliedRows[],
): AppliedRows {
  const operand = bindOperand(node, contextOf("aggregate", rows, work));
  if (operand.kind !== "bound" || operand.expression.kind !== "navigation") {
    const message = `'${kind}' takes a navigation property, as in ${kind}(Lines as Line), not ${describeOperand(operand)}.`;
    throw invalidOption("$apply", node.position, message);
  }
  const path = operand.expression;
  const { navigationProperty, target } = path;
  if (path.source.kind !== "it" || navigationProperty.origin !== undefined || target === null) {
    const message = `'${kind}' of ${pathText(node)} is not supported: it takes a navigation property of the entities themselves, to an entity set.`;
    throw unsupportedOption("$apply", node.position, message);
  }
  const refused = given.find((step) => step.kind === "concat" || step.kind === "join" || step.kind === "outerjoin");
  if (refused !== undefined) {
    throw unsupportedOption("$apply", refused.position, `'${refused.kind}' within ${kind} is not supported.`);
  }
  checkAlias(alias, rows, new Set([...rows.computed.keys(), ...rows.joined.keys()]), "$apply");
  const start = rowsOf(path.type, target, rows.copies);
  const place = { ...work, entityType: path.type, entitySet: target, capabilities: work.capabilitiesOf(target) };
  const [related = start] = given.length === 0 ? [start] : run(start, { ...place, isOutermost: false });
  if (related.computed.size > 0) {
    throw unsupportedOption("$apply", position, `'compute' within ${kind} is not supported: write it behind ${kind}.`);
  }
  const inOrder = { kind: "limit", orderBy: totalOrder(related, related.orderBy), skip: null, top: null } as const;
  const { steps } = withStep(related, { ...inOrder, partition: [] });
  const made: NavigationProperty = {
    ...navigationProperty,
    name: alias.name,
    field: `$join/${alias.name}`,
    entityType: related.entityType,
    isCollection: false,
    nullable: true,
    origin: navigationProperty,
  };
  const joined = Object.freeze(made);
  const step = { kind: "join", path, joined, steps, isOuter: kind === "outerjoin" } as const;
  return { ...withStep(rows, step), joined: new Map([...rows.joined, [alias.name, joined]]) };
}
