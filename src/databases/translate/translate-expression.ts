import { sql } from "kysely";
import { required } from "../../base/required.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { RoundingMode } from "../../language/query/clauses.ts";
import { makesText, textParts } from "../../language/query/computed-text.ts";
import type {
  CallExpression,
  ComparisonExpression,
  Expression,
  LogicalExpression,
  PathSource,
  PropertyExpression,
  VariableExpression,
  ArithmeticExpression,
  NegateExpression,
  ScalarType,
} from "../../language/query/expression.ts";
import { isPath } from "../../language/query/walk-expression.ts";
import type { Database } from "../forms/database.ts";
import type { DialectValues, Term } from "../forms/dialect-values.ts";
import { memberName } from "../forms/translate-call.ts";
import { bindFormed, type SqlConstant } from "../statement/parameter-slot.ts";
import { type Sql, type SqlForm, toComputable } from "../statement/sql-form.ts";
import {
  NULL_OPERAND,
  type ConditionMode,
  type SqlOperand,
  type Translator,
  type RowOperand,
} from "../statement/sql-operand.ts";
import { unfoldOf, withColumn } from "./constant-condition.ts";
import { findPath, itemOf } from "./find-path.ts";
import type { PathScope } from "./path-scope.ts";
import { readingCondition } from "./reading-condition.ts";
import { Relation } from "./relation.ts";
import { groupByCalls, keyOfCall, type SharedResults, groupByNavigation } from "./shared-navigation.ts";
import {
  booleanLiteral,
  equalsConstant,
  NULL_CONDITION,
  translateComparison,
  translateHas,
} from "./translate-comparison.ts";
import { translateIn, costOf, joinBalanced } from "./translate-in.ts";
import { translateLambda } from "./translate-lambda.ts";
import { translateCount, translateProperty, translateStructuredNull } from "./translate-property.ts";
import { translateSemiJoin } from "./translate-semi-join.ts";
import { withinLimit } from "./within-text.ts";

const TRUE: SqlConstant = Object.freeze({ kind: "fixed", value: true });

/** The kinds of operands that a row computes. */
const OPERATIONS: ReadonlySet<Expression["kind"]> = new Set(["arithmetic", "negate", "convert"] as const);

/** The context of a translation. */
interface TranslationContext {
  readonly profile: Database;
  readonly scope: PathScope;
  readonly roundingMode: RoundingMode;
  /** The results of calls that are computed once for several conditions, by key. */
  readonly shared?: SharedResults | undefined;
}

/**
 * Makes the translator of bound expressions to SQL. Every literal becomes a bound value, and names come only from the
 * columns of the model. A translated expression has the same value as in the executor over arrays. The parser limits depth.
 * @see OData URL Conventions 4.0, section 5.1.1
 */
export function makeTranslator(context: TranslationContext): Translator {
  const { notes } = context.scope.statement;
  const translator: Translator = {
    operand: (expression) => {
      if (OPERATIONS.has(expression.kind)) notes.operation();
      const translate = (): SqlOperand => translateOperand(expression, translator, context);
      return expression.kind === "property" ? translate() : notes.computing(translate);
    },
    condition: (expression, mode) => {
      notes.operation();
      // A search finds a row for each item.
      if (expression.kind === "in") notes.operation(undefined, expression.items.length);
      return readingCondition(expression, notes, () => translateCondition(expression, mode, translator, context));
    },
  };
  return translator;
}

function translateOperand(expression: Expression, translator: Translator, context: TranslationContext): SqlOperand {
  switch (expression.kind) {
    case "parameter":
      return { kind: "constant", constant: { kind: "parameter", index: expression.index }, type: expression.type };
    case "literal":
      return { kind: "constant", constant: { kind: "fixed", value: expression.value }, type: expression.type };
    case "null":
      return NULL_OPERAND;
    case "property":
      return translateProperty(expression, context.scope);
    case "variable":
      return translateVariable(expression, context.scope);
    case "count":
      return translateCount(expression, context.scope);
    case "arithmetic":
      return translateArithmetic(
        expression,
        translateTerm(expression.left, translator, context),
        translateTerm(expression.right, translator, context),
        context.profile.values,
      );
    case "negate":
      return translateNegation(
        expression,
        translateTerm(expression.operand, translator, context),
        context.profile.values,
      );
    case "convert": {
      const operand = translateTerm(expression.operand, translator, context);
      if (operand.kind === "null") return operand;
      if (operand.kind === "constant") return { ...operand, type: expression.type };
      if (expression.operand.type?.kind === "EnumType") {
        return memberName(operand, expression.operand.type, context.profile.values);
      }
      return context.profile.values.convert(expression, operand);
    }
    case "call":
      return translateCall(expression, translator, context);
    case "comparison":
    case "logical":
    case "not":
    case "in":
    case "has":
    case "lambda":
      return {
        kind: "row",
        sql: sql`(${translator.condition(expression, "exact")})`,
        form: booleanForm(context.profile),
        nulls: "computed",
      };
    default:
      return refuseKind(expression);
  }
}

/** Throws for entities, which have no value to compare. */
function refuseKind({ kind }: Extract<Expression, { readonly kind: "it" | "root" | "navigation" }>): never {
  throw new Error(`An operand cannot be of kind ${kind}.`);
}

/** Translates an operand of a computation. It is null for hidden rows, for which a database may compute before it drops them. */
function translateTerm(expression: Expression, translator: Translator, context: TranslationContext): SqlOperand {
  if (expression.kind === "call") {
    const operand = (argument: Expression): SqlOperand => translateTerm(argument, translator, context);
    return translateCall(expression, { ...translator, operand }, context);
  }
  const translated = translator.operand(expression);
  const isPath = expression.kind === "property" || expression.kind === "variable";
  if (!isPath || translated.kind !== "row") return translated;
  const { choose } = context.profile.syntax;
  let term = translated.sql;
  for (const relation of relationsOf(expression, context.scope)) {
    const { seen, needsFence } = relation.rows;
    if (needsFence === true) relation.level.fenced.add(relation.alias);
    if (seen !== undefined) term = choose(relation.column(seen), term, sql`null`);
  }
  // Functions of texts let an index serve the cell itself.
  const bare = translated.nulls === "column" && term === translated.sql ? translated.bare : undefined;
  return { ...translated, sql: term, bare };
}

/** Returns the relations whose rows contain a value; for an item of JSON text, all relations in scope. */
function relationsOf(path: PropertyExpression | VariableExpression, scope: PathScope): readonly Relation[] {
  let source: PathSource = path;
  while (source.kind === "property") ({ source } = source);
  const found = findPath(source, scope);
  return found.kind === "relation"
    ? [found.relation]
    : [scope.it, ...scope.items.filter((item) => item instanceof Relation)];
}

/** @param isPart whether the call is within a computed text, with which it is judged */
function translateCall(
  expression: CallExpression,
  translator: Translator,
  context: TranslationContext,
  isPart: boolean = false,
): SqlOperand {
  const known = context.shared?.get(keyOfCall(expression));
  const parts = isPart || known !== undefined ? null : textParts(expression);
  if (parts !== null) {
    const operand = translateCall(expression, ofParts(translator, context), context, true);
    return withinLimit(
      operand,
      expression,
      parts,
      (part) => translateTerm(part, translator, context),
      context.profile.values,
    );
  }
  context.scope.statement.notes.operation(expression.name);
  if (known !== undefined) return known;
  const operands = expression.arguments.map(translator.operand);
  const given = operands.filter((operand) => operand.kind !== "null");
  if (given.length < operands.length) return NULL_OPERAND;
  const { profile, roundingMode } = context;
  return profile.values.functions[expression.name]({
    expression,
    operands: given,
    roundingMode,
    values: profile.values,
  });
}

/** Makes a translator of the texts within a computed text. */
function ofParts(translator: Translator, context: TranslationContext): Translator {
  const parts: Translator = {
    ...translator,
    operand: (argument) =>
      makesText(argument) ? translateCall(argument, parts, context, true) : translator.operand(argument),
  };
  return parts;
}

function translateCondition(
  expression: Expression,
  mode: ConditionMode,
  translator: Translator,
  context: TranslationContext,
): Sql {
  const semiJoin = translateSemiJoin(expression, mode, context.scope, (condition, scope, innerMode) =>
    makeTranslator({ ...context, scope }).condition(condition, innerMode),
  );
  if (semiJoin !== null) return semiJoin;
  const condition = translateOwnCondition(expression, mode, translator, context);
  return mode === "filter" ? withColumn(condition, expression, context.scope) : condition;
}

/** Translates a condition that does not depend on one related entity only. */
function translateOwnCondition(
  expression: Expression,
  mode: ConditionMode,
  translator: Translator,
  context: TranslationContext,
): Sql {
  switch (expression.kind) {
    case "comparison":
      return translateCompared(expression, mode, translator, context);
    case "logical":
      return translateLogical(expression, mode, translator, context);
    case "not":
      return negated(translator.condition(expression.operand, "exact"));
    case "in":
      return translateIn(expression, mode, translator, context.profile, unfoldOf(context.scope.statement));
    case "has":
      return translateHas(expression, translator, context.profile.values);
    case "lambda":
      return translateLambda(expression, mode, context.scope, (predicate, scope) =>
        makeTranslator({ ...context, scope }).condition(predicate, "filter"),
      );
    case "parameter":
    case "literal":
    case "null":
    case "variable":
    case "property":
      return truthOf(translator.operand(expression), context.profile);
    case "call": {
      const operand = translator.operand(expression);
      if (operand.kind !== "row" || operand.bare === undefined) return truthOf(operand, context.profile);
      return mode === "filter" ? operand.bare : operand.sql;
    }
    default:
      return refuseCondition(expression);
  }
}

function negated(condition: Sql): Sql {
  const constant = [true, false].find((value) => condition === booleanLiteral(value));
  return constant === undefined ? sql`not (${condition})` : booleanLiteral(!constant);
}

/** Throws for the kinds that are never Boolean. */
function refuseCondition({ kind }: Extract<Expression, { readonly kind: NeverBoolean }>): never {
  throw new Error(`A condition cannot be of kind ${kind}.`);
}

type NeverBoolean = "it" | "root" | "navigation" | "count" | "arithmetic" | "negate" | "convert";

function translateCompared(
  expression: ComparisonExpression,
  mode: ConditionMode,
  translator: Translator,
  { scope, profile }: TranslationContext,
): Sql {
  const { left, right, operator, operandType } = expression;
  if (operandType?.kind === "ComplexType" || operandType?.kind === "EntityType") {
    const path = required([left, right].find(isPath), "Structured values can only be compared with null.");
    return translateStructuredNull(path, scope, operator === "eq");
  }
  const [first, second] = [translator.operand(left), translator.operand(right)];
  return translateComparison(expression, first, second, { mode, profile, unfold: unfoldOf(scope.statement) });
}

/**
 * Computes calls that several operands contain once, for these operands together. Puts cheap conditions of an `and` first,
 * since databases evaluate them in this order.
 */
function translateLogical(
  expression: LogicalExpression,
  mode: ConditionMode,
  translator: Translator,
  context: TranslationContext,
): Sql {
  const { operator } = expression;
  const grouped = { ...expression, operands: groupByNavigation(expression, context.scope) };
  const { operands, sharing } = groupByCalls(grouped, translator, context);
  if (sharing !== null) {
    const { scope, shared, toQuery } = sharing;
    return toQuery(makeTranslator({ ...context, scope, shared }).condition(grouped, mode));
  }
  const ordered = operator === "and" ? operands.toSorted((left, right) => costOf(left) - costOf(right)) : operands;
  const conditions = ordered.map((operand) => {
    const condition = translator.condition(operand, mode);
    return operand.kind === "logical" ? sql`(${condition})` : condition;
  });
  return joinBalanced(conditions, operator === "and" ? sql` and ` : sql` or `);
}

function truthOf(operand: SqlOperand, profile: Database): Sql {
  switch (operand.kind) {
    case "null":
      return NULL_CONDITION;
    case "constant":
      return bindFormed(operand.constant, booleanForm(profile));
    case "row":
      if (operand.nulls === "computed" && operand.bare === undefined) return operand.sql;
      // A column without native booleans is compared, so that an index can serve it.
      if (operand.form.equatable !== undefined) return equalsConstant(operand, TRUE, "filter");
      return profile.syntax.asCondition(operand.sql);
  }
}

function booleanForm({ values }: Database): SqlForm {
  return values.canonicalForm(PRIMITIVE_TYPES["Edm.Boolean"]);
}

/**
 * Translates arithmetic; null when an operand is null.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
function translateArithmetic(
  expression: ArithmeticExpression,
  left: SqlOperand,
  right: SqlOperand,
  values: DialectValues,
): SqlOperand {
  if (left.kind === "null" || right.kind === "null") return NULL_OPERAND;
  const first = toTerm(left, typeOf(expression.left), values);
  const second = toTerm(right, typeOf(expression.right), values);
  return values.compute(expression, first, second);
}

/** Translates `-x`; also null for the least Int64. */
function translateNegation(expression: NegateExpression, operand: SqlOperand, values: DialectValues): SqlOperand {
  if (operand.kind === "null") return NULL_OPERAND;
  const type = typeOf(expression.operand);
  const term = toTerm(operand, type, values);
  const isOwn = operand.kind === "row" && operand.form === values.canonicalForm(type);
  return values.negate(expression, isOwn ? { ...term, sql: operand.sql } : term);
}

function toTerm(
  operand: Exclude<SqlOperand, { readonly kind: "null" }>,
  type: ScalarType,
  values: DialectValues,
): Term {
  const offset = values.offsetOf?.(operand, type);
  if (operand.kind === "row") {
    return { sql: toComputable(operand).sql, type, isShort: operand.nulls !== "computed", offset };
  }
  const { constant } = operand;
  return { sql: bindFormed(constant, values.canonicalForm(type)), type, isShort: true, constant, offset };
}

function typeOf({ type }: ArithmeticExpression["left"]): ScalarType {
  if (type?.kind === "PrimitiveType") return type;
  throw new Error("Only primitive values can be computed with.");
}

/** Translates the current item of a lambda operator, if items are primitive or enumeration values. */
function translateVariable(expression: VariableExpression, scope: PathScope): RowOperand {
  const item = itemOf(expression, scope);
  if (item instanceof Relation) throw new Error("An entity has no value to compare.");
  const { collection, document, alias, array } = item;
  if (array !== undefined) {
    return { kind: "row", sql: array.syntax.item(alias), form: array.format.form, nulls: "column" };
  }
  return {
    kind: "row",
    ...scope.statement.profile.values.documents.item(document, alias, collection),
    nulls: "column",
  };
}
