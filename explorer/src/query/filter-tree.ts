/** A filter as a builder shows it. */
export type FilterNode = FilterGroup | FilterCondition | FilterLambda | FilterText;

/** Conditions of which all must be met, or one. */
export interface FilterGroup {
  readonly kind: "group";
  readonly operator: "and" | "or";
  readonly isNegated: boolean;
  readonly items: readonly FilterNode[];
}

/** What a condition does with the value of its property. */
export type ConditionOperator =
  | "eq"
  | "ne"
  | "gt"
  | "ge"
  | "lt"
  | "le"
  | "has"
  | "in"
  | "contains"
  | "startswith"
  | "endswith";

/** A comparison of a property with literals. A condition without values is unfinished. */
export interface FilterCondition {
  readonly kind: "condition";
  /** Of a property, along navigations to one entity: `Customer/Address/City`, or `Items/$count`. */
  readonly path: string;
  readonly operator: ConditionOperator;
  /** Literals as URLs have them; several for `in` only. */
  readonly values: readonly string[];
  /** Whether the property is compared in lower case. The literals are written so, too. */
  readonly isLowered: boolean;
  readonly isNegated: boolean;
}

/** A condition on the related entities, or on the items of a collection. */
export interface FilterLambda {
  readonly kind: "lambda";
  /** Of the navigation or collection. */
  readonly path: string;
  readonly quantifier: "any" | "all";
  readonly isNegated: boolean;
  /** Its path begins at the item, and is empty for the item itself. Null: any item at all. */
  readonly condition: FilterCondition | null;
}

/** What a builder cannot show: the text stays as it is. */
export interface FilterText {
  readonly kind: "text";
  readonly text: string;
}

/** The tree of an empty filter. */
export const NO_FILTER: FilterGroup = Object.freeze({ kind: "group", operator: "and", isNegated: false, items: [] });

/** Makes a condition on one value, or on several. */
export function condition(
  path: string,
  operator: ConditionOperator,
  values: readonly string[],
  flags: { readonly isLowered?: boolean; readonly isNegated?: boolean } = {},
): FilterCondition {
  const { isLowered = false, isNegated = false } = flags;
  return { kind: "condition", path, operator, values, isLowered, isNegated };
}

/**
 * Returns the one condition that says the same as alternatives of one property, such as `A eq 1 or A eq 2`: `A in (1,2)`.
 * Null if they are others.
 */
export function asList(items: readonly FilterNode[]): FilterCondition | null {
  const [first] = items;
  if (first?.kind !== "condition" || items.length < 2) return null;
  const { path, isLowered } = first;
  const values: string[] = [];
  for (const item of items) {
    if (item.kind !== "condition" || item.operator !== "eq" || item.isNegated) return null;
    const [value] = item.values;
    if (item.path !== path || item.isLowered !== isLowered || value === undefined) return null;
    values.push(value);
  }
  return condition(path, "in", values, { isLowered });
}
