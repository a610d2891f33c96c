import type { BinaryOperator, Literal } from "./token.ts";

/**
 * A syntax tree of a URL, with unresolved names. `position` is the offset in the decoded text of the option. @see OData URL Conventions 4.0, ABNF
 */
export type SyntaxNode =
  | LiteralSyntax
  | NullSyntax
  | ListSyntax
  | JsonSyntax
  | AliasSyntax
  | MemberSyntax
  | VariableSyntax
  | RootSyntax
  | KeySyntax
  | CastCallSyntax
  | CountSyntax
  | LambdaSyntax
  | TheseSyntax
  | CallSyntax
  | UnarySyntax
  | BinarySyntax
  | LogicalSyntax
  | InSyntax;

/** A literal: number `index` of the literals of the query, in order of appearance. */
export interface LiteralSyntax {
  readonly kind: "literal";
  readonly index: number;
  readonly literal: Literal;
  readonly position: number;
}

/** The literal `null`; part of the shape of a query, not a parameter. */
export interface NullSyntax {
  readonly kind: "null";
  readonly position: number;
}

/** `(1,2,3)` after `in`, or a JSON array of literals as a function argument or alias value. */
export interface ListSyntax {
  readonly kind: "list";
  readonly items: readonly SyntaxNode[];
  readonly position: number;
}

/** A JSON object (or an array with objects in it) as an argument: its text, for the binder to read by type. */
interface JsonSyntax {
  readonly kind: "json";
  readonly text: string;
  readonly position: number;
}

/** A parameter alias without a value in the query, which is null. */
export interface AliasSyntax {
  readonly kind: "alias";
  readonly name: string;
  readonly position: number;
}

/** A member: `Name`, or `source/Name`. */
export interface MemberSyntax {
  readonly kind: "member";
  readonly source: SyntaxNode | null;
  readonly name: string;
  readonly position: number;
}

/** `$it`, or the range variable of an enclosing lambda. */
export interface VariableSyntax {
  readonly kind: "variable";
  readonly name: string;
  readonly position: number;
}

/** `$root`. In `$root/Set`, the set is a member whose source is this node. */
interface RootSyntax {
  readonly kind: "root";
  readonly position: number;
}

/** `source(key)`: a key predicate within an expression, as in `$root/Set(1)`. */
export interface KeySyntax {
  readonly kind: "key";
  readonly source: SyntaxNode;
  readonly key: KeyPredicateSyntax;
  readonly position: number;
}

/** `source/Ns.Type`: a type cast segment; also the qualified type name that `isof` and `cast` take (source null). */
export interface CastCallSyntax {
  readonly kind: "cast";
  readonly source: SyntaxNode | null;
  readonly typeName: string;
  readonly position: number;
}

/** `source/$count`. */
export interface CountSyntax {
  readonly kind: "count";
  readonly source: SyntaxNode;
  readonly position: number;
}

/** `source/any(x:predicate)`, `source/any()`, `source/all(x:predicate)`. */
export interface LambdaSyntax {
  readonly kind: "lambda";
  readonly operator: "any" | "all";
  readonly source: SyntaxNode;
  readonly variable: string | null;
  readonly predicate: SyntaxNode | null;
  readonly position: number;
}

/** A call: a canonical function (name in lower case, `source` null), or a qualified bound function. */
export interface CallSyntax {
  readonly kind: "call";
  readonly source: SyntaxNode | null;
  readonly name: string;
  readonly arguments: readonly ArgumentSyntax[];
  readonly position: number;
}

/** An argument; named in calls of declared functions. */
export interface ArgumentSyntax {
  readonly name: string | null;
  readonly value: SyntaxNode;
}

/** `not x`, `-x`. */
export interface UnarySyntax {
  readonly kind: "unary";
  readonly operator: "not" | "negate";
  readonly operand: SyntaxNode;
  readonly position: number;
  /** Whether parentheses enclose it. */
  readonly isEnclosed?: true;
}

/** A comparison, an arithmetic operation or `has`. `position` is that of the operator. */
export interface BinarySyntax {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  readonly position: number;
  /** Whether parentheses enclose it. */
  readonly isEnclosed?: true;
}

/** `a and b and c`, flat, so that long chains nest no deeper than one level. */
export interface LogicalSyntax {
  readonly kind: "logical";
  readonly operator: "and" | "or";
  readonly operands: readonly SyntaxNode[];
  readonly position: number;
}

/** `operand in (…)`, `operand in @list`, `operand in Path`. */
export interface InSyntax {
  readonly kind: "in";
  readonly operand: SyntaxNode;
  readonly list: SyntaxNode;
  readonly position: number;
}

/** One item of `$orderby`. */
export interface OrderByItemSyntax {
  readonly expression: SyntaxNode;
  readonly descending: boolean;
  readonly position: number;
}

/** A total of rows: `Price with sum`, `$count` or `Lines/$count`. */
export interface TotalSyntax {
  /** Null for `$count` alone. */
  readonly expression: SyntaxNode | null;
  readonly method: "sum" | "min" | "max" | "average" | "countdistinct" | "count";
  readonly position: number;
}

/** `$these/aggregate(total)` and `$these/$count`: a total of all rows that a step of `$apply` receives. */
export interface TheseSyntax extends Omit<TotalSyntax, "method"> {
  readonly kind: "these";
  /** Null for `$these/aggregate(Total)`, whose expression is the alias of an aggregate in the same `$apply`. */
  readonly method: TotalSyntax["method"] | null;
}

/** A name that the client gives to a value. */
export interface AliasNameSyntax {
  readonly name: string;
  readonly position: number;
}

/** One item of `$compute`: `Price mul Quantity as Total`. */
export interface ComputedSyntax {
  readonly expression: SyntaxNode;
  readonly alias: AliasNameSyntax;
}

/** One item of `$select`: a path of names, which include `*` and `Ns.*`. */
export interface SelectItemSyntax {
  readonly path: readonly string[];
  readonly position: number;
}

/** One item of `$expand`. */
export interface ExpandItemSyntax {
  /** The path to the navigation property, casts included; `["*"]` for the star. */
  readonly path: readonly string[];
  readonly suffix: "$ref" | "$count" | null;
  readonly options: ExpandOptionsSyntax;
  readonly position: number;
}

/** The nested options of an expansion, parsed. */
export interface ExpandOptionsSyntax {
  readonly filter?: SyntaxNode;
  readonly orderBy?: readonly OrderByItemSyntax[];
  readonly search?: SearchSyntax;
  /** The text of `search`, without outer blanks. */
  readonly searchText?: string;
  readonly select?: readonly SelectItemSyntax[];
  readonly expand?: readonly ExpandItemSyntax[];
  readonly top?: number;
  readonly skip?: number;
  readonly count?: boolean;
  readonly levels?: number | "max";
  /** The items of `$compute`, and the position of its name. */
  readonly compute?: { readonly items: readonly ComputedSyntax[]; readonly position: number };
}

/** A `$search` expression. */
export type SearchSyntax =
  | { readonly kind: "word" | "phrase"; readonly text: string; readonly position: number }
  | { readonly kind: "not"; readonly operand: SearchSyntax; readonly position: number }
  | { readonly kind: "and" | "or"; readonly operands: readonly SearchSyntax[]; readonly position: number };

/** `(5)`, `(Id=5,No='x')`: the parts of a key predicate, or the arguments of a function call in a path. */
export interface KeyPredicateSyntax {
  readonly parts: readonly KeyPartSyntax[];
  readonly position: number;
}

/** One part of a key predicate or argument list; `name` null in `Set(5)`. `value` may be a parameter alias. */
export interface KeyPartSyntax {
  readonly name: string | null;
  readonly value: SyntaxNode;
}

/** One segment of a resource path, percent-decoded once. */
export interface PathSegmentSyntax {
  /**
   * The text before a parenthesis: a name, a qualified name, or `$count`, `$value`, `$ref`, `$metadata`, …
   * Empty for a second pair of parentheses: the key after a function call, as in `ByColor(color='red')(5)`.
   */
  readonly name: string;
  /**
   * The text in parentheses; absent without them. `parseKeyPredicate` reads it after the names of the whole path are
   * resolved and the request is authorized.
   */
  readonly parentheses?: string | undefined;
  /** Offset of the segment in the raw path. */
  readonly position: number;
}
