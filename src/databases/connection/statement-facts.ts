import type { FunctionName } from "../../edm/canonical-functions.ts";
import type { UsedColumns } from "../../language/query/used-columns.ts";
import type { WantedTable } from "../introspect/schema.ts";

/** The translator's facts about a statement: a database of this process decides by them where the statement runs. */
export interface StatementFacts {
  /** The tables that it reads, quoted, each with its alias. Two tables may have one alias. */
  readonly tables: ReadonlyArray<readonly [alias: string, table: string]>;
  /** Whether it reads related rows. */
  readonly isRelational: boolean;
  /** The operators and functions that it evaluates for each row. */
  readonly operations: number;
  readonly functions: ReadonlySet<FunctionName>;
  /**
   * The places of `top` and `skip` among its values, if each row that its page visits in the order of an index is one of its
   * rows, or skipped; empty for other statements.
   */
  readonly limits: readonly number[];
  /** A limit of rows in its text instead of its values; absent: none. */
  readonly most?: number | undefined;
  /** Returns the columns that decide which rows it reads; absent: nothing knows. Only traces call it. */
  readonly columns?: () => UsedColumns;
  /** The cells of a row of entities, and the bytes of its JSON besides them; absent: responses do not contain its rows. */
  readonly row?: { readonly width: number; readonly besides: number } | undefined;
  /** Whether it reads the catalogue, or so few entries of indexes that it is always short. */
  readonly isOfCatalogue?: boolean;
}

/** The facts of statements that read the catalogue, and at most some 10,000 entries of an index. */
export const CATALOGUE_FACTS: StatementFacts = Object.freeze<StatementFacts>({
  tables: [],
  isRelational: false,
  operations: 0,
  functions: new Set<never>(),
  limits: [],
  isOfCatalogue: true,
});

/**
 * Returns the facts of a statement that reads rows of one table or view, and computes nothing.
 * @param most the most rows that it visits; absent: all
 */
export function factsOfRows({ text, names }: Pick<WantedTable, "text" | "names">, most?: number): StatementFacts {
  return { ...CATALOGUE_FACTS, tables: [[names.at(-1) ?? "", text]], most, isOfCatalogue: false };
}
