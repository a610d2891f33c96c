import type {
  ComplexType,
  EntitySet,
  EntityType,
  EnumType,
  NavigationProperty,
  StructuralProperty,
  ValueType,
} from "../edm/model.ts";
import type { PrimitiveType } from "../edm/primitive-type.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { FunctionName } from "./functions.ts";

/**
 * A bound expression: every name resolved, every node with its type, operands already of one type (conversions are
 * nodes). Literals are numbered parameters, so that one expression serves all requests of a shape.
 */
export type Expression =
  | ParameterExpression
  | LiteralExpression
  | NullExpression
  | ItExpression
  | VariableExpression
  | RootExpression
  | NavigationExpression
  | PropertyExpression
  | CountExpression
  | LambdaExpression
  | ComparisonExpression
  | LogicalExpression
  | NotExpression
  | ArithmeticExpression
  | NegateExpression
  | CallExpression
  | InExpression
  | HasExpression
  | ConvertExpression;

/** Types that values are compared, computed and passed in. */
export type ScalarType = PrimitiveType | EnumType;

/** The value of parameter number `index` of the query: never null. */
export interface ParameterExpression {
  readonly kind: "parameter";
  readonly index: number;
  readonly type: ScalarType;
}

/** A value in place: what `CollectionQuery` (the public form) holds where a shape holds a parameter. */
export interface LiteralExpression {
  readonly kind: "literal";
  readonly value: PrimitiveValue;
  readonly type: ScalarType;
}

/** The literal null. `type` is that of the other operand, or null where there is none. */
export interface NullExpression {
  readonly kind: "null";
  readonly type: ScalarType | null;
}

/** The entity (or collection item) that the expression is evaluated for, within lambda operators too. */
export interface ItExpression {
  readonly kind: "it";
  readonly type: EntityType | ValueType;
}

/** The item that an enclosing lambda operator looks at, by the operator's `depth`; it may be null. */
export interface VariableExpression {
  readonly kind: "variable";
  readonly depth: number;
  readonly type: EntityType | ValueType;
}

/** `$root/Set(key)`: one entity of a set, the same for all that the expression is evaluated for; null where there is none. */
export interface RootExpression {
  readonly kind: "root";
  readonly entitySet: EntitySet;
  /** In the order of the key of the type, each of the type of its property. */
  readonly key: readonly (ParameterExpression | LiteralExpression)[];
  readonly type: EntityType;
}

/** What a path of properties can begin with or go through: a NavigationExpression here is single-valued. */
export type PathSource = ItExpression | VariableExpression | RootExpression | NavigationExpression | PropertyExpression;

/**
 * What a navigation property of `source` leads to: one entity, null when there is none or the source is null; or, for a
 * collection-valued one, which only stands as `collection` of a count or a lambda operator, the related entities.
 */
export interface NavigationExpression {
  readonly kind: "navigation";
  /** An entity: never a complex value. */
  readonly source: Exclude<PathSource, PropertyExpression>;
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  /** The set that the related entities belong to; null where none is declared. */
  readonly target: EntitySet | null;
  readonly type: EntityType;
}

/** What a count or a lambda operator runs over: values, or related entities. */
export type CollectionPath = PropertyExpression | NavigationExpression;

/** A structural property of `source`; null when the source is null. */
export interface PropertyExpression {
  readonly kind: "property";
  readonly source: PathSource;
  readonly property: StructuralProperty;
  readonly type: ValueType;
}

/** The number of items of a collection; Edm.Int64. */
export interface CountExpression {
  readonly kind: "count";
  readonly collection: CollectionPath;
  readonly type: PrimitiveType;
}

/** The lambda operators. */
export type LambdaOperator = "any" | "all";

/**
 * `any`: true when the predicate is true for an item. `all`: true when it is true for every item. Otherwise false, never
 * null: an item whose predicate is null counts as one whose predicate is false. A collection that is null, or below a
 * null value, has no items.
 */
export interface LambdaExpression {
  readonly kind: "lambda";
  readonly operator: LambdaOperator;
  readonly collection: CollectionPath;
  /** How many lambda operators stand around this one: what the variables of the predicate refer to. */
  readonly depth: number;
  /** Null for `any()`: whether there is an item. */
  readonly predicate: Expression | null;
  readonly type: PrimitiveType;
}

/** The comparison operators. */
export type ComparisonOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le";

/** A comparison of two operands of one type; its value is never null. */
export interface ComparisonExpression {
  readonly kind: "comparison";
  readonly operator: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
  /** The type of both operands; null when both are the literal null. A complex or entity type only with eq and ne against null. */
  readonly operandType: ScalarType | ComplexType | EntityType | null;
  readonly type: PrimitiveType;
}

/** Three-valued `and` or `or` of two or more operands. */
export interface LogicalExpression {
  readonly kind: "logical";
  readonly operator: "and" | "or";
  readonly operands: readonly Expression[];
  readonly type: PrimitiveType;
}

/** Three-valued `not`. */
export interface NotExpression {
  readonly kind: "not";
  readonly operand: Expression;
  readonly type: PrimitiveType;
}

/** The arithmetic operators. */
export type ArithmeticOperator = "add" | "sub" | "mul" | "div" | "mod";

/**
 * Arithmetic; null when an operand is null. Numeric operands have the type of the result: Edm.Int64 for integers.
 * Temporal ones keep theirs, the moment or else the Duration on the left: DateTimeOffset or Date with Duration, two
 * DateTimeOffsets, two Dates, two Durations, Duration with a Decimal or Double.
 */
export interface ArithmeticExpression {
  readonly kind: "arithmetic";
  readonly operator: ArithmeticOperator;
  readonly left: Expression;
  readonly right: Expression;
  readonly type: PrimitiveType;
}

/** `-x` of a number or Duration. */
export interface NegateExpression {
  readonly kind: "negate";
  readonly operand: Expression;
  readonly type: PrimitiveType;
}

/** A canonical function; null when an argument is null. */
export interface CallExpression {
  readonly kind: "call";
  readonly name: FunctionName;
  readonly arguments: readonly Expression[];
  readonly type: PrimitiveType;
}

/** `operand in (…)`: as `operand eq a or operand eq b …`; never null. Items are of the operand's type, or null. */
export interface InExpression {
  readonly kind: "in";
  readonly operand: Expression;
  readonly items: readonly Expression[];
  readonly type: PrimitiveType;
}

/** `operand has flags`: all bits of the right value are set; null when the operand is null. */
export interface HasExpression {
  readonly kind: "has";
  readonly operand: Expression;
  readonly flags: Expression;
  readonly type: PrimitiveType;
}

/**
 * A conversion without loss of meaning: a number to a wider type, Date to DateTimeOffset at midnight UTC. An integer
 * that stands as position or length of `substring` becomes Edm.Int32, whatever its size.
 */
export interface ConvertExpression {
  readonly kind: "convert";
  readonly operand: Expression;
  readonly type: PrimitiveType;
}
