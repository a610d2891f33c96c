import { odataError, type CollectionQuery, type Expression } from "odatakit";
import type { Row } from "./row-rules.ts";

/**
 * A small evaluator of bound queries, as an application may write for `applyQuery`: it supports conditions on the
 * properties of the row itself, and refuses any other expression before it reads a row.
 */

/** A condition on a row; null: unknown. */
type Test = (row: Row) => boolean | null;
type Value = (row: Row) => unknown;

const refuse = (): never => {
  throw odataError(400, "Refused", "Nothing but conditions on the properties of the set is applied here.");
};

/** Compares strings of numbers as numbers, and timestamps as timestamps. */
function comparable(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (type === "Edm.Decimal") return Number(value);
  if (type === "Edm.DateTimeOffset" && typeof value === "string") return Date.parse(value);
  return typeof value === "bigint" ? Number(value) : value;
}

function valueOf(expression: Expression): Value {
  switch (expression.kind) {
    case "null":
      return () => null;
    case "literal": {
      const value = comparable(expression.value, expression.type.name);
      return () => value;
    }
    case "property": {
      const { source, property, type } = expression;
      if (source.kind === "it") return (row) => comparable(row[property.field], type.name);
      if (source.kind !== "property") return refuse();
      const outer = valueOf(source);
      return (row) => {
        const complex = outer(row);
        if (typeof complex !== "object" || complex === null) return null;
        return comparable(Reflect.get(complex, property.field), type.name);
      };
    }
    case "convert":
      return expression.operand.kind === "literal" || expression.operand.kind === "property"
        ? valueOf(expression.operand)
        : refuse();
    default:
      return refuse();
  }
}

const ORDER = {
  gt: (left: number, right: number) => left > right,
  ge: (left: number, right: number) => left >= right,
  lt: (left: number, right: number) => left < right,
  le: (left: number, right: number) => left <= right,
};

/** Compiles an expression. @throws ODataError for an unsupported expression */
function testOf(expression: Expression): Test {
  switch (expression.kind) {
    case "comparison": {
      const left = valueOf(expression.left);
      const right = valueOf(expression.right);
      const { operator } = expression;
      if (operator === "eq") return (row) => left(row) === right(row);
      if (operator === "ne") return (row) => left(row) !== right(row);
      return (row) => {
        const [one, other] = [left(row), right(row)];
        return one !== null && other !== null && ORDER[operator](one as number, other as number);
      };
    }
    case "in": {
      const operand = valueOf(expression.operand);
      const items = expression.items.map(valueOf);
      return (row) => items.some((item) => item(row) === operand(row));
    }
    case "logical": {
      const tests = expression.operands.map(testOf);
      const decisive = expression.operator === "or";
      return (row) => {
        const found = new Set(tests.map((test) => test(row)));
        if (found.has(decisive)) return decisive;
        return found.has(null) ? null : !decisive;
      };
    }
    case "not": {
      const test = testOf(expression.operand);
      return (row) => {
        const found = test(row);
        return found === null ? null : !found;
      };
    }
    default:
      return refuse();
  }
}

/** Applies a query to rows that are in the order of their keys. */
export function applyTo(rows: readonly Row[], query: CollectionQuery): { items: readonly Row[]; count: number } {
  const test = query.filter === null ? null : testOf(query.filter.expression);
  const terms = query.orderBy.map(({ expression, descending }) => ({ value: valueOf(expression), descending }));
  const found = test === null ? rows : rows.filter((row) => test(row) === true);
  const sorted = found.toSorted((left, right) => {
    for (const { value, descending } of terms) {
      const order = compareValues(value(left), value(right));
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
  const size = query.top ?? (query.pageSize === null ? sorted.length : query.pageSize + 1);
  return { items: sorted.slice(query.skip, query.skip + size), count: sorted.length };
}

function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  return (left as number) < (right as number) ? -1 : 1;
}
