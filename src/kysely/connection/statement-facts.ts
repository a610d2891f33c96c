import type { FunctionName } from "../../query/functions.ts";

/** What the translator knows of a statement: a database of this process decides by it where the statement runs. */
export interface StatementFacts {
  /** The tables that it reads, quoted, each with its alias. Two tables may have one alias. */
  readonly tables: ReadonlyArray<readonly [alias: string, table: string]>;
  /** Whether it reads related rows, too. */
  readonly isRelational: boolean;
  /** The operators and functions that it evaluates for each row. */
  readonly operations: number;
  readonly functions: ReadonlySet<FunctionName>;
  /**
   * The places of `top` and `skip` among its values, if each row that its page visits in the order of an index is one of its
   * rows, or skipped; empty for other statements.
   */
  readonly limits: readonly number[];
  /** Whether it reads the catalogue, or so few entries of indexes that it is always short. */
  readonly isOfCatalogue?: boolean;
}

/** The facts of the statements of the schema check, which read at most some 10,000 entries of an index. */
export const CATALOGUE_FACTS: StatementFacts = Object.freeze<StatementFacts>({
  tables: [],
  isRelational: false,
  operations: 0,
  functions: new Set<never>(),
  limits: [],
  isOfCatalogue: true,
});
