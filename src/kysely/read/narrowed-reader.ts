import type { RowRestriction } from "../../query/source.ts";
import { toExecution } from "../statement/parameter-slot.ts";
import { baseOf } from "./read-page.ts";
import { findReader } from "./reader-of-source.ts";
import type { SqlReader } from "./sql-reader.ts";

/** Which rows are there; without `sources`: as the rows alone tell. */
type Narrowing = Pick<RowRestriction, "filter" | "values"> & Partial<Pick<RowRestriction, "sources">>;

/**
 * Makes what reads only the rows that meet a condition. Its statements are compiled once per filter, whatever the values.
 * @throws Error where the condition leads to rows of another database
 */
export function narrowedReader(reader: SqlReader, { filter, values, sources }: Narrowing): SqlReader {
  checkJoinable(reader, sources);
  const condition = toExecution({ values, base: baseOf(reader, sources) });
  return Object.freeze({ ...reader, statements: reader.statements.narrowed(filter, sources), parameters: [condition] });
}

/** @throws Error where a condition leads to rows that stand in no statement with those of the reader */
export function checkJoinable({ rows }: SqlReader, sources: RowRestriction["sources"] | undefined): void {
  if (sources === undefined) return;
  for (const [{ name }, source] of sources) {
    if (findReader(source)?.rows === rows) continue;
    throw new Error(
      `A row rule leads to ${name}, which is not in the same database: give sets of one \`db\`, all \`distributed\` or none.`,
    );
  }
}
