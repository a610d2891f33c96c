import { splitHeaderList } from "./headers.ts";

/**
 * Joins two values of Vary, each name once. `*` stands for all names.
 * @see RFC 9110, section 12.5.5
 */
export function mergeVary(before: string, added: string | undefined): string {
  const names = new Map<string, string>();
  for (const name of [...splitHeaderList(before), ...splitHeaderList(added ?? "")]) {
    const key = name.toLowerCase();
    if (!names.has(key)) names.set(key, name);
  }
  return names.has("*") ? "*" : [...names.values()].join(", ");
}
