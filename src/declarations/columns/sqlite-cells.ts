import type { ColumnSample, ObjectColumn } from "../../introspect/database-schema.ts";
import { quoteSqlite } from "../../introspect/sqlite-sample.ts";
import type { DescribedColumn } from "../described-service.ts";

/** Which storage classes the cells of a column have, besides NULL. */
export interface CellTypes {
  readonly isEmpty: boolean;
  readonly isIntegers: boolean;
  /** Integers, reals, or both. */
  readonly isNumbers: boolean;
  readonly isTexts: boolean;
  readonly isBlobs: boolean;
}

/** Returns the storage classes of a sample. A class is that of all cells, and of one at least. */
export function typesOf({ rows, nulls, integers, reals, texts, blobs }: ColumnSample): CellTypes {
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

/** Returns whether all cells but NULL have a form, or there are none. */
export function isAll({ rows, nulls, forms }: ColumnSample, form: string): boolean {
  return (forms[form] ?? 0) === rows - nulls;
}

/** Publishes every cell as text; bytes as hexadecimal digits, because they need not be characters. */
export function asText({ name }: ObjectColumn): Pick<DescribedColumn, "sql" | "isReadOnly"> {
  const column = quoteSqlite(name);
  return {
    sql: `case typeof(${column}) when 'blob' then hex(${column}) else cast(${column} as text) end`,
    isReadOnly: true,
  };
}

/** Describes the cells of a column whose type promises others, such as `INTEGER column holds 12 texts in 100 rows`. */
export function describeCells({ definition }: ObjectColumn, sample: ColumnSample): string {
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
