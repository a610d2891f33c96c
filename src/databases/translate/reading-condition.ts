import type { Expression } from "../../language/query/expression.ts";
import type { StatementNotes } from "./statement-notes.ts";

/** The kinds of conditions that consist of others. */
const HOLDERS: ReadonlySet<Expression["kind"]> = new Set(["logical", "not", "lambda"] as const);

/** Translates a condition, and notes whether indexes can serve the columns in it. */
export function readingCondition<T>(condition: Expression, notes: StatementNotes, translate: () => T): T {
  const operation = scannedBy(condition);
  return operation === undefined ? translate() : notes.reading(operation, HOLDERS.has(condition.kind), translate);
}

/**
 * Returns the operation that keeps indexes from serving a condition, such as `contains`; null if an index may serve it, and
 * undefined if its parts decide.
 */
function scannedBy(condition: Expression): string | null | undefined {
  switch (condition.kind) {
    case "comparison": {
      const { operator, left, right } = condition;
      if (operator === "ne") return operator;
      const [path, other] = left.kind === "property" ? [left, right] : [right, left];
      if (path.kind === "property") return isFixed(other) ? null : computedBy(other);
      return computedBy(isFixed(left) ? right : left);
    }
    case "in":
      return condition.operand.kind === "property" ? null : computedBy(condition.operand);
    case "call": {
      const [text] = condition.arguments;
      return condition.name === "startswith" && text?.kind === "property" ? null : computedBy(condition);
    }
    case "property":
      return null;
    case "not":
      return "not";
    case "lambda":
      return condition.operator === "all" ? "not" : undefined;
    case "logical":
      return condition.operator === "or" && !isServed(condition) ? "or" : undefined;
    case "has":
      return "has";
    default:
      return undefined;
  }
}

/** An index that serves one condition of an `and` serves all of it; an `or` needs one for each. */
function isServed(condition: Expression): boolean {
  if (condition.kind !== "logical") return (scannedBy(condition) ?? null) === null;
  const { operator, operands } = condition;
  return operator === "and" ? operands.some(isServed) : operands.every(isServed);
}

/** Returns the operation that computes a value of each row: its innermost function. */
function computedBy(expression: Expression): string {
  switch (expression.kind) {
    case "call": {
      const nested = expression.arguments.find(({ kind }) => kind === "call");
      return expression.type.name === "Edm.Boolean" || nested === undefined ? expression.name : computedBy(nested);
    }
    case "convert":
      return computedBy(expression.operand);
    default:
      return "computed";
  }
}

/** Whether a value is the same for all rows. */
function isFixed({ kind }: Expression): boolean {
  return kind === "parameter" || kind === "literal" || kind === "null";
}
