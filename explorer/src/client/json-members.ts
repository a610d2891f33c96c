/** Returns a member of a value of unknown shape; undefined without it. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Returns a member that is a text; null if it is something else. */
export function textIn(value: unknown, name: string): string | null {
  const text = memberOf(value, name);
  return typeof text === "string" ? text : null;
}

/** Returns the items of an array; none if the value is something else. */
export function itemsIn(value: unknown, name: string): readonly unknown[] {
  const items = memberOf(value, name);
  return Array.isArray(items) ? items : [];
}
