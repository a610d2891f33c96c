import { keeper, keptPerPair } from "../base/memo.ts";
import { PRIMITIVE_TYPES } from "../edm/primitive-type.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { FilterClause } from "../query/clauses.ts";
import type { ComparisonOperator, Expression } from "../query/expression.ts";
import type { KeysetOrder, KeysetTerm } from "./keyset-order.ts";

/** The value of a term for one row. */
export type KeysetValue = PrimitiveValue | null;

/** The rows behind one row. */
export interface Seek {
  /** The filter of the query, and what holds for the rows behind. The same object for all requests of a shape. */
  readonly filter: FilterClause;
  /** The values of the parameters of the query, then those of the row. */
  readonly values: readonly PrimitiveValue[];
}

/** What of a row decides on the form of the condition. */
type ValueKind = "value" | "null" | "NaN";

/** What the form of the condition depends on beside the values of the row. */
export interface SeekScope {
  /** The filter of the query; null: none. */
  readonly filter: FilterClause | null;
  /** The values of the parameters of the query: as many for each request of the shape. */
  readonly values: readonly PrimitiveValue[];
  /** Whether the row is one of a database, which holds no NaN. */
  readonly isRow: boolean;
}

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];
/** Stands for no filter. */
const NO_FILTER: object = Object.freeze({});

/** By the kinds of the values. Order and filter are one object each for all requests of a shape. */
const filtersOf = keptPerPair((_order: KeysetOrder, _filter: object) => new Map<string, FilterClause>());

/**
 * The query of the rows that come behind one row, by the values that its terms have there. Every condition has a bound
 * that an index serves: `d ge ? and (d gt ? or id gt ?)`.
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

/** From the last term, which breaks the ties of all others, to the first. */
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

/** One term, and what its row says of it. */
interface TermSeek {
  readonly term: KeysetTerm;
  readonly kind: ValueKind;
  /** Index of the parameter; only with kind `value`. */
  readonly parameter: number;
  readonly mayBeNaN: boolean;
}

/**
 * What comes behind the row by one term, or is equal in it and `tied`. Ascending, null comes first, then NaN, then all
 * others; descending it is the other way round.
 * @param tied null: nothing that is equal in the term comes behind
 * @returns null where nothing comes behind
 */
function behindTerm(seek: TermSeek, tied: Expression | null): Expression | null {
  const { term, kind } = seek;
  switch (kind) {
    case "value":
      return behindValue(seek, tied);
    case "null":
      if (term.descending) return tied === null ? null : and(compareNull("eq", term), tied);
      return orTied(compareNull("ne", term), tied);
    case "NaN": {
      const isNumber = compareLowest(term);
      if (!term.descending) return orTied(isNumber, tied === null ? null : and(compareNull("ne", term), tied));
      return orTied(compareNull("eq", term), tied === null ? null : and(not(isNumber), tied));
    }
  }
}

function behindValue({ term, parameter, mayBeNaN }: TermSeek, tied: Expression | null): Expression {
  const compare = (operator: ComparisonOperator): Expression =>
    compareTerm(operator, term, { kind: "parameter", index: parameter, type: term.type });
  const bounded = (loose: Expression, strict: Expression): Expression =>
    tied === null ? strict : and(loose, or(strict, tied));
  if (!term.descending) return bounded(compare("ge"), compare("gt"));
  // What is no number is neither above nor below a value, and comes behind all of them.
  if (mayBeNaN) return bounded(not(compare("gt")), not(compare("ge")));
  const below = bounded(compare("le"), compare("lt"));
  return term.nullable ? or(compareNull("eq", term), below) : below;
}

function compareTerm(operator: ComparisonOperator, term: KeysetTerm, right: Expression): Expression {
  return { kind: "comparison", operator, left: term.expression, right, operandType: term.type, type: BOOLEAN };
}

function compareNull(operator: "eq" | "ne", term: KeysetTerm): Expression {
  return compareTerm(operator, term, { kind: "null", type: term.type });
}

/** Whether a term is a number at all. */
function compareLowest(term: KeysetTerm): Expression {
  return compareTerm("ge", term, { kind: "literal", value: Number.NEGATIVE_INFINITY, type: term.type });
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
