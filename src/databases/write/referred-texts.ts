import { chain, recover, type Maybe } from "../../base/maybe.ts";
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
  readonly bound: Maybe<readonly unknown[]>;
  readonly references: StoredReferences;
}

/** Returns the cells to bind for a write. @param toFault converts the error of a read */
export function bindReferred(
  session: SqlSession,
  { columns, cells }: WrittenColumns,
  { references, table }: { readonly references: StoredReferences; readonly table: SqlTable },
  toFault: (error: unknown) => unknown,
): BoundCells {
  if (references.size === 0 || findsReferred(table)) return { bound: cells, references };
  const referred = columns.map((column) => referredBy(column, references));
  const bound = recover(
    () => readReferredTexts(session, cells, referred),
    (error) => {
      throw toFault(error);
    },
  );
  return { bound, references: new Map() };
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
