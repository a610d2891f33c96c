import type { EntitySet, EntityType, NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type {
  Expression,
  LiteralExpression,
  NavigationExpression,
  ParameterExpression,
  PathSource,
  ScalarType,
} from "./expression.ts";
import type { ReachStep, RelativesStep, TopLevelsStep } from "./hierarchy-clauses.ts";

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
  /** All values that `compute` and `$compute` name, selected or not, which rules judge; absent: none. */
  readonly computed?: readonly ComputedProperty[] | undefined;
  /** The expansions in the order of the client, with those of a star last. Each navigation property appears once. */
  readonly expanded: readonly ExpandedNavigation[];
  /** The properties that the user may not read, which ETags mark; absent: none. */
  readonly unreadable?: ReadonlySet<StructuralProperty> | undefined;
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
  /** Whether `$levels` repeats the expansion below itself; absent: no. */
  readonly isRepeated?: true | undefined;
  readonly roundingMode: RoundingMode;
}

/**
 * Returns the options of the next link of an expansion, apart from `$skip`: percent-encoded, each with a leading ampersand.
 * @throws ODataError `InvalidQueryOption` for a link that would be longer than URLs may be
 */
export type ExpansionLinks = (expansion: ExpandedNavigation) => string;

/** A property to write: whole, or only some members of a complex property. */
export interface SelectedProperty {
  readonly property: StructuralProperty;
  /** Absent: the whole value is written. */
  readonly nested?: readonly SelectedProperty[] | undefined;
  /** Whether ignored members of a complex value are read too: rules and handlers receive them; absent: no. */
  readonly withIgnored?: true | undefined;
  /** The value of a property that no type declares: `$compute`, or `compute` of `$apply`; absent: it is a declared property. */
  readonly computed?: Expression | undefined;
  /** Whether `$metadata` does not contain the type of the value, as for a computed value; absent: it does. */
  readonly isUndeclared?: true | undefined;
}

/** The bound `$apply`: the branches of its last `concat`, or a single branch. @see docs/reference/apply.md */
export interface ApplyClause {
  /** In the order of the rows in the response. */
  readonly branches: readonly [ApplyBranch, ...(readonly ApplyBranch[])];
  /** The type of the rows: that of the single branch, or of all properties that rows of any branch may have. */
  readonly entityType: EntityType;
}

/** Steps that apply one after the other to the rows of a set. */
export interface ApplyBranch {
  readonly steps: readonly ApplyStep[];
  /** The type of the rows after the last step: that of the set if no step changes the shape of rows. */
  readonly entityType: EntityType;
  /** Whether a step made the rows, so that they are not entities of the set. */
  readonly isTransformed: boolean;
  /** The values that `compute` added to the rows after the last step that made rows. */
  readonly computed: readonly ComputedProperty[];
  /** The order of the rows, which is total as far as values can tell; an order of the client comes before it. */
  readonly orderBy: readonly OrderByItem[];
}

/**
 * A value that is computed for each row. A later use of its name is a copy of the expression, so no step depends on it.
 * @see OData URL Conventions 4.01, section 5.1.3.2
 */
export interface ComputedProperty {
  /** Belongs to no declared type. */
  readonly property: StructuralProperty;
  readonly expression: Expression;
}

/** A step of `$apply`. Its expressions are evaluated for rows of `inputType`. */
export type ApplyStep =
  | FilterStep
  | LimitStep
  | GroupStep
  | TotalsStep
  | ConcatStep
  | JoinStep
  | RelativesStep
  | TopLevelsStep
  | ReachStep;

/** Keeps the rows that meet a condition. */
export interface FilterStep {
  readonly kind: "filter";
  readonly inputType: EntityType;
  readonly filter: FilterClause;
}

/** Keeps some rows of an order: of all rows, or of each group. */
export interface LimitStep {
  readonly kind: "limit";
  readonly inputType: EntityType;
  /** Total as far as values can tell. */
  readonly orderBy: readonly OrderByItem[];
  /** The number of rows to skip; null: none. */
  readonly skip: ParameterExpression | LiteralExpression | null;
  /** The most rows to keep; null: all. */
  readonly top: ParameterExpression | LiteralExpression | null;
  /** The values that rows of one group have in common; empty: all rows are one group. */
  readonly partition: readonly GroupKey[];
  /** Keeps rows until the sum of a value reaches a number; absent: it does not. */
  readonly reach?: ReachedSum | undefined;
}

/** The sum of `topsum`, `toppercent`, `bottomsum` or `bottompercent`. Rows whose value is null are left out. */
export interface ReachedSum {
  /** A Decimal or a Double. */
  readonly expression: Expression;
  /** The number to reach: of the same type, or as percent of the sum of all rows. */
  readonly target: ParameterExpression | LiteralExpression;
  readonly isPercent: boolean;
}

/** Makes one row of each group; without keys one row of all rows, even without rows. */
export interface GroupStep {
  readonly kind: "group";
  readonly inputType: EntityType;
  readonly keys: readonly GroupKey[];
  readonly aggregates: readonly Aggregate[];
  /** The type of the new rows: the properties of the keys, then those of the aggregates. */
  readonly entityType: EntityType;
}

/** Adds totals of all rows, or of each group, to each row: the totals of `$these` in the steps after it. */
export interface TotalsStep {
  readonly kind: "totals";
  readonly inputType: EntityType;
  /** The values that rows of one group have in common; empty: all rows are one group. */
  readonly keys: readonly GroupKey[];
  /** Their properties belong to no type. */
  readonly aggregates: readonly Aggregate[];
}

/** Makes the rows of all branches, one after another, where further steps follow. */
export interface ConcatStep {
  readonly kind: "concat";
  readonly inputType: EntityType;
  readonly branches: ApplyClause["branches"];
  /** As in `ApplyClause`. */
  readonly entityType: EntityType;
}

/** Repeats each row for each of its related entities, to which a further navigation then leads. */
export interface JoinStep {
  readonly kind: "join";
  readonly inputType: EntityType;
  /** From the rows to the related entities. */
  readonly path: NavigationExpression;
  /** From the new rows to one related entity each. */
  readonly joined: NavigationProperty;
  /** The steps that apply to the related entities of each row. */
  readonly steps: readonly ApplyStep[];
  /** Whether rows without related entities remain. */
  readonly isOuter: boolean;
}

/** A value by which rows are grouped. Equality is that of `eq`, but null equals null. */
export type GroupKey = ValueKey | StructuredKey;

/** A single value. */
export interface ValueKey {
  readonly kind: "value";
  /** The property of the new rows. */
  readonly property: StructuralProperty;
  readonly expression: Expression;
}

/** The values of an entity or complex value that a path leads through, such as `Item` of `Item/Name`. */
export interface StructuredKey {
  readonly kind: "structured";
  /** The property of the new rows: a complex value that may be null. */
  readonly property: StructuralProperty;
  /** The new value is null where this entity or complex value is: rows with and without it are different groups. */
  readonly source: PathSource;
  readonly members: readonly GroupKey[];
}

/** The methods of aggregation; `count` is `$count`. */
export type AggregateMethod = "sum" | "min" | "max" | "average" | "countdistinct" | "count";

/** A value of all rows of a group. Null operands are left out; without any other, the value is null, and counts are 0. */
export interface Aggregate {
  /** The property of the new rows. */
  readonly property: StructuralProperty;
  readonly method: AggregateMethod;
  /** The operand; null for `count`. */
  readonly expression: Expression | null;
  /** The condition of the rows that are aggregated; null: all rows of the group. Other rows still make their group. */
  readonly filter: FilterClause | null;
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
  /** The type of the rows: that of the set, or the result of `apply`. */
  readonly entityType: EntityType;
  /** `$apply`, whose rows the other options apply to; absent: the rows of the set. */
  readonly apply?: ApplyClause | undefined;
  readonly filter: FilterClause | null;
  /** As the client wrote it, without the appended key; empty without `$orderby`. */
  readonly orderBy: readonly OrderByItem[];
  readonly selectExpand: SelectExpandClause;
  /** The parameters of `apply`, `filter`, `orderBy`, computed values and the expansions, by index. */
  readonly parameters: readonly QueryParameter[];
  readonly roundingMode: RoundingMode;
}

/** A parameter of a shape: the literal of the request with its value, and the required type. */
export interface QueryParameter {
  /** Index among the literals of the request. */
  readonly literal: number;
  readonly type: ScalarType;
  /** The option that contains the literal, for errors: `$filter`, `$orderby`, `$expand`, `$apply` or `$compute`. */
  readonly option: string;
  /** True for the right operand of an integer or Decimal `div` or `mod`. */
  readonly refuseZero: boolean;
  /** The least value of a number of rows; absent: any value. */
  readonly least?: number | undefined;
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
  /** Absent: without expansions. */
  readonly links?: ExpansionLinks | undefined;
}

/** A query on one entity: its selection, and the values of the parameters of its expansions. */
export interface BoundEntityQuery extends Pick<BoundQuery, "links"> {
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
