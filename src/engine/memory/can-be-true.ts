import { keptPer } from "../../base/memo.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { FilterClause } from "../../language/query/clauses.ts";
import type { Expression, PathSource } from "../../language/query/expression.ts";
import { childrenOf, isPath, stepsOf } from "../../language/query/walk-expression.ts";
import { compileExpression } from "./compile-expression.ts";
import type { Evaluation } from "./evaluation.ts";

/** An entity with unknown values, and the evaluation of its conditions. */
export interface PartialEntity {
  /** The application's object. */
  readonly entity: object;
  readonly evaluation: Evaluation;
  /**
   * Whether the first step of a path from the entity is known: its property, or a navigation whose target was loaded.
   */
  readonly isKnown: (step: Exclude<PathSource, { readonly kind: "it" }>) => boolean;
}

/** A set of truth values, as bits. */
type Truths = number;

const FALSE = 1;
const NULL = 2;
const TRUE = 4;
const ANY: Truths = FALSE | NULL | TRUE;
const EACH: readonly Truths[] = [FALSE, NULL, TRUE];

/** Returns the possible truth values of a condition for an entity. */
type Possible = (partial: PartialEntity) => Truths;

/**
 * Whether a condition can be true for an entity, whatever its unknown values are.
 * @param filter a Boolean expression; compiled on first use
 * @throws TypeError for a value of another type than its property
 */
export function canBeTrue(filter: FilterClause, partial: PartialEntity): boolean {
  return (possibleOf(filter)(partial) & TRUE) !== 0;
}

const possibleOf = keptPer(({ expression }: FilterClause) => compilePossible(expression));

/** Compiles each part of a condition separately, so that the result never lacks a possible truth value. */
function compilePossible(expression: Expression): Possible {
  switch (expression.kind) {
    case "logical": {
      const parts = expression.operands.map(compilePossible);
      return (partial) =>
        parts.map((part) => part(partial)).reduce((left, right) => combine(left, right, expression.operator));
    }
    case "not": {
      const operand = compilePossible(expression.operand);
      return (partial) => negate(operand(partial));
    }
    default: {
      const evaluate = compileExpression(expression, "spec-compliant");
      return (partial) =>
        isWhollyKnown(expression, partial) ? truthOf(evaluate(partial.entity, partial.evaluation)) : ANY;
    }
  }
}

/** Combines truth values: in the order false, null, true, `and` is the least and `or` the greatest. */
function combine(left: Truths, right: Truths, operator: "and" | "or"): Truths {
  let result = 0;
  for (const first of EACH) {
    for (const second of EACH) {
      if ((left & first) === 0 || (right & second) === 0) continue;
      result |= operator === "and" ? Math.min(first, second) : Math.max(first, second);
    }
  }
  return result;
}

function negate(truths: Truths): Truths {
  return (truths & NULL) | ((truths & FALSE) === 0 ? 0 : TRUE) | ((truths & TRUE) === 0 ? 0 : FALSE);
}

function truthOf(value: PrimitiveValue | null): Truths {
  if (value === null) return NULL;
  return value === true ? TRUE : FALSE;
}

/** Whether all paths of an expression start with a known step; false for expressions that no row rule contains. */
function isWhollyKnown(expression: Expression, partial: PartialEntity): boolean {
  if (expression.kind === "property") {
    const { start, steps } = stepsOf(expression);
    const [first] = steps;
    return start.kind === "it" && first !== undefined && partial.isKnown(first);
  }
  if (isPath(expression) || expression.kind === "count" || expression.kind === "lambda") return false;
  return childrenOf(expression).every((child) => isWhollyKnown(child, partial));
}
