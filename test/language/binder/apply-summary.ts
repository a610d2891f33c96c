import type { EntityType, ValueType } from "../../../src/edm/model.ts";
import type {
  ApplyBranch,
  ApplyClause,
  ApplyStep,
  GroupKey,
  OrderByItem,
} from "../../../src/language/query/clauses.ts";
import { summary } from "./summary.ts";

/** A bound `$apply` as lines: one for each step of each branch, with the order of the branch. */
export function applySummary({ branches }: ApplyClause): readonly string[] {
  return branches.flatMap((branch, index) => (index === 0 ? [] : ["concat"]).concat(branchSummary(branch)));
}

function branchSummary({ steps, computed, orderBy }: ApplyBranch): readonly string[] {
  return [
    ...steps.map(stepSummary),
    ...computed.map(({ property, expression }) => `${property.field} = ${summary(expression)}`),
    ...(orderBy.length === 0 ? [] : [`order ${orderSummary(orderBy)}`]),
  ];
}

function stepSummary(step: ApplyStep): string {
  switch (step.kind) {
    case "filter":
      return `filter ${summary(step.filter.expression)}`;
    case "limit": {
      const { skip, top, partition, orderBy } = step;
      const rows = [skip === null ? "" : `skip ${summary(skip)}`, top === null ? "" : `top ${summary(top)}`]
        .join(" ")
        .trim();
      const groups = partition.length === 0 ? "" : ` in each ${keysSummary(partition)}`;
      return `${rows} by ${orderSummary(orderBy)}${groups}`;
    }
    case "join":
      return `${step.isOuter ? "outer " : ""}join ${summary(step.path)} as ${step.joined.name} (${step.steps.map(stepSummary).join(" / ")})`;
    case "concat":
      return `concat (${step.branches.map((branch) => branchSummary(branch).join(" / ")).join(" | ")})`;
    case "ancestors":
    case "descendants": {
      const distance = step.distance === null ? "" : ` within ${summary(step.distance)}`;
      return `${step.kind} of ${summary(step.start.expression)}${distance}${step.keepsStart ? " and themselves" : ""}`;
    }
    case "reach":
      return `reach ${step.direction}`;
    case "topLevels": {
      const levels = step.levels === null ? "all" : summary(step.levels);
      return `${levels} levels by ${orderSummary(step.orderBy)}`;
    }
    case "group":
    case "totals": {
      const values = step.aggregates.map(({ property, method, expression, filter }) => {
        const operand = expression === null ? "" : summary(expression);
        const condition = filter === null ? "" : ` if ${summary(filter.expression)}`;
        return `${property.name}: ${method}(${operand}) ${property.type.name}${condition}`;
      });
      return `${step.kind} (${keysSummary(step.keys)}) ${values.join("; ")}`.trim();
    }
  }
}

function keysSummary(keys: readonly GroupKey[]): string {
  return keys
    .map((key) =>
      key.kind === "value"
        ? `${key.property.name}=${summary(key.expression)}`
        : `${key.property.name}=${summary(key.source)}{${keysSummary(key.members)}}`,
    )
    .join(",");
}

function orderSummary(orderBy: readonly OrderByItem[]): string {
  return orderBy.map(({ expression, descending }) => summary(expression) + (descending ? " desc" : "")).join(", ");
}

/** The properties of a type with their types: `Total:Decimal`, `Item(Name:String)`. */
export function typeSummary({ properties }: EntityType | Extract<ValueType, { readonly kind: "ComplexType" }>): string {
  return properties
    .map(({ name, type }) =>
      type.kind === "ComplexType" ? `${name}(${typeSummary(type)})` : `${name}:${type.name.replace("Edm.", "")}`,
    )
    .join(",");
}
