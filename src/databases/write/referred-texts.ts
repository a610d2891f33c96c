import { keptPer } from "../../base/memo.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import { cellName } from "../translate/select-columns.ts";
import { compileStatement } from "../translate/utc-session.ts";
import type { WrittenColumns } from "./changed-columns.ts";
import type { SqlSession } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import { selectReferred, type StoredReference, type StoredReferences } from "./stored-references.ts";
import { referredBy, toCommand, type WriteStatement } from "./write-statements.ts";

/** Whether the statements that write a table find the texts of referenced rows. Otherwise they are read before. */
export function findsReferred({ reader }: SqlTable): boolean {
  return reader.profile.capabilities.readsInWrites;
}

/** The cells of a statement, and the references whose texts the statement itself finds. */
export interface BoundCells {
  readonly bound: readonly unknown[];
  readonly references: StoredReferences;
}

/** Returns the cells to bind for a write that cannot find the texts. @param toFault converts the error of a read */
export async function bindReferred(
  session: SqlSession,
  { columns, cells }: WrittenColumns,
  references: StoredReferences,
  toFault: (error: unknown) => unknown,
): Promise<BoundCells> {
  const referred = columns.map((column) => referredBy(column, references));
  return { bound: await readReferredTexts(session, cells, referred, toFault), references: new Map() };
}

/**
 * Replaces the cells of foreign keys by the texts of the referenced rows, for databases that refuse subqueries in writes.
 * @param references for each cell, the columns that it refers to
 * @param toFault converts the error of a read
 * @returns the cells; a cell without a referenced row is unchanged
 */
export async function readReferredTexts(
  session: SqlSession,
  cells: readonly unknown[],
  references: ReadonlyArray<readonly StoredReference[] | undefined>,
  toFault?: (error: unknown) => unknown,
): Promise<readonly unknown[]> {
  const texts: unknown[] = [];
  for (const [index, cell] of cells.entries()) {
    let text = cell;
    for (const reference of cell === null ? [] : (references[index] ?? [])) {
      const command = toCommand(statementOf(reference), { cells: [cell] });
      const row = await session.run(command, ({ rows: [first] }) => first, toFault);
      if (row === undefined) continue;
      [text] = row;
      break;
    }
    texts.push(text);
  }
  return texts;
}

const statementOf = keptPer((reference: StoredReference): WriteStatement => {
  const { db, reader } = reference.table;
  const query = selectReferred(reference, () => bindSlot(({ cells }) => cells[0]), cellName(0));
  const { sql: text, parameters } = compileStatement(query, db, reader.profile);
  return { sql: text, slots: parameters, width: 1, rowShape: { columns: new Map() } };
});
