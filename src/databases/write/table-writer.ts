import type { Maybe } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import { keyIn, keyValues } from "../../edm/literal.ts";
import type { JoinPair, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import { toEntity } from "../read/read-entity.ts";
import { changedColumns, type RowValues, type WrittenColumns } from "./changed-columns.ts";
import {
  cellsToWrite,
  checkKeyKept,
  fieldsToWrite,
  firstOf,
  keyOfNewRow,
  returnedWith,
  splitRow,
  type Stored,
  valuesToStore,
  writtenIn,
} from "./new-row.ts";
import { type PlacedKey, placeOf, type Restrictions, storedPlace } from "./placed-rows.ts";
import { bindReferred, type BoundCells, findsReferred } from "./referred-texts.ts";
import { checkOneRow, placeBeyondKey, isAmbiguous, mayShareKeys, sharedKey } from "./shared-keys.ts";
import type { SqlSession, WriteCommand, WriteResult } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import { checkSame, isWritten, type Values, unstorable } from "./stored-columns.ts";
import { findReferences, type StoredReferences } from "./stored-references.ts";
import { unreadablePaths, withoutGivenBack } from "./unreadable-cells.ts";
import { keyConflict, toWriteFault } from "./write-faults.ts";
import {
  skippedWrite,
  toCommand,
  WriteStatements,
  type Expected,
  type RowUse,
  type WriteStatement,
  type WriteValues,
} from "./write-statements.ts";

/** One write: its session and context, and the place of its entity in the body. */
export interface WriteTask {
  readonly session: SqlSession;
  readonly context: Context;
  /** The path of the entity with a trailing slash; empty for the body itself. */
  readonly place: string;
  /** The row rules for the user, of the written sets; absent: none of them applies. */
  readonly restrictions?: Restrictions;
}

/**
 * Writes the rows of one table with one command each. If the database does not return written rows, they are read afterwards.
 * All methods throw ODataError for faults of the client.
 */
export class TableWriter {
  readonly table: SqlTable;
  readonly statements: WriteStatements;
  /** By service. */
  readonly #references = new WeakMap<object, StoredReferences>();

  constructor(table: SqlTable) {
    this.table = table;
    this.statements = new WriteStatements(table);
  }

  /**
   * Adds a row.
   * @param values the values of the entity; generated values are ignored
   * @param linked values that follow from related rows, which take precedence over those of the entity
   * @param beside ignored properties whose values are returned too
   */
  async insert(
    task: WriteTask,
    values: Values,
    linked: Values = {},
    beside: readonly StructuralProperty[] = [],
  ): Promise<Stored> {
    const { table, statements } = this;
    const given = valuesToStore(table, values, linked);
    const { selected, beyond } = returnedWith(table.returnedTo(task.context), beside);
    const { columns, cells } = this.#orFault(task, () => cellsToWrite(table, given));
    const isTaken = await this.#isTaken(task, given);
    const { bound, references } = await this.#bind(task, { columns, cells });
    const statement = statements.insert(columns, selected, references);
    const written = { columns, cells };
    const read = ({ rows, insertId }: WriteResult) => ({ insertId, row: writtenIn(rows, statement) });
    const { insertId, row } = await this.run(task, statement, { cells: bound }, read, written);
    if (row !== null && statements.areReturning) {
      return splitRow(await this.#asLeft(task, row, selected), beside, beyond);
    }
    const key = row === null ? keyOfNewRow(table, given, insertId) : this.keyOf(row);
    if (isTaken) throw skippedWrite();
    const added = { columns, values: given };
    const stored = key === null ? null : await this.#findAdded(task, key, { ...added, selected, expected: [] });
    if (stored !== null) return splitRow(stored, beside, beyond);
    this.#orFault(task, () => checkKeyKept(columns));
    throw skippedWrite();
  }

  /** Reads a new row that its statement has not returned. */
  #findAdded(task: WriteTask, key: readonly PrimitiveValue[], added: UnwrittenRow): Promise<Values | null> {
    // A trigger that skipped the row may have stored it elsewhere, for example in a table that inherits this one.
    if (this.statements.areReturning) return this.#findUnwritten(task, key, added);
    return this.#readWritten(task, key, added.selected, added);
  }

  /** Changes properties of a row. @returns null if no row has the key and the expected values */
  update(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    change: RowValues,
    expected: Expected,
  ): Promise<Values | null> {
    const { values, stored, left } = change;
    const written = this.#orFault(task, () => cellsToWrite(this.table, values, stored));
    return this.#update(task, key, { ...withoutGivenBack(written, values, left), values }, expected);
  }

  /**
   * Merges a change into a row, without writing the columns of complex values that it does not mention.
   * @returns null if no row has the key and the expected values
   */
  merge(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    change: RowValues,
    expected: Expected,
  ): Promise<Values | null> {
    const { table } = this;
    const { values, left } = change;
    const changed = this.#orFault(task, () => changedColumns(table, fieldsToWrite(table, values), change));
    const { columns, cells } = withoutGivenBack(changed, values, left);
    // A change without values only counts: it changes the version of the row.
    const isRead = columns.length === 0 && Object.keys(values).length > 0;
    if (isRead) return this.read(task, key, table.returnedTo(task.context));
    return this.#update(task, key, { columns, cells, values }, expected);
  }

  async #update(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    { columns, cells, values }: ColumnsToWrite,
    stated: Expected,
  ): Promise<Values | null> {
    const { table, statements } = this;
    const selected = table.returnedTo(task.context);
    if (columns.length === 0 && table.rowVersion === null) return this.read(task, key, selected);
    const { bound, references } = await this.#bind(task, { columns, cells });
    const expected = this.#placed(task, stated);
    const statement = statements.update(columns, { expected, selected }, references);
    const read = ({ rows }: WriteResult): Values | null => {
      checkOneRow(table, rows.length);
      return statements.areReturning ? writtenIn(rows, statement) : null;
    };
    const row = await this.run(task, statement, { key, expected, cells: bound }, read, { columns, cells });
    if (row !== null) return this.#asLeft(task, row, selected);
    if (statements.areReturning) {
      return this.#findUnwritten(task, key, { columns, values, selected, expected: stated });
    }
    const stored = await this.#readWritten(task, key, selected, { columns, values });
    // The row was locked before, so it exists.
    if (stored === null && mayShareKeys(table)) throw sharedKey();
    return stored;
  }

  /** Deletes a row. @returns whether it existed with the expected values, if the database returns rows */
  delete(task: WriteTask, key: readonly PrimitiveValue[], stated: Expected): Promise<boolean> {
    const expected = this.#placed(task, stated);
    const read = ({ rows }: WriteResult): boolean => {
      checkOneRow(this.table, rows.length);
      return rows.length > 0;
    };
    return this.run(task, this.statements.delete({ expected }), { key, expected }, read, "delete");
  }

  /** Returns the paths of the columns of properties whose cells cannot be read. */
  async unreadable(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    properties: readonly StructuralProperty[],
  ): Promise<ReadonlySet<string> | undefined> {
    if (properties.length === 0) return undefined;
    const selected = properties.map((property) => ({ property }));
    const expected = this.#placed(task);
    const statement = this.statements.select(selected, "read", expected);
    const read = ({ rows: [row = []] }: WriteResult) => unreadablePaths(row, statement.rowShape);
    return this.run(task, statement, { key, expected }, read);
  }

  /** @throws ODataError `Conflict` if a row that was to be deleted is still there */
  async checkAbsent(task: WriteTask, key: readonly PrimitiveValue[], expected: Expected): Promise<void> {
    if ((await this.count(task, key, expected)) > 0) throw skippedWrite();
  }

  /**
   * Explains a statement that has written no row.
   * @returns null if no row has the key and the expected values; the row if it already has the written values, which triggers
   *   use as a reason to skip a write
   * @throws ODataError `Conflict` for a row that the database has left as it was
   */
  async #findUnwritten(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    { columns, values, selected, expected: stated }: UnwrittenRow,
  ): Promise<Values | null> {
    const expected = this.#placed(task, stated);
    const statement = this.statements.select(selected, "read", expected);
    const { rows } = await this.run(task, statement, { key, expected }, itself);
    const row = firstOf(rows, statement);
    if (row !== null && (columns.length === 0 || !columns.every((column) => isWritten(column, row, values)))) {
      throw skippedWrite();
    }
    return row;
  }

  /**
   * Reads a row within the session; null for several with one key.
   * @param use the purpose, which determines whether it is locked
   */
  async read(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    selected: readonly SelectedProperty[],
    use: RowUse = "read",
    expected: Expected = this.#placed(task),
  ): Promise<Values | null> {
    const statement = this.statements.select(selected, use, expected);
    const { rows } = await this.run(task, statement, { key, expected }, itself);
    return rows.length > 1 && isAmbiguous(this.table) ? null : firstOf(rows, statement);
  }

  /** Returns a written row as triggers leave it. A row that they delete is as it was written. */
  #asLeft(task: WriteTask, row: Values, selected: readonly SelectedProperty[]): Maybe<Values> {
    if (this.statements.triggers !== "own") return row;
    // The row may be hidden, while another one with its key is not.
    const place = storedPlace(this.table, row);
    return this.read(task, this.keyOf(row), selected, "read", place).then((left) => left ?? row);
  }

  /** @throws ODataError `InvalidBody` if a column contains another value than was written, which fails the transaction */
  async #readWritten(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    selected: readonly SelectedProperty[],
    { columns, values }: Pick<ColumnsToWrite, "columns" | "values">,
  ): Promise<Values | null> {
    try {
      const stored = await this.read(task, key, selected);
      for (const column of stored === null ? [] : columns) checkSame(column, stored ?? {}, values);
      return stored;
    } catch (error) {
      const fault = unstorable(error, columns);
      throw fault === null ? error : this.#faultOf(task, fault);
    }
  }

  /** Returns how many rows have a key and the expected values. */
  count(task: WriteTask, key: readonly PrimitiveValue[], stated: Expected = []): Promise<number> {
    const expected = this.#placed(task, stated);
    const statement = this.statements.select(this.table.keyOnly, "read", expected);
    return this.run(task, statement, { key, expected }, ({ rows }) => rows.length);
  }

  /**
   * Returns the keys of the rows with given values, none of them null, and locks these rows.
   * @param pairs the pairs of a join whose related properties have the values
   */
  async keysBy(task: WriteTask, values: Values, pairs: readonly JoinPair[]): Promise<readonly PlacedKey[]> {
    const keys = await this.findKeys(task, values, pairs);
    if (this.statements.locksByCondition || keys.length === 0) return keys;
    for (const { key } of keys) await this.read(task, key, this.table.keyOnly, "locked");
    // Some may have got other values before they were locked.
    return this.findKeys(task, values, pairs);
  }

  /** Returns the keys like `keysBy`. @param use whether the rows are locked if a statement with a condition can do so */
  async findKeys(
    task: WriteTask,
    values: Values,
    pairs: readonly JoinPair[],
    use: "read" | "locked" = "locked",
  ): Promise<readonly PlacedKey[]> {
    const fields = Object.keys(values);
    const expected = this.#placed(task);
    const statement = this.statements.selectBy(fields, pairs, use, expected);
    const wanted = fields.map((field) => values[field] as PrimitiveValue);
    const { rows } = await this.run(task, statement, { key: wanted, expected }, itself);
    const place = placeBeyondKey(this.table);
    return rows.map((row) => {
      const found = toEntity({ row, rowShape: statement.rowShape }) as Values;
      return { key: this.keyOf(found), place: place === null ? undefined : found[place.field] };
    });
  }

  /** Returns the key of an entity, in the order of the type's key. */
  keyOf(entity: object): readonly PrimitiveValue[] {
    return this.keyValues(keyIn(this.table.entityType, entity));
  }

  /** Returns the values of a key in the application's form. */
  keyValues(key: unknown): readonly PrimitiveValue[] {
    return keyValues(this.table.entityType.key, key);
  }

  /** Adds the value that decides on the machine of the rows that the user sees: with it the key is unique. */
  #placed({ context, restrictions }: WriteTask, expected: Expected = []): Expected {
    const place = placeOf(this.table, context, restrictions);
    return place.length === 0 ? expected : [...expected, ...place];
  }

  #bind(task: WriteTask, written: WrittenColumns): Maybe<BoundCells> {
    const references = this.referencesOf(task.context);
    if (references.size === 0 || findsReferred(this.table)) return { bound: written.cells, references };
    return bindReferred(task.session, written, references, (error) => this.#faultOf(task, error));
  }

  /** Returns the columns of other tables that foreign keys of this one repeat. */
  referencesOf(context: Context): StoredReferences {
    // An application may call with a context that it made itself.
    const service: object = context?.service ?? this;
    const known = this.#references.get(service);
    if (known !== undefined) return known;
    const found = findReferences(context, this.table);
    this.#references.set(service, found);
    return found;
  }

  /**
   * Runs a statement.
   * @param read reads the result: see `SqlSession.run`
   * @param written the cells that the statement writes
   * @throws ODataError for faults of the client
   */
  run<T>(
    task: WriteTask,
    statement: WriteStatement,
    values: WriteValues,
    read: (result: WriteResult) => T,
    written?: WrittenColumns | "delete",
  ): Promise<T> {
    const toFault = (error: unknown): unknown => this.#faultOf(task, error, written);
    const readOf = (result: WriteResult): T => {
      this.table.reader.rows.outage.end();
      return read(result);
    };
    let command: WriteCommand;
    try {
      command = toCommand(statement, values);
    } catch (error) {
      throw toFault(error);
    }
    return task.session.run(command, readOf, toFault);
  }

  #orFault<T>(task: WriteTask, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#faultOf(task, error);
    }
  }

  /** @param written the cells that the failed statement wrote */
  #faultOf({ context, place }: WriteTask, error: unknown, written?: WrittenColumns | "delete"): unknown {
    return toWriteFault(error, { context, table: this.table, place, written });
  }

  /**
   * Whether a row has the key of a new row that a trigger may skip: then the row that is found afterwards is not the new one.
   * @throws ODataError `Conflict` if a row has the key in cells that constraints distinguish
   */
  async #isTaken(task: WriteTask, given: Values): Promise<boolean> {
    const { table, statements } = this;
    const isShared = mayShareKeys(table);
    const isAsked = isShared || (statements.areReturning && statements.triggers === "own");
    const key = isAsked ? keyOfNewRow(table, given) : null;
    if (key === null) return false;
    const count = await this.count(task, key);
    if (isShared && count > 0) throw keyConflict({ ...task, table });
    return count > 0;
  }
}

/** Reads nothing: the rows are read after the command. */
export const itself = (result: WriteResult): WriteResult => result;

interface ColumnsToWrite extends WrittenColumns {
  readonly values: Values;
}

/** The row that a statement should have written, and the condition of the write. */
interface UnwrittenRow extends Omit<ColumnsToWrite, "cells"> {
  readonly selected: readonly SelectedProperty[];
  readonly expected: Expected;
}

/** Returns the writer of a table: a single one, so that its statements are compiled once. */
export const writerOf: (table: SqlTable) => TableWriter = keptPer((table) => new TableWriter(table));
