import { showValue } from "../../format/show-value.ts";
import type { ScreenProps } from "../../state/session.ts";
import type { Column } from "./column.ts";
import type { GridQuery } from "./grid-query.ts";

/** What the parts of a grid share. */
export interface GridProps extends ScreenProps {
  readonly query: GridQuery;
  readonly columns: readonly Column[];
}

/** Writes a number of rows for a reader. */
export function rowsText(count: number): string {
  return `${showValue(count, null).text} ${count === 1 ? "row" : "rows"}`;
}
