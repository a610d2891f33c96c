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

type Steps = NonNullable<CollectionQuery["apply"]>["branches"][0]["steps"];
type Terms = CollectionQuery["orderBy"];

function sortedBy(rows: readonly Row[], orderBy: Terms): readonly Row[] {
  const terms = orderBy.map(({ expression, descending }) => ({ value: valueOf(expression), descending }));
  return rows.toSorted((left, right) => {
    for (const { value, descending } of terms) {
      const order = compareValues(value(left), value(right));
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

/** Returns the value of a property as it is stored. */
function storedValue(expression: Expression | null): (row: Row) => unknown {
  if (expression?.kind !== "property" || expression.source.kind !== "it") return refuse();
  const { field } = expression.property;
  return (row) => row[field] ?? null;
}

/** Returns a reader of the values of a group: numbers of rows, integers and ends of single properties. */
function aggregateOf({ method, expression, filter }: Extract<Steps[number], { kind: "group" }>["aggregates"][number]) {
  const test = filter === null ? () => true : testOf(filter.expression);
  const counted = (rows: readonly Row[]): readonly Row[] => rows.filter((row) => test(row) === true);
  if (method === "count") return (rows: readonly Row[]): unknown => String(counted(rows).length);
  if (expression === null || method === "average") return refuse();
  const read = storedValue(expression);
  const value = valueOf(expression);
  const known = (rows: readonly Row[]): readonly Row[] => counted(rows).filter((row) => read(row) !== null);
  if (method === "countdistinct") return (rows: readonly Row[]) => String(new Set(known(rows).map(value)).size);
  if (method === "sum") {
    if (!["Edm.Int16", "Edm.Int32"].includes(expression.type?.name ?? "")) return refuse();
    const add = (sum: bigint, row: Row): bigint => sum + BigInt(read(row) as number);
    return (rows: readonly Row[]) => (known(rows).length === 0 ? null : known(rows).reduce(add, 0n));
  }
  const sign = method === "min" ? 1 : -1;
  return (rows: readonly Row[]) => {
    const [first] = known(rows).toSorted((left, right) => sign * compareValues(value(left), value(right)));
    return first === undefined ? null : read(first);
  };
}

/** Applies the steps of `$apply`, and refuses unknown steps before it reads a row. */
function stepsOf(steps: Steps): (rows: readonly Row[]) => readonly Row[] {
  const compiled = steps.map((step): ((rows: readonly Row[]) => readonly Row[]) => {
    if (step.kind === "filter") {
      const test = testOf(step.filter.expression);
      return (rows) => rows.filter((row) => test(row) === true);
    }
    if (step.kind === "limit") {
      const [skip, top] = [step.skip, step.top].map((count) =>
        count?.kind === "literal" ? Number(count.value) : null,
      );
      if (step.partition.length > 0) return refuse();
      return (rows) =>
        sortedBy(rows, step.orderBy).slice(skip ?? 0, top === null ? undefined : (skip ?? 0) + (top ?? 0));
    }
    if (step.kind !== "group") return refuse();
    const keys = step.keys.map((key) => {
      if (key.kind !== "value") return refuse();
      return [key.property.field, storedValue(key.expression), valueOf(key.expression)] as const;
    });
    const aggregates = step.aggregates.map((each) => [each.property.field, aggregateOf(each)] as const);
    return (rows) => {
      const groups = new Map<string, Row[]>(keys.length === 0 ? [["[]", []]] : []);
      for (const row of rows) {
        const text = JSON.stringify(keys.map(([, , value]) => String(value(row)) + typeof value(row)));
        groups.set(text, [...(groups.get(text) ?? []), row]);
      }
      return Array.from(groups.values(), (members) => {
        const values = keys.map(
          ([field, read]) => [field, members[0] === undefined ? null : read(members[0])] as const,
        );
        return Object.fromEntries([...values, ...aggregates.map(([field, read]) => [field, read(members)] as const)]);
      });
    };
  });
  return (rows) => compiled.reduce((before, apply) => apply(before), rows);
}

/** Applies a query to rows that are in the order of their keys. */
export function applyTo(given: readonly Row[], query: CollectionQuery): { items: readonly Row[]; count: number } {
  const test = query.filter === null ? null : testOf(query.filter.expression);
  const [branch] = query.apply?.branches ?? [];
  const rows = branch === undefined ? given : sortedBy(stepsOf(branch.steps)(given), branch.orderBy);
  const found = test === null ? rows : rows.filter((row) => test(row) === true);
  const sorted = sortedBy(found, query.orderBy);
  const size = query.pageSize === null ? (query.top ?? sorted.length) : query.pageSize + 1;
  return { items: sorted.slice(query.skip, query.skip + size), count: sorted.length };
}

function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  return (left as number) < (right as number) ? -1 : 1;
}
