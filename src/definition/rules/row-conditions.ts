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
import { isRowPredicate, type RowTerm } from "./row-predicate.ts";

/** The rows that meet a predicate, as a condition; `all` and `none` say it of every row. */
export type RowCondition = "all" | "none" | VaryingRowCondition;

/** A condition that tells one row from another. */
export interface VaryingRowCondition {
  /** The same object for all conditions of one structure, so what is compiled for it is kept. */
  readonly filter: FilterClause;
  /** The values of its parameters. */
  readonly values: readonly PrimitiveValue[];
}

/** Makes conditions of the predicates that a function of the application returns for a row. */
export interface RowConditions {
  /**
   * Returns the condition of a predicate.
   * @param predicate gets the row that predicates are made of
   * @throws whatever the function throws; TypeError when it returns anything but a row predicate
   */
  of(predicate: (row: unknown) => unknown): RowCondition;
}

/** How errors name a function that makes predicates. */
export interface RowConditionWords {
  /** Such as `A row rule`. */
  readonly any: string;
  /** Such as `rule`. */
  readonly noun: string;
  /** Such as `The row rule of Orders`. */
  readonly this: string;
  /** What to do instead of returning a promise. */
  readonly instead: string;
  /** Good answers. */
  readonly example: string;
}

/** Most structures of one function whose conditions are kept. */
const STRUCTURES_KEPT = 100;

/**
 * Makes the conditions of one set.
 * @param entitySets the sets of the registration by name: where paths lead
 */
export function rowConditions(
  entitySet: EntitySet,
  entitySets: ReadonlyMap<string, EntitySet>,
  words: RowConditionWords,
): RowConditions {
  const it: ItExpression = Object.freeze({ kind: "it", type: entitySet.entityType });
  const row = rowOf(it, entitySet, entitySets, words.any);
  const kept = new BoundedCache<string, FilterClause>(STRUCTURES_KEPT);
  return Object.freeze<RowConditions>({
    of: (predicate) => {
      const term = termOf(predicate(row), words);
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

function termOf(answer: unknown, words: RowConditionWords): RowTerm {
  if (isRowPredicate(answer)) return answer.term;
  if (answer instanceof Promise) {
    unawaited(answer);
    throw new TypeError(`${words.this} returned a promise: it must answer at once. ${words.instead}`);
  }
  throw new TypeError(`${words.this} did not return a row predicate: return ${words.example}.`);
}

/** Where the paths of a condition begin. */
interface Start {
  readonly it: ItExpression;
  readonly words: RowConditionWords;
}

/**
 * A text that conditions share which differ in their values alone.
 * @param start what the paths begin with
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
      throw new Error(`${start.words.any} holds no expression of kind ${expression.kind}.`);
  }
}

/** Fields in quotes: they may be any text, and must not look like a path of two. */
function pathOf(path: PathSource, start: Start): string {
  switch (path.kind) {
    case "it":
      if (path === start.it) return "";
      throw new TypeError(
        `${start.words.any} returned a condition on the row of another ${start.words.noun}: use the row that it is given.`,
      );
    case "property":
      return `${pathOf(path.source, start)}/${JSON.stringify(path.property.field)}`;
    case "navigation":
      return `${pathOf(path.source, start)}/${JSON.stringify(path.navigationProperty.field)}`;
    case "root":
    case "variable":
      throw new Error(`${start.words.any} holds no path from a ${path.kind}.`);
    default:
      return assertNever(path);
  }
}

/** The expression with parameters in place of its values, numbered in their order. */
function parameterize(expression: Expression): Expression {
  let index = 0;
  const within = (each: Expression): Expression =>
    each.kind === "literal" ? { kind: "parameter", index: index++, type: each.type } : mapChildren(each, within);
  return within(expression);
}
