import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import { keptPerPair } from "../../base/memo.ts";
import type { LinkColumn, LinkJoin } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { linkStorage } from "../columns/check-link-storage.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import { isAnyCase, linkFormat } from "../translate/join-navigation.ts";
import { compared } from "../translate/relation.ts";
import { equalsConstant } from "../translate/translate-comparison.ts";
import { compileStatement } from "../translate/utc-session.ts";
import { findsReferred, readReferredTexts } from "./referred-texts.ts";
import type { WriteResult } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import { storedProperty, type StoredProperty } from "./stored-columns.ts";
import { asReferredTo, type StoredReference } from "./stored-references.ts";
import { itself, type WriteTask } from "./table-writer.ts";
import { toWriteFault } from "./write-faults.ts";
import { skippedWrite, toCommand, type WriteStatement, type WriteValues } from "./write-statements.ts";

/** The values of a link: first those of columns for this entity, then those of columns for the related entity. */
type LinkValues = readonly PrimitiveValue[];

/** The tables on both sides of links. */
interface LinkEnds {
  readonly own: SqlTable;
  readonly other: SqlTable;
}

interface LinkStatements {
  readonly insert: WriteStatement;
  readonly delete: WriteStatement;
  readonly find: WriteStatement;
  /** For each value, the stored property that writes it. */
  readonly stored: readonly StoredProperty[];
  /** For each value, the index of the first value of the same column, which the insert writes. */
  readonly firsts: readonly number[];
  /** For each inserted cell, the column whose text it repeats; null if the insert finds these texts. */
  readonly references: ReadonlyArray<readonly StoredReference[] | undefined> | null;
}

/**
 * Adds a link unless it exists already. If the link table has a key, that includes links that are added concurrently.
 * @param ends the linked tables
 * @throws ODataError `NotSupported` if the entities have different values for a column that both share
 */
export async function addLink(task: WriteTask, ends: LinkEnds, join: LinkJoin, values: LinkValues): Promise<void> {
  const statements = statementsOf(ends, join);
  const cells = cellsOf(statements, values);
  if (await hasLink(task, ends, join, values)) return;
  const { references } = statements;
  const texts = references === null ? cells : await readReferredTexts(task.session, cells, references);
  const { rows } = await run(task, ends.own, statements.insert, () => ({ cells: texts }));
  const isAdded = rows.length > 0 || statements.insert.width === 0 || (await hasLink(task, ends, join, values));
  if (!isAdded) throw skippedWrite();
}

/** Returns one cell for each column. @throws ODataError `NotSupported` if a column would have to contain two values */
function cellsOf({ stored, firsts }: LinkStatements, values: LinkValues): readonly unknown[] {
  const cells = stored.map(({ toCells }, index) => toCells(values[index]));
  for (const [index, first] of firsts.entries()) {
    if (textOf(cells[index]) === textOf(cells[first])) continue;
    const problem = "they have different values for a column that both share in the table of links.";
    throw protocolError("NotSupported", `The entities cannot be linked: ${problem}`);
  }
  return cells.filter((_cell, index) => firsts[index] === index).flat();
}

/** Returns a text that identifies the cells of a value. The text of a buffer would lose bytes. */
function textOf(cells: readonly unknown[] = []): string {
  return cells.map((cell) => (cell instanceof Uint8Array ? cell.join() : String(cell))).join();
}

/** Removes a link. @returns whether it existed */
export async function removeLink(
  task: WriteTask,
  ends: LinkEnds,
  join: LinkJoin,
  values: LinkValues,
): Promise<boolean> {
  if (!(await hasLink(task, ends, join, values))) return false;
  const statement = statementsOf(ends, join).delete;
  const { rows } = await run(task, ends.own, statement, () => ({ key: values }), true);
  const isLeft = rows.length === 0 && statement.width > 0 && (await hasLink(task, ends, join, values));
  if (isLeft) throw skippedWrite();
  return true;
}

async function hasLink(task: WriteTask, ends: LinkEnds, join: LinkJoin, values: LinkValues): Promise<boolean> {
  const { rows } = await run(task, ends.own, statementsOf(ends, join).find, () => ({ key: values }));
  return rows.length > 0;
}

async function run(
  { session, context, place }: WriteTask,
  table: SqlTable,
  statement: WriteStatement,
  valuesOf: () => WriteValues,
  isDelete: boolean = false,
): Promise<WriteResult> {
  try {
    return await session.run(toCommand(statement, valuesOf()), itself);
  } catch (error) {
    throw toWriteFault(error, { context, table, place, ...(isDelete && { written: "delete" }) });
  }
}

function statementsOf(ends: LinkEnds, join: LinkJoin): LinkStatements {
  const statements = statementsFrom(join, ends.own);
  return (statements.known ??= compileStatements(ends, join));
}

/** Per join and table, since the join of one table always has the same other table. */
const statementsFrom = keptPerPair((_join: LinkJoin, _own: SqlTable): { known?: LinkStatements } => ({}));

function compileStatements(ends: LinkEnds, join: LinkJoin): LinkStatements {
  const { db, reader } = ends.own;
  const columns = [
    ...join.from.map((column) => toEnd(column, ends.own)),
    ...join.to.map((column) => toEnd(column, ends.other)),
  ];
  const name = sqlTableName(join.table);
  const stored = columns.map(({ format, ...column }) =>
    storedProperty({
      kind: "scalar",
      property: column.property,
      column: column.column,
      nullable: false,
      format,
      storage: linkStorage(column),
    }),
  );
  const keys = columns.map(({ column }) => reader.profile.syntax.columnKey(column));
  const firsts = keys.map((key) => keys.indexOf(key));
  const inserted = columns.filter((_column, index) => firsts[index] === index);
  const places = stored
    .filter((_column, index) => firsts[index] === index)
    .flatMap((each) => each.columns)
    .map(({ place }, index) => {
      const bind = (): Sql => place(bindSlot(({ cells }) => cells[index]));
      const referred = inserted[index]?.referred;
      return referred === undefined || !findsReferred(ends.own) ? bind() : asReferredTo([referred], bind);
    });
  const hasNone = findsReferred(ends.own) || columns.every(({ referred }) => referred === undefined);
  const references = inserted.map(({ referred }) => (referred === undefined ? undefined : [referred]));
  const names = inserted.map(({ column }) => sql.id(column));
  const { comparisonOf } = reader.statements.rowsFor(null);
  const comparisons = [...join.from, ...join.to].map(comparisonOf);
  const tests = columns.map(({ column, format }, index) => {
    const operand = { kind: "row", sql: sql.id(column), form: format.form, nulls: "column" } as const;
    return equalsConstant(compared(operand, comparisons[index]), { kind: "parameter", index }, "filter");
  });
  const where = sql.join(tests, sql` and `);
  const inUtc = columns.some(({ format }) => format.form.inUtcSession === true);
  const [first = sql``] = names;
  const unlessThere = reader.profile.writes.unlessThere(first);
  const { returnsRows } = reader.profile.writes;
  const returning = returnsRows ? sql` returning 1 as ${sql.id("c0")}` : sql``;
  const compile = (text: Sql, width: number): WriteStatement => {
    const { sql: compiled, parameters } = compileStatement(text, db, reader.profile, { inUtc });
    return { sql: compiled, slots: parameters, width, rowShape: { columns: new Map() } };
  };
  return {
    insert: compile(
      sql`insert into ${name} (${sql.join(names)}) values (${sql.join(places)})${unlessThere}${returning}`,
      Number(returnsRows),
    ),
    delete: compile(sql`delete from ${name} where ${where}${returning}`, Number(returnsRows)),
    find: compile(sql`select 1 as ${sql.id("c0")} from ${name} where ${where} limit 1`, 1),
    stored,
    firsts,
    references: hasNone ? null : references,
  };
}

/** A column of a link table, with the column whose text it repeats exactly. */
interface EndColumn extends LinkColumn {
  readonly format: ColumnFormat;
  readonly referred: StoredReference | undefined;
}

function toEnd(column: LinkColumn, table: SqlTable): EndColumn {
  const { field } = column.property;
  const { profile } = table.reader;
  const plan = table.plans.get(field);
  const form = plan?.kind === "scalar" ? plan.format.form : undefined;
  const referred = isAnyCase(column, profile, form) ? { table, field } : undefined;
  return { ...column, format: linkFormat(column, profile, form), referred };
}
