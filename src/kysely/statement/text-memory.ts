import type { CallExpression } from "../../query/expression.ts";
import type { FunctionName } from "../../query/functions.ts";
import type { Sql } from "./sql-form.ts";

/** How long a database keeps the texts that expressions compute, and how many it can keep. */
export interface TextMemory {
  /** The most bytes of all texts that are kept at the same time. */
  readonly most: number;
  /** Queries that keep so few copies are not bounded: their conditions stay short, and indexes can serve them. */
  readonly few: number;
  /** The functions whose calls with a stored property need no bound of the statement, so that indexes can serve them. */
  readonly unbound: ReadonlySet<FunctionName>;
  /** How many copies of the text that it makes or takes a call adds to those of its arguments, until the row ends. */
  readonly copiesOf: (call: CallExpression) => number;
  /** Whether texts that are not stored count, too: literals, and the names of members of enumerations. */
  readonly countsAll: boolean;
  /** The copies of a text that rows are sorted by. */
  readonly sortedCopies: number;
  /** The number of bytes of a text. */
  readonly bytesOf: (text: Sql) => Sql;
  /** A value, which fails the statement before it is computed if some texts have more bytes. */
  readonly within: (bytes: Sql, most: number, value: Sql) => Sql;
}
