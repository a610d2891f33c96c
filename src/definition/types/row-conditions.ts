import { ConfigurationError } from "../../base/errors/configuration-error.ts";
import { unawaited } from "../../base/maybe.ts";
import { BoundedCache } from "../../base/memo.ts";
import { assertNever, isWellFormed } from "../../base/required.ts";
import type { EntitySet, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { FilterClause } from "../../language/query/clauses.ts";
import type {
  Expression,
  ItExpression,
  PathSource,
  ComparisonOperator,
  NavigationExpression,
  PropertyExpression,
  ScalarType,
} from "../../language/query/expression.ts";
import { mapChildren } from "../../language/query/walk-expression.ts";
import { adviseName } from "../option-table.ts";
import {
  isRowPredicate,
  PredicateCall,
  type RowTerm,
  rowPredicate,
  type ConditionOperand,
  type RowPredicate,
} from "./row-predicate.ts";
import type { AnyProperty } from "./value-type.ts";

/** The condition of a predicate; `all` and `none` if the predicate is the same for every row. */
export type RowCondition = "all" | "none" | VaryingRowCondition;

/** A condition that depends on the row. */
interface VaryingRowCondition {
  /** Made once per structure, as far as the cache reaches, so that its compiled form is reused. */
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

/** The words of errors about a function that makes predicates. */
interface RowConditionWords {
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
        filter: kept.getOrMake(structure, () => Object.freeze({ expression: parameterize(term) })),
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

/** The row that a rule receives: an operand for each property, and the row of each related entity, by field. */
type Row = Readonly<Record<string, unknown>>;

const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

/** The state that the operands of a row share. */
interface RowScope {
  /** The sets of the registration by name, for navigations. */
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  /** The words for the function that uses the row, such as `A row rule`, for errors. */
  readonly whose: string;
  /** The present call of that function; null outside of calls. */
  readonly presentCall: () => PredicateCall | null;
}

/**
 * Makes the row from which predicates on a set are made.
 * @param source the start of every path
 */
function rowOf(source: ItExpression | NavigationExpression, entitySet: EntitySet, scope: RowScope): Row {
  const { whose } = scope;
  const { entityType } = entitySet;
  const row = Object.create(null) as Row;
  for (const property of [...entityType.properties, ...entityType.ignoredProperties]) {
    if (entitySet.uncomparable?.has(property.field) === true) {
      const get = (): never => {
        throw uncomparable(entitySet, property, whose);
      };
      // Not enumerable: a rule may spread a row.
      Object.defineProperty(row, property.field, { get });
      continue;
    }
    Object.defineProperty(row, property.field, { enumerable: true, value: operandOf(source, property, scope) });
  }
  for (const property of entitySet.navigationProperties.values()) {
    // Made on first use, because navigations form cycles.
    let related: Row | undefined;
    const get = (): Row => (related ??= relatedRow({ source, entitySet, property }, scope));
    // Not enumerable: spreading a row must not follow navigations.
    Object.defineProperty(row, property.field, { get });
  }
  return new Proxy(Object.freeze(row), {
    get: (declared, name): unknown => {
      if (typeof name === "string" && !(name in declared)) throw noMember(entitySet, name, declared, whose);
      return Reflect.get(declared, name);
    },
  });
}

function uncomparable({ name }: EntitySet, { field }: StructuralProperty, whose: string): ConfigurationError {
  const message = `${whose} compares \`${field}\`, whose column has a \`convert\`.`;
  return new ConfigurationError([{ set: name, message, fix: "Compare a property whose column has no `convert`." }]);
}

/** Names the property that a rule of a JavaScript caller misspells; otherwise the error would mention only undefined. */
function noMember({ name: set }: EntitySet, name: string, declared: Row, whose: string): TypeError {
  const advice = adviseName(name, Object.getOwnPropertyNames(declared));
  return new TypeError(`${whose} uses \`${name}\`, which entities of ${set} do not have. ${advice}`);
}

/** A navigation that a rule follows. */
interface Step {
  readonly source: ItExpression | NavigationExpression;
  readonly entitySet: EntitySet;
  readonly property: NavigationProperty;
}

function relatedRow({ source, entitySet, property }: Step, scope: RowScope): Row {
  const { entitySets, whose } = scope;
  const place = `${entitySet.name}/${property.field}`;
  const target = entitySets.get(entitySet.navigationPropertyBindings.get(property.name) ?? "");
  if (property.isCollection) throw new TypeError(`${whose} cannot follow ${place}, which leads to several entities.`);
  if (target === undefined) throw new TypeError(`${whose} cannot follow ${place}, which has no \`target\` set.`);
  const { entityType: type } = property;
  return rowOf({ kind: "navigation", source, navigationProperty: property, entitySet, target, type }, target, scope);
}

function operandOf(
  source: ItExpression | NavigationExpression,
  property: StructuralProperty,
  { whose, presentCall }: RowScope,
): ConditionOperand<AnyProperty> {
  const { type } = property;
  const made = (term: RowTerm): RowPredicate => rowPredicate(term, property.field, presentCall());
  const value: PropertyExpression = Object.freeze({ kind: "property", source, property, type });
  const compare =
    (operator: ComparisonOperator) =>
    (given: unknown): RowPredicate => {
      const right = toLiteral(property, given, whose);
      return made({
        kind: "comparison",
        operator,
        left: value,
        right,
        operandType: scalarOf(property, whose),
        type: BOOLEAN,
      });
    };
  return Object.freeze({
    eq: compare("eq"),
    ne: compare("ne"),
    gt: compare("gt"),
    ge: compare("ge"),
    lt: compare("lt"),
    le: compare("le"),
    in: (given: unknown) => {
      scalarOf(property, whose);
      if (!Array.isArray(given)) throw wrongValue(property, given, "an array of values", whose);
      // `map` would skip the holes of a sparse array.
      const items = Array.from(given, (each: unknown) => toLiteral(property, each, whose));
      return made(items.length === 0 ? false : { kind: "in", operand: value, items, type: BOOLEAN });
    },
    isNull: () => {
      if (property.isCollection) throw new TypeError(`${property.field} is a collection, which is never null.`);
      const right: Expression = { kind: "null", type: type.kind === "ComplexType" ? null : type };
      return made({ kind: "comparison", operator: "eq", left: value, right, operandType: type, type: BOOLEAN });
    },
    startsWith: (given: unknown) => {
      if (type.name !== "Edm.String" || property.isCollection) {
        throw new TypeError(`${property.field} is not a string: ${lower(whose)} cannot use startsWith.`);
      }
      const text = toLiteral(property, given, whose);
      if (text.kind !== "literal") throw wrongValue(property, given, "a string", whose);
      return made({ kind: "call", name: "startswith", arguments: [value, text], type: BOOLEAN });
    },
  });
}

/** Returns the type in which values of a property are compared. */
function scalarOf({ field, type, isCollection }: StructuralProperty, whose: string): ScalarType {
  if (isCollection) throw new TypeError(`${field} is a collection: ${lower(whose)} cannot compare it.`);
  if (type.kind === "ComplexType") throw new TypeError(`${field} is complex: a rule can only test it with isNull.`);
  return type;
}

/** Converts a value of a rule to canonical form. Undefined is rejected: a missing claim must not match any row. */
function toLiteral(
  property: StructuralProperty,
  given: unknown,
  whose: string,
): Extract<Expression, { kind: "literal" | "null" }> {
  const type = scalarOf(property, whose);
  if (given === null) return { kind: "null", type };
  if (given === undefined) throw wrongValue(property, given, "a value, or null", whose);
  if (typeof given === "string" && !isWellFormed(given)) throw noText(property, whose);
  return { kind: "literal", value: toCanonical(property, given, whose), type };
}

/** Ignores facets, which limit the values that clients send: a longer claim is valid and equals no value. */
function toCanonical(property: StructuralProperty, given: unknown, whose: string): PrimitiveValue {
  try {
    return codecOf(property).fromHandler(given);
  } catch (error) {
    const { name } = property.type;
    throw new TypeError(`${whose} compares ${property.field} with a value that is not of type ${name}.`, {
      cause: error,
    });
  }
}

/** Databases replace half of a surrogate pair by another character, so the claims of two users could become equal. */
function noText({ field }: StructuralProperty, whose: string): TypeError {
  return new TypeError(`${whose} compares ${field} with a string that contains half of a surrogate pair.`);
}

function wrongValue({ field }: StructuralProperty, given: unknown, wanted: string, whose: string): TypeError {
  return new TypeError(
    `${whose} compares ${field} with ${given === undefined ? "undefined" : typeof given}: give ${wanted}.`,
  );
}

/** Lowers the first letter, for use within a sentence. */
function lower(whose: string): string {
  return whose.charAt(0).toLowerCase() + whose.slice(1);
}
