import { protocolError, type ODataError } from "../../base/errors/odata-error.ts";
import type { Pace, Steps } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import { addDecimals, multiplyDecimals } from "../../edm/decimal-arithmetic.ts";
import { compareDecimals } from "../../edm/decimal.ts";
import { asNumber, asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import type {
  Aggregate,
  FilterClause,
  GroupKey,
  GroupStep,
  LimitStep,
  ReachedSum,
  RoundingMode,
  TotalsStep,
} from "../../language/query/clauses.ts";
import { isEach } from "../../language/query/each-item.ts";
import { type Accumulator, accumulatorOf, type SpendText } from "./accumulators.ts";
import { compiledFor, compiledPer, compileEach, type VisitValues } from "./compile-expression.ts";
import { compileRawSource, fieldOf } from "./compile-property.ts";
import { equalityText } from "./equality-text.ts";
import { asEntity, type CompiledExpression, type Evaluation, isObject } from "./evaluation.ts";
import { orderRows } from "./order-rows.ts";
import { compileShown } from "./shown-values.ts";
import { type Clause, visitRows } from "./visit-rows.ts";

/** The state of the steps of one pipeline. */
export interface StepRun {
  readonly roundingMode: RoundingMode;
  readonly evaluation: Evaluation;
  /** The most groups of one step; null: no limit. */
  readonly maxGroups: number | null;
}

/** The most characters that the values of all groups of a step may have: they are kept until its last row. */
const MAX_TEXT = 64_000_000;

/** A value by which rows are grouped. */
interface ReadKey {
  readonly field: string;
  readonly read: (entity: object, evaluation: Evaluation) => unknown;
  /** Returns the text of a value that `read` returned: equal exactly for equal values. */
  readonly textOf: (value: unknown) => string;
}

const NO_VALUE = "-";

const keyOf: (key: GroupKey, roundingMode: RoundingMode) => ReadKey = compiledPer((key, roundingMode) => {
  const { field } = key.property;
  if (key.kind === "value") {
    const read = compileShown(key.property, compiledFor(key, roundingMode));
    return { field, read, textOf: textOfValue(key.expression.type) };
  }
  const source = compileRawSource(key.source, []);
  const members = key.members.map((member) => keyOf(member, roundingMode));
  return {
    field,
    read: (entity, evaluation) => (source(entity, evaluation) === null ? null : readKeys(members, entity, evaluation)),
    textOf: (value) => (isObject(value) ? `{${textOfKeys(members, value)}}` : NO_VALUE),
  };
});

function textOfValue(type: Clause["expression"]["type"]): ReadKey["textOf"] {
  if (type === null) return () => NO_VALUE;
  if (type.kind !== "PrimitiveType" && type.kind !== "EnumType") throw new Error(`${type.name} has no equality.`);
  const textOf = equalityText(type);
  return (value) => {
    if (value === null) return NO_VALUE;
    // A compiled expression returns canonical values.
    const text = textOf(value as PrimitiveValue);
    return `${String(text.length)}:${text}`;
  };
}

function readKeys(keys: readonly ReadKey[], entity: object, evaluation: Evaluation): object {
  return Object.fromEntries(keys.map(({ field, read }) => [field, read(entity, evaluation)]));
}

function textOfKeys(keys: readonly ReadKey[], values: object): string {
  let text = "";
  for (const { field, textOf } of keys) text += textOf(fieldOf(values, field));
  return text;
}

/** A compiled aggregate. */
interface ReadAggregate {
  readonly field: string;
  /** The position of its condition among those of the step; null: none. */
  readonly condition: number | null;
  /** Null for `$count`. */
  readonly read: CompiledExpression | null;
  /** Visits the values of items; null for a value of each row. */
  readonly visit: VisitValues | null;
  readonly make: (spendText: SpendText) => Accumulator;
}

/** A compiled step. */
interface ReadGroups {
  readonly keys: readonly ReadKey[];
  /** The different conditions of the aggregates. */
  readonly conditions: readonly CompiledExpression[];
  readonly aggregates: readonly ReadAggregate[];
}

const operandOf = keptPer(({ expression }: Aggregate): Clause | null => expression && { expression });

/** A step that aggregates rows. */
type AggregateStep = GroupStep | TotalsStep;

const groupsOf = compiledPer(({ keys, aggregates }: AggregateStep, roundingMode: RoundingMode): ReadGroups => {
  const filters: readonly FilterClause[] = [...new Set(aggregates.flatMap(({ filter }) => filter ?? []))];
  return {
    keys: keys.map((key) => keyOf(key, roundingMode)),
    conditions: filters.map((filter) => compiledFor(filter, roundingMode)),
    aggregates: aggregates.map((aggregate) => {
      const operand = operandOf(aggregate);
      return {
        field: aggregate.property.field,
        condition: aggregate.filter === null ? null : filters.indexOf(aggregate.filter),
        read: operand && !isEach(operand.expression) ? compiledFor(operand, roundingMode) : null,
        visit: isEach(aggregate.expression) ? compileEach(aggregate.expression, roundingMode) : null,
        make: accumulatorOf(aggregate),
      };
    }),
  };
});

/** A group of rows. */
interface Group {
  /** The values of the keys, by field. */
  readonly values: ReadonlyArray<readonly [string, unknown]>;
  readonly accumulators: readonly Accumulator[];
}

/**
 * Groups rows in one pass, and returns one row for each group, as a plain object by the fields of its type: in the order in
 * which the groups appear. Without keys, it returns one row, even without rows to group.
 * @param rows the related entities that its expressions use are loaded
 * @throws ODataError `InvalidQueryOption` for more groups than `maxGroups`, or groups of very long values
 * @see docs/reference/apply.md; docs/reference/limits.md
 */
export function* groupRows(
  rows: Iterable<unknown>,
  step: GroupStep,
  run: StepRun,
  pace: Pace,
): Steps<readonly object[]> {
  const groups = yield* collectGroups(rows, step, run, pace, () => undefined);
  const totalsOf = totalsReader(step, run);
  const made: object[] = [];
  const finish = (group: unknown): boolean => {
    const { values } = group as Group;
    return made.push(Object.fromEntries([...values, ...totalsOf(group as Group)])) > 0;
  };
  yield* visitRows([...groups.values()], finish, pace, run.evaluation);
  return made;
}

/**
 * Returns for each row an object with the totals of its group, by the fields of the step. Rows of one group share it.
 * @param rows as for groupRows
 * @throws as groupRows
 */
export function* totalRows(
  rows: Iterable<unknown>,
  step: TotalsStep,
  run: StepRun,
  pace: Pace,
): Steps<readonly object[]> {
  const placed: Group[] = [];
  const groups = yield* collectGroups(rows, step, run, pace, (group) => placed.push(group));
  const totalsOf = totalsReader(step, run);
  const totals = new Map<Group, object>();
  for (const group of groups.values()) totals.set(group, Object.fromEntries(totalsOf(group)));
  return placed.map((group) => required(totals.get(group), "A row belongs to no group."));
}

function totalsReader(
  step: AggregateStep,
  { roundingMode }: StepRun,
): (group: Group) => ReadonlyArray<readonly [string, unknown]> {
  const { aggregates } = groupsOf(step, roundingMode);
  return ({ accumulators }) =>
    aggregates.map(({ field }, index) => [field, accumulators[index]?.result() ?? null] as const);
}

/** @param note receives the group of each row */
function* collectGroups(
  rows: Iterable<unknown>,
  step: AggregateStep,
  { roundingMode, evaluation, maxGroups }: StepRun,
  pace: Pace,
  note: (group: Group) => void,
): Steps<ReadonlyMap<string, Group>> {
  const { keys, conditions, aggregates } = groupsOf(step, roundingMode);
  const groups = new Map<string, Group>();
  const spendText = textBudget();
  // The values of the present row: most rows belong to a known group, so they need no object.
  const cells: unknown[] = keys.map(() => null);
  const meets: boolean[] = conditions.map(() => false);
  const makeGroup = (text: string): Group => {
    if (maxGroups !== null && groups.size >= maxGroups) throw tooManyGroups(maxGroups);
    spendText(text.length);
    const values = keys.map(({ field }, index) => [field, cells[index]] as const);
    const group = { values, accumulators: aggregates.map(({ make }) => make(spendText)) };
    groups.set(text, group);
    return group;
  };
  if (keys.length === 0) makeGroup("");
  const add = (row: unknown): boolean => {
    const entity = asEntity(row, step.inputType);
    let text = "";
    let index = 0;
    for (const { read, textOf } of keys) {
      const value = read(entity, evaluation);
      cells[index++] = value;
      text += textOf(value);
    }
    const group = groups.get(text) ?? makeGroup(text);
    note(group);
    const { accumulators } = group;
    index = 0;
    for (const condition of conditions) meets[index++] = condition(entity, evaluation) === true;
    index = 0;
    for (const { condition, read, visit } of aggregates) {
      const accumulator = accumulators[index++];
      if (condition !== null && meets[condition] !== true) continue;
      if (visit !== null) {
        evaluation.beginRow();
        visit(entity, evaluation, (value, item) => accumulator?.add(value, item));
        continue;
      }
      const value = read === null ? true : read(entity, evaluation);
      if (value !== null) accumulator?.add(value);
    }
    return true;
  };
  yield* visitRows(rows, add, pace, evaluation);
  return groups;
}

function textBudget(): SpendText {
  let characters = 0;
  return (length) => {
    characters += length;
    if (characters > MAX_TEXT) throw tooLongGroups();
  };
}

/**
 * Returns the rows that a limit keeps, in its order: of all rows, or of each group.
 * @param rows the related entities that its expressions use are loaded
 * @see docs/reference/apply.md
 */
export function* limitRows(
  rows: readonly unknown[],
  step: LimitStep,
  { roundingMode, evaluation }: StepRun,
  pace: Pace,
): Steps<readonly unknown[]> {
  const { orderBy, partition, inputType } = step;
  const skip = countOf(step.skip, evaluation) ?? 0;
  const top = countOf(step.top, evaluation);
  const query = { shape: { entityType: inputType, roundingMode }, filter: null, orderBy, count: false };
  if (partition.length === 0 && step.reach === undefined) {
    return yield* orderRows(rows, { ...query, skip, top }, evaluation, pace);
  }
  const ordered = yield* orderRows(rows, { ...query, skip: 0, top: undefined }, evaluation, pace);
  if (step.reach !== undefined) {
    return yield* rowsUpToSum(ordered, step.reach, step, { roundingMode, evaluation }, pace);
  }
  const keys = partition.map((key) => keyOf(key, roundingMode));
  const spendText = textBudget();
  const seen = new Map<string, number>();
  const kept: unknown[] = [];
  const end = skip + (top ?? Number.POSITIVE_INFINITY);
  const keep = (row: unknown): boolean => {
    const text = textOfKeys(keys, readKeys(keys, asEntity(row, inputType), evaluation));
    const position = seen.get(text) ?? 0;
    if (position === 0) spendText(text.length);
    seen.set(text, position + 1);
    if (position >= skip && position < end) kept.push(row);
    return true;
  };
  yield* visitRows(ordered, keep, pace, evaluation);
  return kept;
}

/** The rows of a group, of which some are kept. */
interface SummedGroup {
  sum: PrimitiveValue;
  /** The sum that ends the rows to keep; null: not known yet. */
  end: PrimitiveValue | null;
}

/** Keeps the first rows of each group until the sum of their values reaches a number. */
function* rowsUpToSum(
  rows: readonly unknown[],
  reach: ReachedSum,
  { partition, inputType }: LimitStep,
  { roundingMode, evaluation }: Pick<StepRun, "roundingMode" | "evaluation">,
  pace: Pace,
): Steps<readonly unknown[]> {
  const { isPercent, target } = reach;
  const number = target.kind === "literal" ? target.value : evaluation.values[target.index];
  const wanted = typeof number === "number" ? number : asText(number ?? "0");
  const math = typeof wanted === "number" ? DOUBLES : DECIMALS;
  if (isPercent && (math.compare(wanted, math.zero) <= 0 || math.compare(wanted, math.hundred) > 0)) {
    throw protocolError("InvalidQueryOption", "A percentage is more than 0, and at most 100.", { target: "$apply" });
  }
  const keys = partition.map((key) => keyOf(key, roundingMode));
  const read = compiledFor(reach, roundingMode);
  const spendText = textBudget();
  const groups = new Map<string, SummedGroup>();
  const visit =
    (use: (group: SummedGroup, value: PrimitiveValue, row: unknown) => void) =>
    (row: unknown): boolean => {
      const entity = asEntity(row, inputType);
      const value = read(entity, evaluation);
      if (value === null) return true;
      const text = textOfKeys(keys, readKeys(keys, entity, evaluation));
      let group = groups.get(text);
      if (group === undefined) {
        spendText(text.length);
        groups.set(text, (group = { sum: math.zero, end: isPercent ? null : wanted }));
      }
      use(group, value, row);
      return true;
    };
  const add = (group: SummedGroup, value: PrimitiveValue): void => {
    group.sum = math.add(group.sum, value);
  };
  if (isPercent) {
    yield* visitRows(rows, visit(add), pace, evaluation);
    for (const group of groups.values()) {
      group.end = math.percent(group.sum, wanted);
      group.sum = math.zero;
    }
  }
  const kept: unknown[] = [];
  const keep = visit((group, value, row) => {
    if (group.end === null || math.compare(group.sum, group.end) >= 0) return;
    kept.push(row);
    add(group, value);
  });
  yield* visitRows(rows, keep, pace, evaluation);
  return kept;
}

/** Sums of one type. */
interface Sums {
  readonly zero: PrimitiveValue;
  readonly hundred: PrimitiveValue;
  readonly add: (left: PrimitiveValue, right: PrimitiveValue) => PrimitiveValue;
  readonly percent: (sum: PrimitiveValue, percent: PrimitiveValue) => PrimitiveValue | null;
  readonly compare: (left: PrimitiveValue, right: PrimitiveValue) => number;
}

const DOUBLES: Sums = {
  zero: 0,
  hundred: 100,
  add: (left, right) => asNumber(left) + asNumber(right),
  percent: (sum, percent) => (asNumber(sum) * asNumber(percent)) / 100,
  compare: (left, right) => asNumber(left) - asNumber(right),
};

const DECIMALS: Sums = {
  zero: "0",
  hundred: "100",
  add: (left, right) => required(addDecimals(asText(left), asText(right)), "A sum has too many digits."),
  percent: (sum, percent) => multiplyDecimals(multiplyDecimals(asText(sum), asText(percent)) ?? "0", "0.01"),
  compare: (left, right) => compareDecimals(asText(left), asText(right)),
};

function countOf(count: LimitStep["top"], { values }: Evaluation): number | undefined {
  if (count === null) return undefined;
  return Number(count.kind === "literal" ? count.value : values[count.index]);
}

function tooManyGroups(maxGroups: number): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `A step of $apply makes more than ${String(maxGroups)} groups: filter the entities before it, or group them by fewer values.`,
    { target: "$apply" },
  );
}

function tooLongGroups(): ODataError {
  return protocolError(
    "InvalidQueryOption",
    `The groups of a step of $apply have more than ${String(MAX_TEXT)} characters: filter the entities before it, or group them by shorter values.`,
    { target: "$apply" },
  );
}
