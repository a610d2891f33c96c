import { tokenize } from "../../../src/language/syntax/lexer.ts";
import { parseOrderBy } from "../../../src/language/syntax/order-by-parser.ts";
import { parsed, valuePath } from "./syntax.ts";

/** One key of an order. */
export interface SortKey {
  readonly path: string;
  readonly isDescending: boolean;
}

/** Reads the text of `$orderby` as keys; null if a key is not a path: then the text is shown. */
export function readOrderBy(text: string): readonly SortKey[] | null {
  if (text.trim() === "") return [];
  const items = parsed((context) => parseOrderBy(tokenize(text, context, "$orderby"), context)) ?? [];
  const paths = items.flatMap(({ expression }) => valuePath(expression) ?? []);
  const keys = paths.map((path, at) => ({ path, isDescending: items[at]?.descending === true }));
  return keys.length > 0 && keys.length === items.length ? keys : null;
}

/** Writes the text of `$orderby`; empty without a key. */
export function writeOrderBy(keys: readonly SortKey[]): string {
  return keys.map(({ path, isDescending }) => (isDescending ? `${path} desc` : path)).join(",");
}

/** Returns the next order of a property: ascending, descending, none. If `isFurther`, the other keys stay. */
export function nextOrder(keys: readonly SortKey[], path: string, isFurther: boolean): readonly SortKey[] {
  const own = keys.find((key) => key.path === path);
  const next: readonly SortKey[] = own?.isDescending === true ? [] : [{ path, isDescending: own !== undefined }];
  if (!isFurther) return next;
  return own === undefined ? [...keys, ...next] : keys.flatMap((key) => (key === own ? next : key));
}
