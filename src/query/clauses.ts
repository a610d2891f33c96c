import type { EntitySet, EntityType, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Expression, ScalarType } from "./expression.ts";

/** How `round()` treats a midpoint. @see specification, Collection read, rule 4 */
export type RoundingMode = "spec-compliant" | "BankersRounding";

/** The bound `$filter`. */
export interface FilterClause {
  readonly expression: Expression;
}

/** One term of the bound `$orderby`. */
export interface OrderByItem {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** The bound `$select` and `$expand` of one level. */
export interface SelectExpandClause {
  /** The structural properties to write, in order of declaration. */
  readonly selected: readonly SelectedProperty[];
  /** Whether `$select` was given without a star, so that `selected` is a choice. */
  readonly isSelection: boolean;
  /** What the context URL lists: wire names and paths in the order of the client; empty without `$select`. */
  readonly contextSelect: readonly string[];
}

/** A property to write: whole, or (a complex one) only some of its members. */
export interface SelectedProperty {
  readonly property: StructuralProperty;
  /** Absent: the whole value. */
  readonly nested?: readonly SelectedProperty[] | undefined;
}

/** A bound `$search`: what the search handler gets. */
export interface SearchClause {
  readonly text: string;
  readonly expression: SearchExpression;
}

/** The bound form of a `$search` expression. */
export type SearchExpression =
  | { readonly kind: "word" | "phrase"; readonly text: string }
  | { readonly kind: "not"; readonly operand: SearchExpression }
  | { readonly kind: "and" | "or"; readonly operands: readonly SearchExpression[] };

/**
 * All of a query on a collection that does not vary with its literals: kept per key in a bounded cache, with all that
 * is made from it.
 */
export interface QueryShape {
  /** The option texts with literals cut out and their types put in. Two queries of one key share the shape. */
  readonly key: string;
  readonly entitySet: EntitySet;
  readonly entityType: EntityType;
  readonly filter: FilterClause | null;
  /** As the client wrote it, without the appended key; empty without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
  readonly selectExpand: SelectExpandClause;
  /** The parameters that `filter` and `orderBy` mention, by index. */
  readonly parameters: readonly QueryParameter[];
  readonly roundingMode: RoundingMode;
}

/** One parameter of a shape: which literal of the request gives its value, and what the value must be. */
export interface QueryParameter {
  /** Index among the literals of the request. */
  readonly literal: number;
  readonly type: ScalarType;
  /** The option that holds the literal, for errors: `$filter` or `$orderby`. */
  readonly option: string;
  /** True for the right operand of an integer or Decimal `div` or `mod`. */
  readonly refuseZero: boolean;
}

/** A query on a collection: its shape, the values of the parameters, and what varies per request. */
export interface BoundQuery {
  readonly shape: QueryShape;
  readonly values: readonly PrimitiveValue[];
  /** `$search`; only with a search handler. */
  readonly search: SearchClause | null;
  /** `$top` as the client gave it; undefined when omitted. */
  readonly top: number | undefined;
  /** `$skip`; 0 when omitted. */
  readonly skip: number;
  /** The text of `$skiptoken`, decoded where paging is planned; undefined when omitted. */
  readonly skipToken: string | undefined;
  /** Whether the total is asked for. */
  readonly count: boolean;
}
