import { keptPer } from "../../base/memo.ts";
import { assertNever } from "../../base/required.ts";
import { hasEnumFlags } from "../../edm/enum-codec.ts";
import { asText, type PrimitiveValue } from "../../edm/value-codec.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import { makesText } from "../../language/query/computed-text.ts";
import { areOwned, type EachExpression, isEach } from "../../language/query/each-item.ts";
import type {
  CallExpression,
  CountExpression,
  Expression,
  HasExpression,
  CollectionPath,
  LambdaExpression,
  ScalarType,
} from "../../language/query/expression.ts";
import { childrenOf } from "../../language/query/walk-expression.ts";
import { compileArithmetic, compileNegation } from "./arithmetic.ts";
import { canonicalKind, canonicalTest, type CanonicalTest } from "./canonical-test.ts";
import { requireParameter, compileComparison, compileIn } from "./compile-comparison.ts";
import {
  compileCount,
  compileIt,
  compileProperty,
  compileVariable,
  type VariableSlots,
  compileRawSource,
  describePath,
  invalidHandlerValue,
  toCanonical,
  type RawAccessor,
  type VariableSlot,
} from "./compile-property.ts";
import { conversion } from "./convert.ts";
import { equalityText } from "./equality-text.ts";
import type { CompiledExpression, CompiledPredicate, Evaluation } from "./evaluation.ts";
import { FUNCTION_LIBRARY } from "./function-library.ts";
import { cheapestFirst, type Clause, itemsOf } from "./visit-rows.ts";
import { withinLimit } from "./within-text.ts";

/**
 * Compiles a bound expression to a closure that evaluates it for one entity. Compile once per shape: the closure
 * depends only on the expression, and serves all requests of the shape.
 * @param expression a bound expression of a primitive or enum type; its depth is limited by the parser
 * @param roundingMode how `round()` rounds a midpoint
 * @returns the closure, which throws a TypeError for a value of another type than its property
 * @see OData URL Conventions 4.0, section 5.1.1
 */
export function compileExpression(expression: Expression, roundingMode: RoundingMode): CompiledExpression {
  return compileWithin(expression, roundingMode, []);
}

/** Compiles an expression within lambda operators. */
function compileWithin(expression: Expression, roundingMode: RoundingMode, slots: VariableSlots): CompiledExpression {
  const compile = (operand: Expression): CompiledExpression => compileWithin(operand, roundingMode, slots);
  switch (expression.kind) {
    case "parameter":
      return compileParameter(expression.index);
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "null":
      return () => null;
    case "root":
    case "navigation":
      throw new Error("An entity has no value that could be compared.");
    case "it":
      return compileIt(expression);
    case "variable":
      return compileVariable(expression, slots);
    case "property":
      return compileProperty(expression, slots);
    case "count":
      return compileItemCount(expression, slots);
    case "lambda":
      return compileLambda(expression, slots, (predicate, inner) => compileWithin(predicate, roundingMode, inner));
    case "comparison":
      return compileComparison(expression, slots, compile);
    case "logical": {
      const operands = cheapestFirst(expression.operands).map(compile);
      return expression.operator === "and" ? compileAnd(operands) : compileOr(operands);
    }
    case "not":
      return compileNot(compile(expression.operand));
    case "arithmetic":
      return compileArithmetic(expression, compile);
    case "negate":
      return compileNegation(expression, compile);
    case "call":
      return withinLimit(expression, compileCall(expression, roundingMode, slots), compile);
    case "in":
      return compileIn(expression, compile);
    case "has":
      return compileHas(expression, compile);
    case "convert":
      return compileConversion(compile(expression.operand), conversion(expression.type));
    default:
      return assertNever(expression);
  }
}

/** Compiles a call. Texts within a computed text are judged with it. */
function compileCall(expression: CallExpression, roundingMode: RoundingMode, slots: VariableSlots): CompiledExpression {
  const operands = expression.arguments.map((each) => {
    const isPart = makesText(expression) && makesText(each);
    const operand = isPart ? compileCall(each, roundingMode, slots) : compileWithin(each, roundingMode, slots);
    return slots.length === 0 ? operand : spendText(operand);
  });
  return FUNCTION_LIBRARY[expression.name]({ expression, operands, roundingMode });
}

function compileParameter(index: number): CompiledExpression {
  return (_entity, evaluation) => requireParameter(evaluation, index);
}

/** The characters of a text that a function reads in the time of one item. */
const CHARACTERS_PER_ITEM = 256;

/** Spends items for long texts that a function reads within a lambda operator. */
function spendText(operand: CompiledExpression): CompiledExpression {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    if (typeof value === "string" && value.length >= CHARACTERS_PER_ITEM) {
      evaluation.spendRowItems(Math.floor(value.length / CHARACTERS_PER_ITEM));
      evaluation.readAsItems(value.length);
    }
    return value;
  };
}

function compileItemCount(expression: CountExpression, slots: VariableSlots): CompiledExpression {
  const count = compileCount(expression.collection, slots);
  if (expression.type.name !== "Edm.Int64") return count;
  return (entity, evaluation) => {
    const items = count(entity, evaluation);
    return items === null ? null : BigInt(items);
  };
}

function compileConversion(
  operand: CompiledExpression,
  convert: (value: PrimitiveValue) => PrimitiveValue | null,
): CompiledExpression {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? null : convert(value);
  };
}

/** Makes a function that compiles once per object and rounding mode, so that later requests of a shape compile nothing. */
export function compiledPer<O extends object, V>(
  compile: (owner: O, roundingMode: RoundingMode) => V,
): (owner: O, roundingMode: RoundingMode) => V {
  const compiled: Readonly<Record<RoundingMode, (owner: O) => V>> = {
    "spec-compliant": keptPer((owner: O) => compile(owner, "spec-compliant")),
    BankersRounding: keptPer((owner: O) => compile(owner, "BankersRounding")),
  };
  return (owner, roundingMode) => compiled[roundingMode](owner);
}

/** Returns the closure of an expression. */
export const compiledFor: (clause: Clause, roundingMode: RoundingMode) => CompiledExpression = compiledPer(
  (clause, roundingMode) => {
    const evaluate = compileExpression(clause.expression, roundingMode);
    if (!hasLambda(clause)) return evaluate;
    return (entity, evaluation) => {
      evaluation.beginRow();
      return evaluate(entity, evaluation);
    };
  },
);

/** Whether an expression has `any` or `all`, whose evaluation may take long for a single entity. */
export const hasLambda: (clause: Clause) => boolean = keptPer(({ expression }: Clause) => containsLambda(expression));

function containsLambda(expression: Expression): boolean {
  return expression.kind === "lambda" || childrenOf(expression).some(containsLambda);
}

/**
 * Compiles three-valued `and`: false when an operand is false, else null when one is null, else true. Operands after a
 * false one are not evaluated.
 * @see OData URL Conventions 4.0, section 5.1.1.1.7
 */
function compileAnd(operands: readonly CompiledExpression[]): CompiledPredicate {
  return compileJunction(operands, false);
}

/**
 * Compiles three-valued `or`: true when an operand is true, else null when one is null, else false. Operands after a
 * true one are not evaluated.
 * @see OData URL Conventions 4.0, section 5.1.1.1.8
 */
function compileOr(operands: readonly CompiledExpression[]): CompiledPredicate {
  return compileJunction(operands, true);
}

/** @param decisive the value of an operand that decides the result */
function compileJunction(operands: readonly CompiledExpression[], decisive: boolean): CompiledPredicate {
  const [first, second] = operands;
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return (entity, evaluation) => {
      const left = first(entity, evaluation);
      if (left === decisive) return decisive;
      const right = second(entity, evaluation);
      if (right === decisive) return decisive;
      return left === null || right === null ? null : !decisive;
    };
  }
  return (entity, evaluation) => {
    let result: boolean | null = !decisive;
    for (const operand of operands) {
      const value = operand(entity, evaluation);
      if (value === decisive) return decisive;
      if (value === null) result = null;
    }
    return result;
  };
}

/** Compiles three-valued `not`: null for null. @see OData URL Conventions 4.0, section 5.1.1.1.9 */
function compileNot(operand: CompiledExpression): CompiledPredicate {
  return (entity, evaluation) => {
    const value = operand(entity, evaluation);
    return value === null ? null : value === false;
  };
}

/**
 * Compiles `operand has flags`: whether all flags of the right value are set in the left; null when one is null.
 * @param compile compiles an operand
 * @see OData URL Conventions 4.0, section 5.1.1.1.10
 */
function compileHas(
  expression: HasExpression,
  compile: (operand: Expression) => CompiledExpression,
): CompiledPredicate {
  const type = expression.operand.type;
  if (type === null || expression.operand.kind === "null") return () => null;
  if (type.kind !== "EnumType") throw new Error(`"has" needs an enumeration, not ${type.name}.`);
  const operand = compile(expression.operand);
  const flags = compile(expression.flags);
  return (entity, evaluation) => {
    const left = operand(entity, evaluation);
    const right = flags(entity, evaluation);
    if (left === null || right === null) return null;
    return hasEnumFlags(type, asText(left), asText(right));
  };
}

/**
 * Calls `visit` with the operand of an aggregate: the value of an entity, or of each item of a collection, unless it is null.
 * `item` identifies the item.
 */
export type VisitValues = (
  entity: object,
  evaluation: Evaluation,
  visit: (value: PrimitiveValue, item?: string) => void,
) => void;

/** Compiles the operand of an aggregate, which throws as `compileExpression` and `compileLambda`. */
export function compileEach(
  expression: EachExpression,
  roundingMode: RoundingMode,
  slots: VariableSlots = [],
  hasKeys: boolean = !areOwned(expression),
): VisitValues {
  const { collection, predicate, depth } = expression;
  const read = compileItems(collection, slots);
  const slot: VariableSlot = { value: null, object: null };
  const place = placeItem(collection, slot);
  const inner = [...slots, slot];
  const source = { kind: "variable", depth, type: collection.type } as const;
  const keys = (hasKeys ? collection.type.key : []).map((property) => {
    const { type } = property;
    const value = compileProperty({ kind: "property", source, property, type }, inner);
    const textOf = equalityText(type as ScalarType);
    return (entity: object, evaluation: Evaluation) => textOf(value(entity, evaluation) ?? "");
  });
  const isNested = isEach(predicate);
  const operand = predicate === null || isNested ? null : compileWithin(predicate, roundingMode, inner);
  const below = isNested ? compileEach(predicate, roundingMode, inner, hasKeys) : null;
  const visitItem: VisitValues = (entity, evaluation, visit) => {
    const value = operand === null ? true : operand(entity, evaluation);
    if (value === null) return;
    if (hasKeys) visit(value, JSON.stringify(keys.map((keyOf) => keyOf(entity, evaluation))));
    else visit(value);
  };
  return (entity, evaluation, visit) => {
    const items = read(entity, evaluation) ?? [];
    evaluation.spendItems(items.length);
    const { value, object } = slot;
    try {
      for (const item of items) {
        evaluation.spendRowItems(1);
        place(item);
        (below ?? visitItem)(entity, evaluation, visit);
      }
    } finally {
      slot.value = value;
      slot.object = object;
    }
  };
}

/** Compiles a predicate whose variables are in the slots. */
type CompilePredicate = (predicate: Expression, slots: VariableSlots) => CompiledExpression;

/** Puts an item of the application into a slot. */
type PlaceItem = (item: unknown) => void;

/** Reads the items of a collection; null where it is null. */
type ReadItems = (entity: object, evaluation: Evaluation) => readonly unknown[] | null;

/**
 * Compiles `any` and `all`. Their value is never null: an item counts only if its predicate is true, so null counts like
 * false. A collection that is null, or below a null value, has no items: `any` is false for it, and `all` true. No item
 * after the deciding one is evaluated. A row cannot pause, so its operators spend a budget of items.
 * @param slots the range variables of the surrounding lambda operators
 * @returns the closure, which throws a TypeError for a value that is not an array and for an item of another type, and
 *   an ODataError `InvalidQueryOption` where operators evaluate too many items
 * @see OData URL Conventions 4.0, section 5.1.1.5
 */
function compileLambda(
  expression: LambdaExpression,
  slots: VariableSlots,
  compile: CompilePredicate,
): CompiledPredicate {
  const { collection, operator, predicate } = expression;
  const read = compileItems(collection, slots);
  const isAll = operator === "all";
  if (predicate === null) return (entity, evaluation) => (read(entity, evaluation)?.length ?? 0) > 0;
  const slot: VariableSlot = { value: null, object: null };
  const place = placeItem(collection, slot);
  const test = compile(predicate, [...slots, slot]);
  const weight = itemsOf(predicate);
  // Entities share their related entities, so a few entities can have many items.
  const isCounted = slots.length > 0 || collection.kind === "navigation";
  return (entity, evaluation) => {
    const items = read(entity, evaluation);
    if (items === null) return isAll;
    // A getter of the application may run the same query, so the slot is restored afterwards.
    const { value, object } = slot;
    let index = 0;
    let isDecided = false;
    try {
      while (index < items.length && !isDecided) {
        evaluation.spendRowItems(weight);
        place(items[index]);
        isDecided = (test(entity, evaluation) === true) !== isAll;
        index += 1;
      }
    } finally {
      slot.value = value;
      slot.object = object;
    }
    if (isCounted) evaluation.spendItems(index);
    return isDecided !== isAll;
  };
}

function compileItems(collection: CollectionPath, slots: VariableSlots): ReadItems {
  const raw: RawAccessor = compileRawSource(collection, slots);
  const path = describePath(collection);
  const isSingle = collection.kind === "navigation" && !collection.navigationProperty.isCollection;
  return (entity, evaluation) => {
    const value = raw(entity, evaluation);
    if (value === null) return null;
    if (isSingle) return [value];
    if (!Array.isArray(value)) throw invalidHandlerValue(path, "a collection", value);
    const items: readonly unknown[] = value;
    return items;
  };
}

/** Puts items into the slot. Each is converted to canonical form once, however often the predicate uses it. */
function placeItem(collection: CollectionPath, slot: VariableSlot): PlaceItem {
  if (collection.kind === "navigation") {
    return (item) => {
      slot.object = item as object;
    };
  }
  const { type } = collection;
  if (type.kind === "ComplexType") {
    const path = describePath(collection);
    return (item) => {
      if (item !== null && item !== undefined && typeof item !== "object") {
        throw invalidHandlerValue(path, type.name, item);
      }
      slot.object = item ?? null;
    };
  }
  const canonical = toCanonical(collection);
  const kind = canonicalKind(type);
  const isCanonical: CanonicalTest = kind === null ? canonicalTest(type) : (item) => typeof item === kind;
  return (item) => {
    slot.value = isCanonical(item) ? (item as VariableSlot["value"]) : canonical(item);
  };
}
