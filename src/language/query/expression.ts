import type { FunctionName } from "../../edm/canonical-functions.ts";
import type {
  ComplexType,
  EntitySet,
  EntityType,
  EnumType,
  NavigationProperty,
  StructuralProperty,
  ValueType,
} from "../../edm/model.ts";
import type { PrimitiveType } from "../../edm/primitive-type.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";

/**
 * A bound expression. Names are resolved, each node has its type, and operands have the same type, because conversions are
 * nodes. Literals are numbered parameters, so that one expression serves all requests of a shape.
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

/** The types of values in comparisons, arithmetic and calls. */
export type ScalarType = PrimitiveType | EnumType;

/** The value of parameter number `index` of the query: never null. */
export interface ParameterExpression {
  readonly kind: "parameter";
  readonly index: number;
  readonly type: ScalarType;
}

/** A value. The public `CollectionQuery` contains literals instead of the parameters of a shape. */
export interface LiteralExpression {
  readonly kind: "literal";
  readonly value: PrimitiveValue;
  readonly type: ScalarType;
}

/** The literal null. `type` is the type of the other operand, or null without one. */
interface NullExpression {
  readonly kind: "null";
  readonly type: ScalarType | null;
}

/** The entity (or collection item) that the expression is evaluated for, within lambda operators too. */
export interface ItExpression {
  readonly kind: "it";
  readonly type: EntityType | ValueType;
}

/** The current item of an enclosing lambda operator, identified by the operator's `depth`; it may be null. */
export interface VariableExpression {
  readonly kind: "variable";
  readonly depth: number;
  readonly type: EntityType | ValueType;
}

/** `$root/Set(key)`: one entity of a set, the same in each evaluation; null if it does not exist. */
export interface RootExpression {
  readonly kind: "root";
  readonly entitySet: EntitySet;
  /** In the order of the key of the type, each with the type of its property. */
  readonly key: readonly (ParameterExpression | LiteralExpression)[];
  readonly type: EntityType;
}

/** An expression that can precede a name in a path. A NavigationExpression here is single-valued. */
export type PathSource = ItExpression | VariableExpression | RootExpression | NavigationExpression | PropertyExpression;

/**
 * The entity that a navigation property of `source` leads to; null if the source is null or has no related entity. A
 * collection-valued navigation property, allowed only as `collection` of a count or a lambda operator, gives all of them.
 */
export interface NavigationExpression {
  readonly kind: "navigation";
  /** An entity: never a complex value. */
  readonly source: Exclude<PathSource, PropertyExpression>;
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  /** The set of the related entities; null if none is declared. */
  readonly target: EntitySet | null;
  readonly type: EntityType;
}

/** The collection of a count or a lambda operator: values, or related entities. */
export type CollectionPath = PropertyExpression | NavigationExpression;

/** A structural property of `source`; null if the source is null. */
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

/** The lambda operators, and `each`, which is the operand of an aggregate and of nothing else. */
type LambdaOperator = "any" | "all" | "each";

/**
 * `each` means the values of the predicate for all items; without a predicate, the items. `any` is true if the predicate is true
 * for an item, `all` if it is true for every item. Otherwise they are false, never null: a predicate that is null
 * counts as false. A collection that is null, or below a null value, has no items.
 */
export interface LambdaExpression {
  readonly kind: "lambda";
  readonly operator: LambdaOperator;
  readonly collection: CollectionPath;
  /** The number of enclosing lambda operators, by which variables refer to this one. */
  readonly depth: number;
  /** Null for `any()`, which is true if there is an item. */
  readonly predicate: Expression | null;
  readonly type: ScalarType;
}

/** The comparison operators. */
export type ComparisonOperator = "eq" | "ne" | "gt" | "ge" | "lt" | "le";

/** A comparison of two operands of one type; its value is never null. */
export interface ComparisonExpression {
  readonly kind: "comparison";
  readonly operator: ComparisonOperator;
  readonly left: Expression;
  readonly right: Expression;
  /** The type of both operands; null if both are the literal null. Complex and entity types are compared only with null, by eq and ne. */
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
interface NotExpression {
  readonly kind: "not";
  readonly operand: Expression;
  readonly type: PrimitiveType;
}

/** The arithmetic operators. */
export type ArithmeticOperator = "add" | "sub" | "mul" | "div" | "mod";

/**
 * Arithmetic; null if an operand is null. Numeric operands have the type of the result, which is Edm.Int64 for integers.
 * The temporal pairs are DateTimeOffset or Date with Duration, two DateTimeOffsets, two Dates, two Durations, and Duration
 * with a Decimal or Double; the first type is that of the left operand.
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

/** Counts the calls of one request that make texts: the texts of an entity may exist at the same time. */
export interface TextCalls {
  count: number;
}

/**
 * A canonical function; null if an argument is null. `cast` has one argument, and `type` is the type of the target; it is null
 * if the cast fails.
 */
export interface CallExpression {
  readonly kind: "call";
  readonly name: FunctionName;
  readonly arguments: readonly Expression[];
  readonly type: PrimitiveType;
  /** For a text: counts the calls of the request that make texts; absent: there are few. */
  readonly texts?: TextCalls | undefined;
}

/** `operand in (…)`, which means `operand eq a or operand eq b …`; never null. Items have the operand's type, or are null. */
export interface InExpression {
  readonly kind: "in";
  readonly operand: Expression;
  readonly items: readonly Expression[];
  readonly type: PrimitiveType;
}

/** `operand has flags`: whether all bits of `flags` are set; null if the operand is null. */
export interface HasExpression {
  readonly kind: "has";
  readonly operand: Expression;
  readonly flags: Expression;
  readonly type: PrimitiveType;
}

/**
 * A lossless conversion: a number to a wider type, Date to DateTimeOffset at midnight UTC. An integer that is the position
 * or length of `substring` becomes Edm.Int32, whatever its size. An enumeration without flags becomes Edm.String in a
 * function: the name of its member, the first one declared if several have the value.
 */
export interface ConvertExpression {
  readonly kind: "convert";
  readonly operand: Expression;
  readonly type: PrimitiveType;
}
