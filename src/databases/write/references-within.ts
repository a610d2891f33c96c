import type { StructuralProperty } from "../../edm/model.ts";
import { type StoredColumn, valueAt, type Values } from "./stored-columns.ts";

/**
 * Returns whether a row may refer to a later one: it has the key of that row in other columns. Databases check foreign keys at the
 * end of a statement, so in one statement such a row would be added, and alone it would not.
 * @param key the properties of the key
 * @param columns the columns that the statement writes
 * @param rows the rows as stored
 */
export function mayReferToLater(
  key: readonly StructuralProperty[],
  columns: readonly StoredColumn[],
  rows: readonly Values[],
): boolean {
  const isLong = key.length > 1;
  const referring = columns.filter(({ path }) => {
    const property = path.at(-1);
    if (property === undefined || !key.some((each) => isLike(each, property))) return false;
    // A part of a longer key may also be a part of a foreign key. The other parts are null in the first row of a tree.
    return property.isKey ? isLong : property.nullable || !isLong;
  });
  if (referring.every(({ path }) => path.at(-1)?.isKey === true)) return false;
  /** For each value, the earlier rows that have it. */
  const earlier = new Map<string, Set<number>>();
  for (const [index, row] of rows.entries()) {
    const [first = NONE, ...further] = key.map((part) => earlier.get(textOf(valueAt(row, [part]))) ?? NONE);
    if ([...first].some((each) => further.every((having) => having.has(each)))) return true;
    for (const { path } of referring) {
      const value = valueAt(row, path);
      if (value === null || value === undefined) continue;
      const text = textOf(value);
      const having = earlier.get(text);
      if (having === undefined) earlier.set(text, new Set([index]));
      else having.add(index);
    }
  }
  return false;
}

const NONE: ReadonlySet<number> = new Set();

/** Returns a text that is equal for equal values, also where the database ignores the case. */
function textOf(value: unknown): string {
  return String(value).toLowerCase();
}

/** Whether a foreign key to a property may contain another one. */
function isLike(key: StructuralProperty, { type, isCollection }: StructuralProperty): boolean {
  return !isCollection && familyOf(type.name) === familyOf(key.type.name);
}

function familyOf(type: string): string {
  return /^Edm\.(?:S?Byte|Int\d+)$/u.test(type) ? "integer" : type;
}
