import { isObject } from "../option-table.ts";

/** The row rule of a related entity as the row rule of a set: the result of `inherit`. */
export interface InheritedRows<F extends string = string> {
  readonly kind: "InheritedRows";
  /** The key of the navigation to the entity whose rule applies. */
  readonly navigation: F;
}

/**
 * Takes over the row rule of the set that a required navigation leads to: a user sees an entity if the user sees the entity that
 * it belongs to, such as the lines of visible orders.
 * @param navigation the key of a navigation that `hasRequired` declares
 * @see docs/guides/authorization.md, Rows of a parent
 */
export function inherit<const F extends string>(navigation: F): InheritedRows<F> {
  return Object.freeze({ kind: "InheritedRows", navigation });
}

/** Returns whether a value is a result of `inherit`. */
export function isInherited(rows: unknown): rows is InheritedRows {
  return isObject(rows) && rows["kind"] === "InheritedRows" && typeof rows["navigation"] === "string";
}
