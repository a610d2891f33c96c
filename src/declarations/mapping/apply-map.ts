import type { ObjectColumn } from "../../introspect/database-schema.ts";
import type { DescribedColumn } from "../described-service.ts";

/** A type of `--map` in place of the chosen one. */
export type ForcedType = (column: ObjectColumn) => DescribedColumn;

/** The forms of `--map`, for messages. */
export const MAP_FORMS = "`boolean(<false>,<true>)`, with the cells of false and true";

/**
 * Parses a type of `--map`: `boolean(0,1)` names the cells of false and true.
 * @returns undefined for an unknown type
 */
export function parseForcedType(text: string): ForcedType | undefined {
  const [, no, yes] = /^\s*boolean\(([^,()]*),([^,()]*)\)\s*$/i.exec(text) ?? [];
  if (no === undefined || yes === undefined || no.trim() === yes.trim()) return undefined;
  return (column) => ({
    type: "Edm.Boolean",
    isCollection: false,
    facets: {},
    storage: { false: cellOf(no.trim(), column), true: cellOf(yes.trim(), column) },
    sql: null,
    isReadOnly: false,
  });
}

/** Columns of numbers contain numbers. A sample shows what a column of SQLite contains. */
function cellOf(text: string, { sample, type }: ObjectColumn): number | string {
  const isNumber = sample === null ? /int|numeric|decimal|bit/i.test(type) : sample.texts === 0 && sample.integers > 0;
  return isNumber && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
