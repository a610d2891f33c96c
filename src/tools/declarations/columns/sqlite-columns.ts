import type { ColumnSample, ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import { sqliteCategory } from "../../../databases/sqlite/introspect/sqlite-category.ts";
import { quoteSqlite } from "../../../databases/sqlite/introspect/sqlite-sample.ts";
import type { DescribedColumn } from "../described-service.ts";
import {
  mapTo,
  type ColumnMapping,
  type ColumnMappingContext,
  type ColumnWarning,
  type MapColumn,
} from "./column-mapping.ts";

/**
 * Maps a column of SQLite by its declared type, which is the intent of the author, and by the sample of its cells. A `STRICT`
 * table has no sample, because SQLite enforces its types.
 * @see docs/reference/storage.md
 */
export const mapSqliteColumn: MapColumn = (column, context) => {
  const { sample } = column;
  if (column.isIncomparable === true) {
    const message = "has a collation of another program, published as String and compared by code point, read-only";
    return mapTo("Edm.String", AS_TEXT, { code: "collation", message, flag: null });
  }
  if (sample === null) return mapDeclared(column);
  const { blobs } = sample;
  switch (sqliteCategory(column.definition)) {
    case "boolean":
      return isAll(sample, "zero-or-one") ? mapTo("Edm.Boolean") : mapNumber(column, sample, context);
    case "integer":
      return mapNumber(column, sample, context);
    case "real":
      return typesOf(sample).isNumbers || typesOf(sample).isEmpty
        ? mapTo("Edm.Double")
        : mapMixed(column, sample, context);
    case "decimal":
      return mapDecimal(column, sample, context);
    case "guid":
      return isAll(sample, "guid") ? mapTo("Edm.Guid", { storage: "text" }) : mapByCells(column, sample, context);
    case "timestamp":
      return mapTimestamp(column, sample, context) ?? mapByCells(column, sample, context);
    case "date":
      return mapDate(column, sample, context) ?? mapByCells(column, sample, context);
    case "time":
      return isAll(sample, "iso-time") ? mapTo("Edm.TimeOfDay") : mapByCells(column, sample, context);
    case "blob":
      return blobs === 0 && typesOf(sample).isEmpty ? mapTo("Edm.Binary") : mapByCells(column, sample, context);
    case "text":
      return isFlag(sample) ? mapTexts(column, [asFlag(sample, context)]) : mapText(column, sample, context);
    case "json":
      return mapText(column, sample, context);
    case "any":
      return mapByCells(column, sample, context);
  }
};

/** The types that SQLite enforces in `STRICT` tables. @see https://sqlite.org/stricttables.html */
function mapDeclared(column: ObjectColumn): ColumnMapping {
  switch (sqliteCategory(column.definition)) {
    case "integer":
      return mapTo("Edm.Int64");
    case "real":
      return mapTo("Edm.Double");
    case "blob":
      return mapTo("Edm.Binary");
    case "text":
      return mapTo("Edm.String");
    default:
      return mapTo("Edm.String", AS_TEXT);
  }
}

function mapNumber(column: ObjectColumn, sample: ColumnSample, context: ColumnMappingContext): ColumnMapping {
  const { isIntegers, isNumbers, isEmpty } = typesOf(sample);
  if (isIntegers || isEmpty) return mapTo("Edm.Int64");
  if (isNumbers && (sample.forms["more-than-53-bits"] ?? 0) === 0) return mapTo("Edm.Double");
  return mapMixed(column, sample, context);
}

function mapDecimal(column: ObjectColumn, sample: ColumnSample, context: ColumnMappingContext): ColumnMapping {
  const { isNumbers, isEmpty } = typesOf(sample);
  const { precision, scale } = column;
  const isBeyond = (sample.forms["beyond-facets"] ?? 0) > 0;
  const facets = precision === null || scale === null || isBeyond ? {} : { precision, scale };
  if ((sample.forms["more-than-53-bits"] ?? 0) > 0) return mapMixed(column, sample, context);
  const infinite = sample.forms["infinite"] ?? 0;
  if (isNumbers && infinite > 0) {
    const message = `holds infinity in ${String(infinite)} of ${String(sample.rows)} rows, published as Double`;
    return mapTo("Edm.Double", {}, { code: "cells", message, flag: null });
  }
  if (isNumbers || isEmpty) {
    const inexact = sample.forms["more-than-15-digits"] ?? 0;
    const warning: ColumnWarning = {
      code: "inexact",
      message: `holds ${String(inexact)} numbers with more than 15 digits, which SQLite has rounded, in ${String(sample.rows)} rows`,
      flag: null,
    };
    return mapTo("Edm.Decimal", { facets, storage: "real" }, ...(inexact > 0 ? [warning] : []));
  }
  return isAll(sample, "decimal-text") ? mapTo("Edm.Decimal", { facets: {} }) : mapByCells(column, sample, context);
}

/** Publishes the type of the cells, because it differs from the declared type. */
function mapByCells(column: ObjectColumn, sample: ColumnSample, context: ColumnMappingContext): ColumnMapping {
  const { isNumbers, isTexts, isBlobs } = typesOf(sample);
  const expected = sqliteCategory(column.definition);
  const isExpected = expected === "text" || expected === "any" || expected === "json";
  if (isTexts) return mapTexts(column, isExpected ? [] : [asFound(column, sample, context)]);
  if (isBlobs) {
    return expected === "blob" || expected === "any" ? mapTo("Edm.Binary") : mapMixed(column, sample, context);
  }
  if (expected !== "any") return mapMixed(column, sample, context);
  return isNumbers ? mapNumber(column, sample, context) : mapMixed(column, sample, context);
}

function mapText(column: ObjectColumn, sample: ColumnSample, context: ColumnMappingContext): ColumnMapping {
  return typesOf(sample).isEmpty ? mapTexts(column, []) : mapByCells(column, sample, context);
}

/** Fewer rows with "0" and "1" prove nothing. */
const LEAST_FLAGS = 10;

/** Returns whether a column of texts contains "0" and "1" only, which most likely mean false and true. */
function isFlag({ rows, nulls, forms }: ColumnSample): boolean {
  const flags = (forms["zero-text"] ?? 0) + (forms["one-text"] ?? 0);
  return flags >= LEAST_FLAGS && flags === rows - nulls;
}

function asFlag({ rows, nulls, forms }: ColumnSample, { place }: ColumnMappingContext): ColumnWarning {
  const held = [
    ...((forms["zero-text"] ?? 0) > 0 ? ['"0"'] : []),
    ...((forms["one-text"] ?? 0) > 0 ? ['"1"'] : []),
  ].join(" and ");
  const message = `holds ${held} in ${String(rows - nulls)} of ${String(rows)} rows, published as String`;
  return { code: "cells", message, flag: `--map "${place}=boolean(0,1)"` };
}

/** A column with another affinity than that of texts turns numbers in a filter into numbers, so only the expression compares texts. */
function mapTexts(column: ObjectColumn, warnings: readonly ColumnWarning[]): ColumnMapping {
  return mapTo("Edm.String", ["TEXT", "BLOB", ""].includes(column.type) ? {} : AS_TEXT, ...warnings);
}

function mapMixed(column: ObjectColumn, sample: ColumnSample, context: ColumnMappingContext): ColumnMapping {
  if (typesOf(sample).isTexts) return mapTexts(column, [asFound(column, sample, context)]);
  if (typesOf(sample).isEmpty) return mapTo("Edm.String", AS_TEXT);
  return mapTo("Edm.String", AS_TEXT, asFound(column, sample, context));
}

function asFound(column: ObjectColumn, sample: ColumnSample, { place }: ColumnMappingContext): ColumnWarning {
  const [first, second, ...more] = sample.values;
  const isBoolean = sqliteCategory(column.definition) === "boolean" && first !== undefined && more.length === 0;
  const pair = second === undefined ? pairOf(first) : `${String(first)},${String(second)}`;
  const flag = isBoolean && pair !== null && /^[\w ,.-]+$/.test(pair) ? `--map "${place}=boolean(${pair})"` : null;
  return { code: "cells", message: `${describeCells(column, sample)}, published as String`, flag };
}

/** A column that contains one value so far: the other one of a Boolean. */
function pairOf(value: number | string | undefined): string | null {
  const pairs: ReadonlyArray<readonly [string, string]> = [
    ["0", "1"],
    ["N", "Y"],
    ["n", "y"],
    ["F", "T"],
    ["false", "true"],
    ["no", "yes"],
  ];
  const found = pairs.find((pair) => pair.includes(String(value)));
  return found === undefined ? null : found.join(",");
}

/** Which storage classes the cells of a column have, besides NULL. */
interface CellTypes {
  readonly isEmpty: boolean;
  readonly isIntegers: boolean;
  /** Integers, reals, or both. */
  readonly isNumbers: boolean;
  readonly isTexts: boolean;
  readonly isBlobs: boolean;
}

/** Returns the storage classes of a sample. A class is set if all cells have it, and at least one cell exists. */
function typesOf({ rows, nulls, integers, reals, texts, blobs }: ColumnSample): CellTypes {
  const cells = rows - nulls;
  const isEmpty = cells === 0;
  return {
    isEmpty,
    isIntegers: !isEmpty && integers === cells,
    isNumbers: !isEmpty && integers + reals === cells,
    isTexts: !isEmpty && texts === cells,
    isBlobs: !isEmpty && blobs === cells,
  };
}

/** Returns whether all cells have a form, ignoring NULL; true without cells. */
function isAll({ rows, nulls, forms }: ColumnSample, form: string): boolean {
  return (forms[form] ?? 0) === rows - nulls;
}

/** Publishes every cell as text; bytes as hexadecimal digits, because they need not be characters. */
export const AS_TEXT: Pick<DescribedColumn, "storage" | "isReadOnly"> = { storage: "text", isReadOnly: true };

/** Describes the cells of a column whose type promises others, such as `INTEGER column holds 12 texts in 100 rows`. */
function describeCells({ definition }: ObjectColumn, sample: ColumnSample): string {
  const { rows, integers, reals, texts, blobs, values } = sample;
  const [only, ...more] = values;
  const declared = definition === "" ? "column without a type" : `${definition} column`;
  if (only !== undefined && more.length === 0) {
    return `${declared} holds ${JSON.stringify(only)} in ${String(integers + texts)} of ${String(rows)} rows`;
  }
  const counts = [
    [integers, "integers"],
    [reals, "reals"],
    [texts, "texts"],
    [blobs, "blobs"],
  ] as const;
  const found = counts.filter(([count]) => count > 0).map(([count, what]) => `${String(count)} ${what}`);
  return `${declared} holds ${found.join(", ")} in ${String(rows)} rows`;
}

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
function mapTimestamp(
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
  if (isAll(sample, "iso-date-time")) return mapTimeText(zoned, cell);
  if (isAll(sample, "iso-date-time-zone")) return mapTimeText(cell, cell);
  return undefined;
}

/** Maps a column of dates, which programs often fill with times. @returns undefined if the cells have no form, or several */
function mapDate(column: ObjectColumn, sample: ColumnSample, context: ColumnMappingContext): ColumnMapping | undefined {
  return isAll(sample, "iso-date") ? mapTo("Edm.Date") : mapTimestamp(column, sample, context);
}

/** A `T` in place of the blank makes texts that the storage "text" reads. */
function mapTimeText(text: string, cell: string): ColumnMapping {
  const sql = `case typeof(${cell}) when 'text' then replace(${text}, ' ', 'T') end`;
  return mapTo("Edm.DateTimeOffset", { storage: "text", sql, isReadOnly: true });
}
