import { assertNever } from "../../base/assert-never.ts";
import { BoundedCache } from "../../base/bounded-cache.ts";
import { unawaited } from "../../base/maybe.ts";
import { keeper } from "../../base/memo.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { FilterClause } from "../../query/clauses.ts";
import type { Expression, ItExpression, PathSource } from "../../query/expression.ts";
import { mapChildren } from "../../query/walk-expression.ts";
import { rowOf } from "./row-operand.ts";
import { isRowPredicate, PredicateCall, type RowTerm } from "./row-predicate.ts";

/** The condition of a predicate; `all` and `none` if the predicate is the same for every row. */
export type RowCondition = "all" | "none" | VaryingRowCondition;

/** A condition that depends on the row. */
export interface VaryingRowCondition {
  /** The same object for all conditions of one structure, so that its compiled form is reused. */
  readonly filter: FilterClause;
  /** The values of its parameters. */
  readonly values: readonly PrimitiveValue[];
}

/** Turns the predicates that a function of the application returns into conditions. */
export interface RowConditions {
  /**
   * Returns the condition of a predicate.
   * @param predicate receives a row and returns a predicate
   * @throws any error of the function; TypeError if it does not return a row predicate
   */
  of(predicate: (row: unknown) => unknown): RowCondition;
}

/** What errors say about a function that makes predicates. */
export interface RowConditionWords {
  /**
   * Whether one function makes all predicates. After it dropped a condition once, all of its predicates are refused: it may
   * have kept the condition for later calls, which then drop it unnoticed.
   */
  readonly isOne: boolean;
  /** Such as `A row rule`. */
  readonly any: string;
  /** Such as `rule`. */
  readonly noun: string;
  /** Such as `The row rule of Orders`. */
  readonly this: string;
  /** The advice for a function that returns a promise. */
  readonly instead: string;
  /** Correct results. */
  readonly example: string;
}

/** The number of structures whose conditions are cached for one function. */
const STRUCTURES_KEPT = 100;

/**
 * Makes the conditions of one set.
 * @param entitySets the sets of the registration by name, for paths
 */
export function rowConditions(
  entitySet: EntitySet,
  entitySets: ReadonlyMap<string, EntitySet>,
  words: RowConditionWords,
): RowConditions {
  const it: ItExpression = Object.freeze({ kind: "it", type: entitySet.entityType });
  let present: PredicateCall | null = null;
  let dropped: string | null = null;
  const row = rowOf(it, entitySet, { entitySets, whose: words.any, presentCall: () => present });
  const call = (predicate: (row: unknown) => unknown): RowTerm => {
    const outer = present;
    const own = new PredicateCall();
    present = own;
    try {
      const answer = predicate(row);
      const found = isRowPredicate(answer) ? own.droppedBy(answer) : null;
      if (words.isOne) dropped ??= found;
      return termOf(answer, words, words.isOne ? dropped : found);
    } finally {
      present = outer;
    }
  };
  const kept = new BoundedCache<string, FilterClause>(STRUCTURES_KEPT);
  return Object.freeze<RowConditions>({
    of: (predicate) => {
      const term = call(predicate);
      if (typeof term === "boolean") return term ? "all" : "none";
      const values: PrimitiveValue[] = [];
      const structure = structureOf(term, { it, words }, values);
      return {
        filter: kept.getOrMake(structure, () => Object.freeze(keeper({ expression: parameterize(term) }))),
        values,
      };
    },
  });
}

function termOf(answer: unknown, words: RowConditionWords, dropped: string | null): RowTerm {
  if (isRowPredicate(answer)) {
    if (dropped === null) return answer.term;
    throw new TypeError(
      `${words.this} made a condition on \`${dropped}\` that its result does not contain. In JavaScript, \`a && b\` is \`b\` alone: write \`a.and(b)\`. Make a condition only where the result contains it.`,
    );
  }
  if (answer instanceof Promise) {
    unawaited(answer);
    throw new TypeError(`${words.this} returned a promise, but it must be synchronous. ${words.instead}`);
  }
  throw new TypeError(`${words.this} did not return a condition: return ${words.example}.`);
}

interface Start {
  readonly it: ItExpression;
  readonly words: RowConditionWords;
}

/**
 * Returns a string that is equal for conditions that differ only in their values.
 * @param values filled in the order of parameters
 */
function structureOf(expression: Expression, start: Start, values: PrimitiveValue[]): string {
  const text = (operand: Expression): string => structureOf(operand, start, values);
  const list = (operands: readonly Expression[]): string => operands.map(text).join();
  switch (expression.kind) {
    case "literal":
      values.push(expression.value);
      return "?";
    case "null":
      return "null";
    case "property":
      return pathOf(expression, start);
    case "comparison":
      return `(${text(expression.left)} ${expression.operator} ${text(expression.right)})`;
    case "logical":
      return `${expression.operator}(${list(expression.operands)})`;
    case "not":
      return `not(${text(expression.operand)})`;
    case "in":
      return `in(${list([expression.operand, ...expression.items])})`;
    case "call":
      return `${expression.name}(${list(expression.arguments)})`;
    default:
      throw new Error(`${start.words.any} contains no expression of kind ${expression.kind}.`);
  }
}

/** Quotes fields: a field may contain a slash, and must not look like a path of two fields. */
function pathOf(path: PathSource, start: Start): string {
  switch (path.kind) {
    case "it":
      if (path === start.it) return "";
      throw new TypeError(
        `${start.words.any} returned a condition on the row of another ${start.words.noun}. Use the row that it receives.`,
      );
    case "property":
      return `${pathOf(path.source, start)}/${JSON.stringify(path.property.field)}`;
    case "navigation":
      return `${pathOf(path.source, start)}/${JSON.stringify(path.navigationProperty.field)}`;
    case "root":
    case "variable":
      throw new Error(`${start.words.any} contains no path from a ${path.kind}.`);
    default:
      return assertNever(path);
  }
}

/** Replaces the values of an expression by numbered parameters. */
function parameterize(expression: Expression): Expression {
  let index = 0;
  const within = (each: Expression): Expression =>
    each.kind === "literal" ? { kind: "parameter", index: index++, type: each.type } : mapChildren(each, within);
  return within(expression);
}
