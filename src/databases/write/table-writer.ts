import { chain, recover, type Maybe } from "../../base/maybe.ts";
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
import { bindReferred, type BoundCells } from "./referred-texts.ts";
import { checkOneRow, placeBeyondKey, isAmbiguous, mayShareKeys, sharedKey } from "./shared-keys.ts";
import type { SqlSession, WriteResult } from "./sql-session.ts";
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
 * All methods throw ODataError for faults of the client, and return synchronously if the session does.
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
  insert(
    task: WriteTask,
    values: Values,
    linked: Values = {},
    beside: readonly StructuralProperty[] = [],
  ): Maybe<Stored> {
    const { table, statements } = this;
    const given = valuesToStore(table, values, linked);
    const { selected, beyond } = returnedWith(table.returnedTo(task.context), beside);
    const { columns, cells } = this.#orFault(task, () => cellsToWrite(table, given));
    const { bound, references } = this.#bind(task, { columns, cells });
    const statement = statements.insert(columns, selected, references);
    const added = chain(this.#isTaken(task, given), (isTaken) => {
      const run = chain(bound, (texts) => this.run(task, statement, () => ({ cells: texts }), { columns, cells }));
      return chain(run, ({ rows, insertId }) => ({ rows, insertId, isTaken }));
    });
    return chain(added, ({ rows, insertId, isTaken }): Maybe<Stored> => {
      const returned = writtenIn(rows, statement);
      if (returned !== null && statements.areReturning) {
        return chain(this.#asLeft(task, returned, selected), (row) => splitRow(row, beside, beyond));
      }
      const key = returned === null ? keyOfNewRow(table, given, insertId) : this.keyOf(returned);
      const written = { columns, values: given };
      const read = (): Maybe<Values | null> => {
        if (key === null || isTaken) return null;
        // A trigger that skipped the row may have stored it elsewhere, for example in a table that inherits this one.
        if (statements.areReturning) return this.#findUnwritten(task, key, { ...written, selected, expected: [] });
        return this.#readWritten(task, key, selected, written);
      };
      return chain(read(), (stored) => {
        if (stored === null && !isTaken) this.#orFault(task, () => checkKeyKept(columns));
        if (stored === null) throw skippedWrite();
        return splitRow(stored, beside, beyond);
      });
    });
  }

  /** Changes properties of a row. @returns null if no row has the key and the expected values */
  update(task: WriteTask, key: readonly PrimitiveValue[], change: RowValues, expected: Expected): Maybe<Values | null> {
    const { values, stored, left } = change;
    const written = this.#orFault(task, () => cellsToWrite(this.table, values, stored));
    return this.#update(task, key, { ...withoutGivenBack(written, values, left), values }, expected);
  }

  /**
   * Merges a change into a row, without writing the columns of complex values that it does not mention.
   * @returns null if no row has the key and the expected values
   */
  merge(task: WriteTask, key: readonly PrimitiveValue[], change: RowValues, expected: Expected): Maybe<Values | null> {
    const { table } = this;
    const { values, left } = change;
    const changed = this.#orFault(task, () => changedColumns(table, fieldsToWrite(table, values), change));
    const { columns, cells } = withoutGivenBack(changed, values, left);
    // A change without values only counts: it changes the version of the row.
    const isRead = columns.length === 0 && Object.keys(values).length > 0;
    if (isRead) return this.read(task, key, table.returnedTo(task.context));
    return this.#update(task, key, { columns, cells, values }, expected);
  }

  #update(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    { columns, cells, values }: ColumnsToWrite,
    stated: Expected,
  ): Maybe<Values | null> {
    const { table, statements } = this;
    const selected = table.returnedTo(task.context);
    if (columns.length === 0 && table.rowVersion === null) return this.read(task, key, selected);
    const { bound, references } = this.#bind(task, { columns, cells });
    const expected = this.#placed(task, stated);
    const statement = statements.update(columns, { expected, selected }, references);
    const changed = chain(bound, (texts) =>
      this.run(task, statement, () => ({ key, expected, cells: texts }), { columns, cells }),
    );
    return chain(changed, ({ rows }): Maybe<Values | null> => {
      checkOneRow(table, rows.length);
      if (statements.areReturning && rows.length === 0) {
        return this.#findUnwritten(task, key, { columns, values, selected, expected: stated });
      }
      if (statements.areReturning) return this.#asLeft(task, writtenIn(rows, statement), selected);
      return chain(this.#readWritten(task, key, selected, { columns, values }), (stored) => {
        // The row was locked before, so it exists.
        if (stored === null && mayShareKeys(table)) throw sharedKey();
        return stored;
      });
    });
  }

  /** Deletes a row. @returns whether it existed with the expected values, if the database returns rows */
  delete(task: WriteTask, key: readonly PrimitiveValue[], stated: Expected): Maybe<boolean> {
    const expected = this.#placed(task, stated);
    const removed = this.run(task, this.statements.delete({ expected }), () => ({ key, expected }), "delete");
    return chain(removed, ({ rows }) => {
      checkOneRow(this.table, rows.length);
      return rows.length > 0;
    });
  }

  /** Returns the paths of the columns of properties whose cells cannot be read. */
  unreadable(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    properties: readonly StructuralProperty[],
  ): Maybe<ReadonlySet<string> | undefined> {
    if (properties.length === 0) return undefined;
    const selected = properties.map((property) => ({ property }));
    const expected = this.#placed(task);
    const statement = this.statements.select(selected, "read", expected);
    const found = this.run(task, statement, () => ({ key, expected }));
    return chain(found, ({ rows: [row = []] }) => unreadablePaths(row, statement.rowShape));
  }

  /** @throws ODataError `Conflict` if a row that was to be deleted is still there */
  checkAbsent(task: WriteTask, key: readonly PrimitiveValue[], expected: Expected): Maybe<void> {
    return chain(this.count(task, key, expected), (count) => {
      if (count > 0) throw skippedWrite();
    });
  }

  /**
   * Explains a statement that has written no row.
   * @returns null if no row has the key and the expected values; the row if it already has the written values, which triggers
   *   use as a reason to skip a write
   * @throws ODataError `Conflict` for a row that the database has left as it was
   */
  #findUnwritten(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    { columns, values, selected, expected: stated }: UnwrittenRow,
  ): Maybe<Values | null> {
    const expected = this.#placed(task, stated);
    const statement = this.statements.select(selected, "read", expected);
    const found = this.run(task, statement, () => ({ key, expected }));
    return chain(found, ({ rows }) => {
      const row = firstOf(rows, statement);
      if (row !== null && (columns.length === 0 || !columns.every((column) => isWritten(column, row, values)))) {
        throw skippedWrite();
      }
      return row;
    });
  }

  /**
   * Reads a row within the session; null for several with one key.
   * @param use the purpose, which determines whether it is locked
   */
  read(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    selected: readonly SelectedProperty[],
    use: RowUse = "read",
    expected: Expected = this.#placed(task),
  ): Maybe<Values | null> {
    const statement = this.statements.select(selected, use, expected);
    return chain(
      this.run(task, statement, () => ({ key, expected })),
      ({ rows }) => (rows.length > 1 && isAmbiguous(this.table) ? null : firstOf(rows, statement)),
    );
  }

  /** Returns a written row as triggers leave it. A row that they delete is as it was written. */
  #asLeft<Written extends Values | null>(
    task: WriteTask,
    row: Written,
    selected: readonly SelectedProperty[],
  ): Maybe<Values | Written> {
    if (row === null || this.statements.triggers !== "own") return row;
    // The row may be hidden, while another one with its key is not.
    const place = storedPlace(this.table, row);
    return chain(this.read(task, this.keyOf(row), selected, "read", place), (left) => left ?? row);
  }

  /** @throws ODataError `InvalidBody` if a column contains another value than was written, which fails the transaction */
  #readWritten(
    task: WriteTask,
    key: readonly PrimitiveValue[],
    selected: readonly SelectedProperty[],
    { columns, values }: Pick<ColumnsToWrite, "columns" | "values">,
  ): Maybe<Values | null> {
    const read = (): Maybe<Values | null> =>
      chain(this.read(task, key, selected), (stored) => {
        for (const column of stored === null ? [] : columns) checkSame(column, stored ?? {}, values);
        return stored;
      });
    return recover(read, (error) => {
      const fault = unstorable(error, columns);
      throw fault === null ? error : this.#faultOf(task, fault);
    });
  }

  /** Returns how many rows have a key and the expected values. */
  count(task: WriteTask, key: readonly PrimitiveValue[], stated: Expected = []): Maybe<number> {
    const expected = this.#placed(task, stated);
    const statement = this.statements.select(this.table.keyOnly, "read", expected);
    return chain(
      this.run(task, statement, () => ({ key, expected })),
      ({ rows }) => rows.length,
    );
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
    const { rows } = await this.run(task, statement, () => ({
      key: fields.map((field) => values[field] as PrimitiveValue),
      expected,
    }));
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

  #bind(task: WriteTask, written: WrittenColumns): BoundCells {
    const references = this.referencesOf(task.context);
    return bindReferred(task.session, written, { references, table: this.table }, (error) =>
      this.#faultOf(task, error),
    );
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

  /** Runs a statement. @throws ODataError for faults of the client */
  run(
    task: WriteTask,
    statement: WriteStatement,
    valuesOf: () => WriteValues,
    written?: WrittenColumns | "delete",
  ): Maybe<WriteResult> {
    const run = (): Maybe<WriteResult> => task.session.run(toCommand(statement, valuesOf()));
    return recover(
      () =>
        chain(run(), (result) => {
          this.table.reader.rows.outage.end();
          return result;
        }),
      (error) => {
        throw this.#faultOf(task, error, written);
      },
    );
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
  #isTaken(task: WriteTask, given: Values): Maybe<boolean> {
    const { table, statements } = this;
    const isShared = mayShareKeys(table);
    const isAsked = isShared || (statements.areReturning && statements.triggers === "own");
    const key = isAsked ? keyOfNewRow(table, given) : null;
    if (key === null) return false;
    return chain(this.count(task, key), (count) => {
      if (isShared && count > 0) throw keyConflict({ ...task, table });
      return count > 0;
    });
  }
}

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
