import { PATH, readItems } from "./syntax.ts";

/** One key of an order. */
export interface SortKey {
  readonly path: string;
  readonly isDescending: boolean;
}

const KEY = new RegExp(String.raw`^(${PATH}(?:/\$count)?)(?:\s+(asc|desc))?$`, "u");

/** Reads the text of `$orderby` as keys; null if a key is not a path: then the text is shown. */
export function readOrderBy(text: string): readonly SortKey[] | null {
  const keys = readItems(text, KEY);
  return keys?.map(([, path = "", direction]) => ({ path, isDescending: direction === "desc" })) ?? null;
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
