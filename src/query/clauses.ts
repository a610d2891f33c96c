import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { Expression, ScalarType } from "./expression.ts";

/** How `round()` rounds a midpoint. @see docs/reference/filter.md */
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
  /** Whether `$select` without a star restricts `selected`. */
  readonly isSelection: boolean;
  /**
   * The entries of the context URL: wire names and paths in the order of the client, then the expansions with their own
   * `$select`, such as `Lines(Id,Price)`.
   */
  readonly contextSelect: readonly string[];
  /** The expansions in the order of the client, with those of a star last. Each navigation property appears once. */
  readonly expanded: readonly ExpandedNavigation[];
}

/** Returns whether a clause selects every key property, so that its entities contain their whole key. */
export function selectsKey({ selected }: SelectExpandClause, { key }: EntityType): boolean {
  return key.every((keyProperty) => selected.some(({ property }) => property === keyProperty));
}

/** The result of an expansion: the related entities, references to them, or their number. */
export type ExpandedForm = "entities" | "references" | "count";

/** One bound item of `$expand`: a navigation property with the query on the related entities. */
export interface ExpandedNavigation {
  readonly navigationProperty: NavigationProperty;
  /** The set that declares the navigation property. */
  readonly entitySet: EntitySet;
  /** The declared target set; null: none is declared, and nested expansions are impossible. */
  readonly target: EntitySet | null;
  /** Whether a star names the navigation: then related entities that cannot be read are left out; absent: no. */
  readonly isFromStar?: boolean | undefined;
  readonly form: ExpandedForm;
  readonly filter: FilterClause | null;
  /** As the client wrote it, without the appended key; empty without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
  /** Requires a search handler of the target set. */
  readonly search: SearchClause | null;
  readonly skip: number;
  /** `$top` as the client gave it; undefined when omitted. */
  readonly top: number | undefined;
  /** Whether the client requests the total. */
  readonly count: boolean;
  /** `$select` and the expansions of the next level; `$levels` is unrolled. */
  readonly selectExpand: SelectExpandClause;
  readonly roundingMode: RoundingMode;
}

/** A property to write: whole, or only some members of a complex property. */
export interface SelectedProperty {
  readonly property: StructuralProperty;
  /** Absent: the whole value is written. */
  readonly nested?: readonly SelectedProperty[] | undefined;
  /** Whether ignored members of a complex value are read too: rules and handlers receive them; absent: no. */
  readonly withIgnored?: true | undefined;
}

/** A bound `$search`, as the search handler gets it. */
export interface SearchClause {
  readonly text: string;
  readonly expression: SearchExpression;
  /** The properties that the user may not read, which no match may depend on; absent: none. */
  readonly unreadable?: readonly StructuralProperty[] | undefined;
}

/** The bound form of a `$search` expression. */
export type SearchExpression =
  | { readonly kind: "word" | "phrase"; readonly text: string }
  | { readonly kind: "not"; readonly operand: SearchExpression }
  | { readonly kind: "and" | "or"; readonly operands: readonly SearchExpression[] };

/**
 * The part of a query on a collection that does not depend on its literals. A bounded cache keeps it by its key, together
 * with everything that was computed from it.
 */
export interface QueryShape {
  /** The texts of the options with literals replaced by their types. Queries with the same key share the shape. */
  readonly key: string;
  readonly entitySet: EntitySet;
  readonly entityType: EntityType;
  readonly filter: FilterClause | null;
  /** As the client wrote it, without the appended key; empty without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
  readonly selectExpand: SelectExpandClause;
  /** The parameters of `filter`, `orderBy` and the expansions, by index. */
  readonly parameters: readonly QueryParameter[];
  readonly roundingMode: RoundingMode;
}

/** A parameter of a shape: the literal of the request with its value, and the required type. */
export interface QueryParameter {
  /** Index among the literals of the request. */
  readonly literal: number;
  readonly type: ScalarType;
  /** The option that contains the literal, for errors: `$filter`, `$orderby` or `$expand`. */
  readonly option: string;
  /** True for the right operand of an integer or Decimal `div` or `mod`. */
  readonly refuseZero: boolean;
}

/** A query on a collection: its shape, the values of the parameters, and the options that vary per request. */
export interface BoundQuery {
  readonly shape: QueryShape;
  readonly values: readonly PrimitiveValue[];
  /** `$search`, which requires a search handler. */
  readonly search: SearchClause | null;
  /** `$top` as the client gave it; undefined when omitted. */
  readonly top: number | undefined;
  /** `$skip`; 0 when omitted. */
  readonly skip: number;
  /** The text of `$skiptoken`, which `planCollection` decodes; undefined when omitted. */
  readonly skipToken: string | undefined;
  /** Whether the client requests the total. */
  readonly count: boolean;
}

/** A query on one entity: its selection, and the values of the parameters of its expansions. */
export interface BoundEntityQuery {
  readonly selectExpand: SelectExpandClause;
  readonly values: readonly PrimitiveValue[];
}

/** A bounded cache of shapes. */
export interface ShapeCache {
  get(key: string): QueryShape | undefined;
  set(key: string, shape: QueryShape): void;
}

/**
 * Returns the key of a query shape: its parts, each with its length as a prefix, so that different parts never give the
 * same key.
 * @param parts the name of the set, then the shape of each option; undefined for an absent option
 */
export function shapeKey(parts: readonly (string | undefined)[]): string {
  let key = "";
  for (const part of parts) key += part === undefined ? "-" : `${part.length}:${part}`;
  return key;
}
