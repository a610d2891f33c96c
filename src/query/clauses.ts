import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
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
  /**
   * What the context URL lists: wire names and paths in the order of the client, then the expansions that carry a
   * `$select` of their own, such as `Lines(Id,Price)`; empty without either.
   */
  readonly contextSelect: readonly string[];
  /** The navigation properties to expand, in the order of the client, those of a star last; each stands once. */
  readonly expanded: readonly ExpandedNavigation[];
}

/** What an expansion writes of the related entities: themselves, references to them, or how many there are. */
export type ExpandedForm = "entities" | "references" | "count";

/** One bound item of `$expand`: a navigation property with the query on what it leads to. */
export interface ExpandedNavigation {
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  /** The declared target set; null: none is declared, so nothing below is expanded. */
  readonly target: EntitySet | null;
  readonly form: ExpandedForm;
  readonly filter: FilterClause | null;
  /** As the client wrote it, without the appended key; empty without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
  /** Only with a target set that has a search handler. */
  readonly search: SearchClause | null;
  readonly skip: number;
  /** `$top` as the client gave it; undefined when omitted. */
  readonly top: number | undefined;
  /** Whether the total is asked for. */
  readonly count: boolean;
  /** `$select` and the expansions of the next level; `$levels` is unrolled. */
  readonly selectExpand: SelectExpandClause;
  readonly roundingMode: RoundingMode;
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
  /** The parameters that `filter`, `orderBy` and the expansions mention, by index. */
  readonly parameters: readonly QueryParameter[];
  readonly roundingMode: RoundingMode;
}

/** One parameter of a shape: which literal of the request gives its value, and what the value must be. */
export interface QueryParameter {
  /** Index among the literals of the request. */
  readonly literal: number;
  readonly type: ScalarType;
  /** The option that holds the literal, for errors: `$filter`, `$orderby` or `$expand`. */
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

/** A query on one entity: what to write of it, and the values of the parameters that its expansions mention. */
export interface BoundEntityQuery {
  readonly selectExpand: SelectExpandClause;
  readonly values: readonly PrimitiveValue[];
}
