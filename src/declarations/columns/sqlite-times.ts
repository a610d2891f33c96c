import type { ColumnSample, ObjectColumn } from "../../introspect/database-schema.ts";
import { quoteSqlite } from "../../introspect/sqlite-sample.ts";
import { mapTo, type ColumnMapping, type ColumnMappingContext } from "./column-mapping.ts";
import { isAll, typesOf } from "./sqlite-cells.ts";

/** Numbers that are times, with their storage and digits of fractions of seconds. */
const NUMBERS = [
  ["epoch-milliseconds", "epoch", 3],
  ["epoch-seconds", "epoch-seconds", 0],
  ["julian-day", "julian", 3],
] as const;

/**
 * Maps a column of dates with times by the form that all its cells have. Times without a zone are UTC, as the functions of
 * SQLite assume.
 * @returns undefined if the cells have no form, or several
 */
export function mapTimestamp(
  column: ObjectColumn,
  sample: ColumnSample,
  { zoneless }: ColumnMappingContext,
): ColumnMapping | undefined {
  const { isEmpty } = typesOf(sample);
  if (zoneless === "string" && isAll(sample, "iso-date-time") && !isEmpty) return mapTo("Edm.String");
  // Written texts must have the form of the others, because programs compare the texts.
  if (!isEmpty && isAll(sample, "sqlite-date-time")) return mapTo("Edm.DateTimeOffset", { storage: "sqlite-datetime" });
  if (isEmpty || isAll(sample, "stored-date-time")) {
    return mapTo("Edm.DateTimeOffset", { storage: "text" });
  }
  // 0 alone, and digits such as 202402291200, may be times in any unit.
  if (isAll(sample, "zero-or-one") || isAll(sample, "digits-date-time")) return undefined;
  const form = NUMBERS.find(([name]) => isAll(sample, name));
  if (form !== undefined) return mapTo("Edm.DateTimeOffset", { facets: { precision: form[2] }, storage: form[1] });
  if (isAll(sample, "iso-date")) return mapTo("Edm.Date");
  const cell = quoteSqlite(column.name);
  const zoned = `${cell} || case length(${cell}) when 16 then ':00Z' else 'Z' end`;
  if (isAll(sample, "iso-date-time")) return mapText(zoned, cell);
  if (isAll(sample, "iso-date-time-zone")) return mapText(cell, cell);
  return undefined;
}

/** Maps a column of dates, which programs often fill with times. @returns undefined if the cells have no form, or several */
export function mapDate(
  column: ObjectColumn,
  sample: ColumnSample,
  context: ColumnMappingContext,
): ColumnMapping | undefined {
  return isAll(sample, "iso-date") ? mapTo("Edm.Date") : mapTimestamp(column, sample, context);
}

/** A `T` in place of the blank makes texts that the storage "text" reads. */
function mapText(text: string, cell: string): ColumnMapping {
  const sql = `case typeof(${cell}) when 'text' then replace(${text}, ' ', 'T') end`;
  return mapTo("Edm.DateTimeOffset", { storage: "text", sql, isReadOnly: true });
}
