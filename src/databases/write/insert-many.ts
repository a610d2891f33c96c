import { ofPosition } from "../../base/errors/at-position.ts";
import { isODataError } from "../../base/errors/odata-error.ts";
import { Turn } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import type { Context } from "../../definition/context.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import { ALONE, entitiesWithin, type WrittenEntity } from "../../definition/sets/judge-references.ts";
import { toEntity } from "../read/read-entity.ts";
import { checkReferredRows, statedIn, type StatedIn, type StatedRow, statesReferences } from "./guarded-references.ts";
import {
  checkWritten,
  hasNested,
  insertNode,
  type InsertTask,
  isSupplied,
  placeIn,
  placeToCheck,
  readAgain,
} from "./insert-node.ts";
import { type NewRow, newRowOf, returnedWith, splitRow, type Stored } from "./new-row.ts";
import { mayReferToLater } from "./references-within.ts";
import { findsReferred } from "./referred-texts.ts";
import { isContention } from "./repeated-attempts.ts";
import { mayShareKeys } from "./shared-keys.ts";
import {
  inStatement,
  inTransaction,
  runText,
  type SqlSession,
  UnreadableRowError,
  withSavepoint,
} from "./sql-session.ts";
import { keepsRowsBack, mayHideRows, type SqlTable, tableOfSet, targetSet, writtenSet } from "./sql-table.ts";
import { isWritten, type Values } from "./stored-columns.ts";
import { itself, writerOf } from "./table-writer.ts";
import { checkSeesAny, NO_RULES, restrictionsOf } from "./visible-rows.ts";

/** The most rows of one statement. */
const MOST_ROWS = 256;
/** The numbers of rows of a statement: few, so that the compiled statements are kept. */
const SIZES = [MOST_ROWS, 128, 64, 32, 16, 8, 4, 2, 1];
/** About the most characters and bytes of the values of one statement: servers limit its length. */
const MOST_LENGTH = 1_000_000;

/**
 * Adds an entity and its nested entities in one transaction. Keys that the database generates are passed on along `on` and
 * `through`. A failure anywhere undoes everything.
 * @returns the rows as stored, nested as in the request
 * @throws ODataError for an invalid request; `Forbidden` or `Unauthorized` if the user would not see an added row
 * @see OData Protocol 4.0, section 11.4.2.2
 */
export async function insertOne(table: SqlTable, values: Values, context: Context): Promise<Values> {
  const set = writtenSet(context, table);
  const rules = await rulesFor(set, [values], context);
  if (rules.isPlain && rules.restrictions.size === 0) return insertAlone(table, values, context);
  const [stored] = await insertRows({ table, set, rows: [values], isMany: false }, rules, context);
  return required(stored, "An added row is missing.");
}

/** Adds an entity without nested entities to a table whose rows the user all sees. */
function insertAlone(table: SqlTable, values: Values, context: Context): Promise<Values> {
  const writer = writerOf(table);
  const insert = async (session: SqlSession): Promise<Values> =>
    (await writer.insert({ session, context, place: "" }, values)).entity;
  return writer.statements.areEnough ? inStatement(table, context, insert) : inTransaction(table, context, insert);
}

/**
 * Adds entities, with their nested entities, in one transaction, and in few statements. If a statement of several rows fails, or
 * does not return the rows as they were to be written, it is undone, and its rows are added one by one: so each error, and each
 * value that a trigger changes, is that of the row alone.
 * @returns the rows as stored, in the same order
 * @throws as `insertOne`; the target of an error begins with the position of the row
 */
export async function insertMany(
  table: SqlTable,
  rows: readonly Values[],
  context: Context,
): Promise<readonly Values[]> {
  const set = writtenSet(context, table);
  return insertRows({ table, set, rows, isMany: true }, await rulesFor(set, rows, context), context);
}

function insertRows(all: NewRows, { isPlain, ...rules }: WriteRules, context: Context): Promise<readonly Values[]> {
  const { table, set, rows } = all;
  const insert = async (session: SqlSession): Promise<readonly Values[]> => {
    const task: InsertTask = { session, context, place: "", written: [], ...rules };
    const isTogether = isPlain && rows.length > 1 && maySendTogether(table) && (await checkStated(task, all));
    const stored = isTogether ? await insertPlain(task, all) : await insertEach(task, all, 0);
    await checkWritten(task);
    const isOwn = (of: SqlTable): boolean => writerOf(of).statements.triggers !== undefined;
    // The trigger of a row may change the rows before it.
    const isLeft = isPlain
      ? rows.length < 2 || writerOf(table).statements.triggers !== "own"
      : !task.written.some((row) => isOwn(row.table));
    if (isLeft) return stored;
    const left: Values[] = [];
    for (const [index, values] of rows.entries()) {
      left.push(await readAgain(task, { table, set, values }, stored[index] ?? {}));
    }
    return left;
  };
  return inTransaction(table, context, insert, true);
}

/** The row rules of a write. */
interface WriteRules extends Pick<InsertTask, "restrictions" | "stated"> {
  /** Whether no entity has nested entities. */
  readonly isPlain: boolean;
}

/** Finds the row rules of all sets that rows are added to, and of the sets that these rows refer to. */
async function rulesFor(
  set: EntitySetDefinition | null,
  rows: readonly Values[],
  context: Context,
): Promise<WriteRules> {
  const isPlain = set === null || !rows.some((values) => hasNested(set, values));
  const isRuled = isPlain ? mayHideRows(set, context) : keepsRowsBack(context);
  if (set === null || !(isRuled || rows.some((values) => statesReferences(set, values)))) {
    return { isPlain, restrictions: NO_RULES, stated: NO_REFERENCES };
  }
  const all = rows.flatMap((entity): readonly WrittenEntity<EntitySetDefinition>[] => {
    const written = { set, entity, ...ALONE };
    return isPlain ? [written] : entitiesWithin(written, (from, name) => targetSet(context, from, name));
  });
  const sets = new Set(all.map((each) => each.set));
  const own = await restrictionsOf(sets, context);
  for (const each of sets) checkSeesAny(context, own, each);
  const stated = await statedIn(all, context);
  const targets = [...stated.values()].flatMap((each) => each.map(({ target }) => target));
  return { isPlain, restrictions: await restrictionsOf([...sets, ...targets], context), stated };
}

const NO_REFERENCES: StatedIn = new Map();

/** The rows to add to one table. */
interface NewRows {
  readonly table: SqlTable;
  readonly set: EntitySetDefinition | null;
  readonly rows: readonly Values[];
  /** Whether the target of an error begins with the position of a row. */
  readonly isMany: boolean;
}

/**
 * Checks the foreign keys of rows to sets with row rules before any row is added.
 * @returns false if some can only be checked with each row: the rows refer to each other, or the database supplies a part
 */
async function checkStated(task: InsertTask, { table, rows }: NewRows): Promise<boolean> {
  const all = rows.map((values) => task.stated.get(values) ?? []);
  const isEach = all.some((stated, index) =>
    stated.some((each) => isSupplied(each, rows[index] ?? {}) || isOwn(each, table)),
  );
  if (isEach) return false;
  const seen = new Map<string, Promise<boolean>>();
  for (const [position, stated] of all.entries()) {
    const check = (): Promise<void> =>
      checkReferredRows(task, task.restrictions, stated, { table, entity: rows[position] ?? {} }, seen);
    if (stated.length > 0) await ofPosition(position, check);
  }
  return true;
}

function isOwn({ target }: StatedRow, table: SqlTable): boolean {
  return tableOfSet(target) === table.declared;
}

/** Adds rows one by one. @param from the position of the first one */
async function insertEach(
  task: InsertTask,
  { table, set, rows, isMany }: NewRows,
  from: number,
): Promise<readonly Values[]> {
  const stored: Values[] = [];
  for (const [index, values] of rows.entries()) {
    const position = isMany ? from + index : undefined;
    const insert = (): Promise<Stored> => insertNode({ ...task, position }, { table, set, values }, {}, []);
    stored.push((await ofPosition(position, insert)).entity);
  }
  return stored;
}

/** Whether several rows of a table may be added by one statement: the statement returns the rows as they stay. */
function maySendTogether(table: SqlTable): boolean {
  const { statements } = writerOf(table);
  return statements.returnsInserted && statements.triggers !== "own" && !mayShareKeys(table);
}

/** The tables whose rows are not returned as they were to be written, because of a trigger or a type of a column. */
const othersOf = keptPer((_table: SqlTable): { isOther: boolean } => ({ isOther: false }));

/** Adds rows without nested entities. */
async function insertPlain(task: InsertTask, all: NewRows): Promise<readonly Values[]> {
  const { table, set, rows } = all;
  const stored: Values[] = [];
  const turn = new Turn();
  while (stored.length < rows.length) {
    const chunk = othersOf(table).isOther ? [] : nextChunk(table, rows, stored.length);
    const found = chunk.length > 1 ? await insertTogether(task, table, chunk) : UNDONE;
    if ("isOther" in found) {
      const alone = rows.slice(stored.length, stored.length + Math.max(chunk.length, 1));
      stored.push(...(await insertEach(task, { ...all, rows: alone }, stored.length)));
      // A value that the database refuses alone is the fault of a client, and not the way of the table.
      if (found.isOther) othersOf(table).isOther = true;
    } else {
      for (const [index, row] of found.entries()) {
        const { entity } = row;
        const place = placeIn(placeToCheck(task, table), row);
        task.written.push({ set, table, entity, place, position: stored.length + index });
      }
      stored.push(...found.map(({ entity }) => entity));
    }
    if (turn.isOver) await turn.next();
  }
  return stored;
}

/** Returns the next rows that one statement may add: they have the same columns. A row without a column is alone. */
function nextChunk(table: SqlTable, rows: readonly Values[], from: number): readonly NewRow[] {
  const prepared: NewRow[] = [];
  let length = 0;
  let most = MOST_ROWS;
  for (let at = from; at < rows.length && prepared.length < most; at += 1) {
    const row = prepare(table, rows[at] ?? {});
    const [first] = prepared;
    if (row === null || (first !== undefined && !hasSameColumns(first, row))) break;
    length += lengthOf(row.cells);
    if (first !== undefined && length > MOST_LENGTH) break;
    most = Math.min(most, Math.floor(table.reader.profile.session.maxParameters / row.columns.length));
    prepared.push(row);
  }
  const size = SIZES.find((each) => each <= prepared.length) ?? 0;
  return prepared.slice(0, size);
}

/** Returns a row with its cells; null for a row that is added alone: without columns, or with a value that cannot be stored. */
function prepare(table: SqlTable, given: Values): NewRow | null {
  try {
    const row = newRowOf(table, given);
    return row.columns.length === 0 ? null : row;
  } catch {
    // The same error is thrown with the position of the row.
    return null;
  }
}

function hasSameColumns({ columns }: NewRow, { columns: others }: NewRow): boolean {
  if (columns.length !== others.length) return false;
  for (const [index, { column }] of columns.entries()) if (column !== others[index]?.column) return false;
  return true;
}

/** Returns about the length of cells within a statement. */
function lengthOf(cells: readonly unknown[]): number {
  let length = 0;
  for (const cell of cells) if (typeof cell === "string" || cell instanceof Uint8Array) length += cell.length;
  return length;
}

/** A statement of several rows is undone. */
interface UndoneRows {
  /** Whether it has returned other rows than given. */
  readonly isOther: boolean;
}

const UNDONE: UndoneRows = { isOther: false };

/** A statement has not returned the rows as they were to be written, or not in their order. */
class OtherRows extends Error {}

/** A row may refer to a later row of its statement, which does not exist yet when the rows are added one by one. */
class LaterRows extends Error {}

/**
 * Adds rows by one statement.
 * @returns the rows as stored; or, after everything is undone, that they have to be added one by one
 */
async function insertTogether(
  task: InsertTask,
  table: SqlTable,
  rows: readonly NewRow[],
): Promise<readonly Stored[] | UndoneRows> {
  const { session } = task;
  const writer = writerOf(table);
  const [first] = rows;
  const references = writer.referencesOf(task.context);
  if (first === undefined || (references.size > 0 && !findsReferred(table))) return UNDONE;
  const beside = placeToCheck(task, table);
  const { selected, beyond } = returnedWith(table.returnedTo(task.context), beside);
  const statement = writer.statements.insertRows(first.columns, rows.length, selected, references);
  const cells = rows.flatMap((row) => row.cells);
  let isEnded = false;
  const end = (): void => void (isEnded = true);
  try {
    return await withSavepoint(
      "odatakit_rows",
      (text) => runText(session, text),
      async () => {
        const { columns, cells: own } = first;
        const found = await writer.run(task, statement, { cells }, itself, { columns, cells: own });
        if (found.rows.length !== rows.length) throw new OtherRows();
        const stored = found.rows.map((row, index) =>
          storedAs(rows[index], () => toEntity({ row, rowShape: statement.rowShape })),
        );
        if (mayReferToLater(table.entityType.key, first.columns, stored)) throw new LaterRows();
        return stored.map((row) => splitRow(row, beside, beyond));
      },
      end,
    );
  } catch (error) {
    if (isEnded) throw error;
    if (error instanceof OtherRows || error instanceof UnreadableRowError) return { isOther: true };
    if (isContention(error) || (isODataError(error) && error.status >= 500)) throw error;
    return UNDONE;
  }
}

/** Returns a row that has the values of a prepared one. @throws OtherRows, UnreadableRowError */
function storedAs(row: NewRow | undefined, read: () => object): Values {
  let entity: Values;
  try {
    entity = read() as Values;
  } catch (error) {
    throw new UnreadableRowError(error);
  }
  if (row === undefined || !row.columns.every((column) => isWritten(column, entity, row.values))) throw new OtherRows();
  return entity;
}
