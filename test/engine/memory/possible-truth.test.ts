import fc from "fast-check";
import { allRows, edm, entitySet, entityType, noRows, type RowPredicate } from "odatakit";
import { describe, expect, test } from "vitest";
import { bindAnnotations } from "../../../src/definition/annotations/bind-annotations.ts";
import { compileRowRule } from "../../../src/definition/sets/authorization.ts";
import { buildServiceDefinition } from "../../../src/definition/startup/build-service-definition.ts";
import type { RowCondition } from "../../../src/definition/types/row-conditions.ts";
import { canBeTrue } from "../../../src/engine/memory/can-be-true.ts";
import { compiledFor } from "../../../src/engine/memory/compile-expression.ts";
import { fieldOf } from "../../../src/engine/memory/compile-property.ts";
import { Evaluation } from "../../../src/engine/memory/evaluation.ts";
import { ROW_RULES } from "../../../src/engine/reads/gate.ts";

type VaryingRowCondition = Extract<RowCondition, object>;

const Thing = entityType("Thing", {
  id: edm.int32().key(),
  a: edm.int32().nullable(),
  b: edm.int32().nullable(),
  text: edm.string().nullable(),
});

const silent = (): void => undefined;
const { model } = buildServiceDefinition(
  { entitySets: [entitySet(Thing, { getAll: () => [] })] },
  { error: silent, warn: silent, info: silent },
  ROW_RULES,
  bindAnnotations,
);
const { entitySets } = model.entityContainer;

interface Operand {
  eq(value: number): RowPredicate;
  gt(value: number): RowPredicate;
  in(values: readonly number[]): RowPredicate;
  isNull(): RowPredicate;
}
interface Row {
  readonly a: Operand;
  readonly b: Operand;
  readonly text: { startsWith(text: string): RowPredicate; isNull(): RowPredicate };
}
type Rule = (row: Row) => RowPredicate;

function conditionOf(rule: Rule): VaryingRowCondition | "all" | "none" {
  const things = entitySets.get("Things");
  if (things === undefined) throw new Error("The model lacks its set.");
  return compileRowRule((_user, row) => rule(row as Row), things, entitySets).conditionFor({});
}

/** Whether a rule can be true for an entity with only some known fields. */
function possible(rule: Rule, entity: object): boolean {
  const condition = conditionOf(rule);
  if (typeof condition === "string") return condition === "all";
  return canBeTrue(condition.filter, {
    entity,
    evaluation: new Evaluation(condition.values),
    isKnown: (step) => step.kind === "property" && fieldOf(entity, step.property.field) !== undefined,
  });
}

describe("conditions that cannot be true, whatever the unknown values are", () => {
  test.each<[string, Rule, object, boolean]>([
    ["a comparison that is known", ({ a }) => a.eq(1), { a: 2 }, false],
    ["a comparison that is known to hold", ({ a }) => a.eq(1), { a: 1 }, true],
    ["a comparison of what is unknown", ({ a }) => a.eq(1), {}, true],
    ["a conjunction with what is false", ({ a, b }) => a.eq(1).and(b.eq(1)), { a: 2 }, false],
    ["a conjunction with what is unknown", ({ a, b }) => a.eq(1).and(b.eq(1)), { a: 1 }, true],
    ["a disjunction with what is unknown", ({ a, b }) => a.eq(1).or(b.eq(1)), { a: 2 }, true],
    ["a disjunction of what is false", ({ a, b }) => a.eq(1).or(b.eq(1)), { a: 2, b: 2 }, false],
    ["the contrary of what is true", ({ a }) => a.eq(1).not(), { a: 1 }, false],
    ["the contrary of what is unknown", ({ a }) => a.eq(1).not(), {}, true],
    ["a list", ({ a }) => a.in([1, 2]), { a: 3 }, false],
    ["what is null", ({ a }) => a.isNull(), { a: null }, true],
    ["what is no null", ({ a }) => a.isNull(), { a: 1 }, false],
    ["a beginning of null, which is neither true nor false", ({ text }) => text.startsWith("x"), { text: null }, false],
    ["the contrary of that", ({ text }) => text.startsWith("x").not(), { text: null }, false],
    ["null together with what is unknown", ({ text, a }) => text.startsWith("x").and(a.eq(1)), { text: null }, false],
    ["null beside what is unknown", ({ text, a }) => text.startsWith("x").or(a.eq(1)), { text: null }, true],
    ["all rows", () => allRows, {}, true],
    ["no rows", () => noRows, {}, false],
  ])("%s", (_name, rule, entity, expected) => {
    expect(possible(rule, entity)).toBe(expected);
  });
});

const numbers = fc.constantFrom(0, 1, 2);
const fields = fc.constantFrom("a" as const, "b" as const);
const leaves: fc.Arbitrary<Rule> = fc.oneof(
  fc.tuple(fields, numbers).map(
    ([field, value]): Rule =>
      (row) =>
        row[field].eq(value),
  ),
  fc.tuple(fields, numbers).map(
    ([field, value]): Rule =>
      (row) =>
        row[field].gt(value),
  ),
  fc.tuple(fields, fc.array(numbers)).map(
    ([field, values]): Rule =>
      (row) =>
        row[field].in(values),
  ),
  fields.map(
    (field): Rule =>
      (row) =>
        row[field].isNull(),
  ),
  fc.constantFrom("", "x").map(
    (start): Rule =>
      ({ text }) =>
        text.startsWith(start),
  ),
);
const { rule: rules } = fc.letrec<{ rule: Rule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    tie("rule").map(
      (inner): Rule =>
        (row) =>
          inner(row).not(),
    ),
    fc.tuple(tie("rule"), tie("rule"), fc.boolean()).map(
      ([left, right, isAnd]): Rule =>
        (row) =>
          isAnd ? left(row).and(right(row)) : left(row).or(right(row)),
    ),
  ),
}));
const entities = fc.record({
  a: fc.constantFrom(null, 0, 1, 2),
  b: fc.constantFrom(null, 0, 1, 2),
  text: fc.constantFrom(null, "", "x", "xy"),
});

describe("for all rules", () => {
  const isTrue = (rule: Rule, entity: object): boolean => {
    const condition = conditionOf(rule);
    if (typeof condition === "string") return condition === "all";
    return compiledFor(condition.filter, "spec-compliant")(entity, new Evaluation(condition.values)) === true;
  };

  test("a condition of a wholly known entity can be true only if it is true", () => {
    fc.assert(fc.property(rules, entities, (rule, entity) => possible(rule, entity) === isTrue(rule, entity)));
  });

  test("a condition that is true for an entity is possible for every part of it", () => {
    fc.assert(
      fc.property(rules, entities, fc.subarray(["a", "b", "text"]), (rule, entity, unknown) => {
        const part = Object.fromEntries(Object.entries(entity).filter(([field]) => !unknown.includes(field)));
        return !isTrue(rule, entity) || possible(rule, part);
      }),
    );
  });
});
