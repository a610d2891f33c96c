import { keeper, keptPerPair } from "../base/memo.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { FilterClause } from "../query/clauses.ts";
import type { ComparisonOperator, Expression } from "../query/expression.ts";
import type { KeysetOrder, KeysetTerm } from "./keyset-order.ts";

/** The value of a term for one row. */
export type KeysetValue = PrimitiveValue | null;

/** A query for the rows after a row. */
export interface Seek {
  /** The filter of the query, and the condition for the following rows. The same object for all requests of a shape. */
  readonly filter: FilterClause;
  /** The values of the parameters of the query, then those of the row. */
  readonly values: readonly PrimitiveValue[];
}

/** The kind of a value, which decides on the form of the condition. */
type ValueKind = "value" | "null" | "NaN";

/** The other input of the condition, besides the values of the row. */
export interface SeekScope {
  /** The filter of the query; null: none. */
  readonly filter: FilterClause | null;
  /** The values of the parameters of the query; their number is the same for all requests of the shape. */
  readonly values: readonly PrimitiveValue[];
  /** Whether the row comes from a database, which has no NaN. */
  readonly isRow: boolean;
}

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];
/** Represents the absence of a filter. */
const NO_FILTER: object = Object.freeze({});

/** By the kinds of the values. All requests of a shape have the same order and filter objects. */
const filtersOf = keptPerPair((_order: KeysetOrder, _filter: object) => new Map<string, FilterClause>());

/**
 * Returns the query for the rows after a row, given the values of the terms in that row. Each condition has a bound that
 * an index supports: `d ge ? and (d gt ? or id gt ?)`.
 * @param row the value of each term of the order
 */
export function seekBehind(order: KeysetOrder, row: readonly KeysetValue[], scope: SeekScope): Seek {
  const kinds = row.map(kindOf);
  const byKinds = filtersOf(order, scope.filter ?? NO_FILTER);
  const key = `${String(scope.isRow)} ${kinds.join(" ")}`;
  let filter = byKinds.get(key);
  if (filter === undefined) {
    filter = Object.freeze(keeper({ expression: andFilter(scope.filter, behind(order.terms, kinds, scope)) }));
    byKinds.set(key, filter);
  }
  const given = row.filter((value, index): value is PrimitiveValue => value !== null && kinds[index] === "value");
  return { filter, values: [...scope.values, ...given] };
}

function kindOf(value: KeysetValue): ValueKind {
  if (value === null) return "null";
  return Number.isNaN(value) ? "NaN" : "value";
}

function andFilter(filter: FilterClause | null, condition: Expression): Expression {
  if (filter === null) return condition;
  const conditions = condition.kind === "logical" && condition.operator === "and" ? condition.operands : [condition];
  return { kind: "logical", operator: "and", operands: [filter.expression, ...conditions], type: BOOLEAN };
}

/** Combines the terms from the last one, which breaks the ties of all others, to the first. */
function behind(terms: readonly KeysetTerm[], kinds: readonly ValueKind[], { values, isRow }: SeekScope): Expression {
  let index = values.length + kinds.filter((kind) => kind === "value").length;
  let tied: Expression | null = null;
  for (const [position, term] of [...terms.entries()].toReversed()) {
    const kind = kinds[position] ?? "null";
    if (kind === "value") index -= 1;
    const mayBeNaN = !isRow && (term.type.name === "Edm.Double" || term.type.name === "Edm.Single");
    tied = behindTerm({ term, kind, parameter: index, mayBeNaN }, tied);
  }
  return tied ?? { kind: "literal", value: false, type: BOOLEAN };
}

/** One term, with its value in the row. */
interface TermSeek {
  readonly term: KeysetTerm;
  readonly kind: ValueKind;
  /** Index of the parameter; only with kind `value`. */
  readonly parameter: number;
  readonly mayBeNaN: boolean;
}

/**
 * Returns the condition of the rows that follow by one term, or are equal in it and meet `tied`. In ascending order null
 * comes first, then NaN, then all other values; descending order is the reverse.
 * @param tied null: no row with an equal value follows
 * @returns null if no row follows
 */
function behindTerm(seek: TermSeek, tied: Expression | null): Expression | null {
  const { term, kind } = seek;
  switch (kind) {
    case "value":
      return behindValue(seek, tied);
    case "null":
      if (term.descending) return andTied(compareNull("eq", term), tied);
      return orTied(compareNull("ne", term), tied);
    case "NaN": {
      const isNumber = compareLowest(term);
      if (!term.descending) return orTied(isNumber, andTied(compareNull("ne", term), tied));
      return orTied(compareNull("eq", term), andTied(not(isNumber), tied));
    }
  }
}

function behindValue({ term, parameter, mayBeNaN }: TermSeek, tied: Expression | null): Expression {
  const compare = (operator: ComparisonOperator): Expression =>
    continueTerm(operator, term, { kind: "parameter", index: parameter, type: term.type });
  const bounded = (loose: Expression, strict: Expression): Expression =>
    tied === null ? strict : and(loose, or(strict, tied));
  if (!term.descending) return bounded(compare("ge"), compare("gt"));
  // NaN is neither greater nor less than a value, and follows all values.
  if (mayBeNaN) return bounded(not(compare("gt")), not(compare("ge")));
  const below = bounded(compare("le"), compare("lt"));
  return term.nullable ? or(compareNull("eq", term), below) : below;
}

function compareTerm(operator: ComparisonOperator, term: KeysetTerm, right: Expression): Expression {
  return { kind: "comparison", operator, left: term.expression, right, operandType: term.type, type: BOOLEAN };
}

/** Compares a term with its value in the row before the page. */
function continueTerm(operator: ComparisonOperator, term: KeysetTerm, right: Expression): Expression {
  const { expression: left, type } = term;
  return { kind: "comparison", operator, left, right, operandType: type, type: BOOLEAN, continues: true };
}

function compareNull(operator: "eq" | "ne", term: KeysetTerm): Expression {
  return compareTerm(operator, term, { kind: "null", type: term.type });
}

/** Returns the condition that a term is neither null nor NaN. */
function compareLowest(term: KeysetTerm): Expression {
  return compareTerm("ge", term, { kind: "literal", value: Number.NEGATIVE_INFINITY, type: term.type });
}

function andTied(condition: Expression, tied: Expression | null): Expression | null {
  return tied === null ? null : and(condition, tied);
}

function orTied(condition: Expression, tied: Expression | null): Expression {
  return tied === null ? condition : or(condition, tied);
}

function and(...operands: readonly Expression[]): Expression {
  return { kind: "logical", operator: "and", operands, type: BOOLEAN };
}

function or(...operands: readonly Expression[]): Expression {
  return { kind: "logical", operator: "or", operands, type: BOOLEAN };
}

function not(operand: Expression): Expression {
  return { kind: "not", operand, type: BOOLEAN };
}
