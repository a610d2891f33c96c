import type { SortKey } from "../../query/order-by-text.ts";
import type { Column, Row } from "./column.ts";
import type { PagedRows } from "./paged-rows.ts";

/** What a table shows, and what a reader does with it. */
export interface TableProps {
  readonly label: string;
  readonly rows: PagedRows;
  readonly columns: readonly Column[];
  readonly order: readonly SortKey[];
  readonly filtered: ReadonlySet<string>;
  /** Whether the rows are those of the query before, whose successor is loading. */
  readonly isOld: boolean;
  /** The row to begin with. */
  readonly start: number;
  readonly hrefOf: (row: Row, column: Column, isFirst: boolean) => string | null;
  readonly onSort: (column: Column, isFurther: boolean) => void;
  readonly onFilter: (column: Column) => void;
  /** Told of the first visible row once scrolling pauses. */
  readonly onRest: (first: number) => void;
  /** Gets what scrolls to a row. */
  readonly goTo: { current: ((row: number) => void) | null };
}

/** The cell that the keys move; the row -1 is that of the headings. */
export interface Place {
  readonly row: number;
  readonly column: number;
}
