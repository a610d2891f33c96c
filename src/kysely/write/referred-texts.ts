import { chain, type Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { cellName } from "../translate/select-columns.ts";
import { compileStatement } from "../translate/utc-session.ts";
import type { SqlSession } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import { selectReferred, type StoredReference } from "./stored-references.ts";
import { toCommand, type WriteStatement } from "./write-statements.ts";

/** Whether the statements that write a table find the texts of referenced rows. Otherwise they are read before. */
export function findsReferred({ reader }: SqlTable): boolean {
  return reader.profile.capabilities.readsInWrites;
}

/**
 * Replaces the cells of foreign keys by the texts of the referenced rows, for databases that refuse subqueries in writes.
 * @param references for each cell, the columns that it refers to
 * @returns the cells; a cell without a referenced row is unchanged
 */
export function readReferredTexts(
  session: SqlSession,
  cells: readonly unknown[],
  references: ReadonlyArray<readonly StoredReference[] | undefined>,
): Maybe<readonly unknown[]> {
  const read = (index: number, found: readonly unknown[]): Maybe<readonly unknown[]> => {
    if (index === cells.length) return found;
    return chain(readText(session, cells[index], references[index] ?? []), (text) => read(index + 1, [...found, text]));
  };
  return read(0, []);
}

function readText(session: SqlSession, cell: unknown, [first, ...others]: readonly StoredReference[]): Maybe<unknown> {
  if (first === undefined || cell === null) return cell;
  return chain(session.run(toCommand(statementOf(first), { cells: [cell] })), ({ rows: [row] }) =>
    row === undefined ? readText(session, cell, others) : row[0],
  );
}

const statementOf = keptPer((reference: StoredReference): WriteStatement => {
  const { db, reader } = reference.table;
  const query = selectReferred(reference, () => bindSlot(({ cells }) => cells[0]), cellName(0));
  const { sql: text, parameters } = compileStatement(query, db, reader.profile);
  return { sql: text, slots: parameters, width: 1, rowShape: { columns: new Map() } };
});
