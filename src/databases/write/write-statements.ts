import { sql } from "kysely";
import { type ODataError, protocolError } from "../../base/errors/odata-error.ts";
import { integerBounds } from "../../edm/integer-bounds.ts";
import type { JoinPair, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import { comparedPlanOf, expressionsOf, scalarPlanOf } from "../columns/table-columns.ts";
import type { WriteSyntax } from "../forms/write-syntax.ts";
import { areCells, bindCell, readSlots, toExecution } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import { columnOperand, compared, plannedOperand, Level, Relation } from "../translate/relation.ts";
import { isReturnable, returnedColumns, selectColumns, type Cells } from "../translate/select-columns.ts";
import { equalsConstant } from "../translate/translate-comparison.ts";
import { compileStatement, needUtc } from "../translate/utc-session.ts";
import { placeBeyondKey, mayShareKeys } from "./shared-keys.ts";
import type { WriteCommand } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import type { StoredColumn } from "./stored-columns.ts";
import { asReferredTo, type StoredReferences, type StoredReference } from "./stored-references.ts";
import { storedDocument, withoutUnreadable } from "./write-document.ts";

/** A compiled statement of a table. */
export interface WriteStatement {
  readonly sql: string;
  readonly slots: readonly unknown[];
  readonly width: number;
  readonly rowShape: RowShape;
  /** Whether its values are the written cells as they stand; absent: no. */
  readonly takesCells?: boolean;
}

/** The exact values, or null, that a row must still have, by property. */
export type Expected = ReadonlyArray<readonly [property: StructuralProperty, value: PrimitiveValue | null]>;

/** The values for the placeholders of a statement. */
export interface WriteValues {
  /** In the order of the type's key. */
  readonly key?: readonly PrimitiveValue[];
  readonly expected?: Expected;
  /** In the order of the written columns. */
  readonly cells?: readonly unknown[];
}

interface RowCondition {
  readonly expected: Expected;
}

interface ReturningCondition extends RowCondition {
  readonly selected: readonly SelectedProperty[];
}

/** The purpose of a read: to return a row, to write or delete it afterwards, to merge a change into it, or to replace it. */
export type RowUse = "read" | "locked" | "deleted" | "merged" | "replaced";

/** Fills the placeholders of a statement. */
export function toCommand(
  { sql: text, slots, width, takesCells }: WriteStatement,
  values: WriteValues = {},
): WriteCommand {
  const { key = [], expected = [], cells = [] } = values;
  if (takesCells === true) return { sql: text, parameters: cells, width };
  const known = expected.flatMap(([, value]) => (value === null ? [] : [value]));
  const execution = toExecution({ values: [...key, ...known], cells, base: () => [] });
  return { sql: text, parameters: readSlots(slots, execution), width };
}

/** The statements that write one table, and that read a row within a transaction. Every value is bound. */
export class WriteStatements {
  readonly #table: SqlTable;
  #areReturnable: boolean | undefined;
  /** The quoted name of the table. */
  #name: string | undefined;

  constructor(table: SqlTable) {
    this.#table = table;
  }

  get #writes(): WriteSyntax {
    return this.#table.reader.profile.writes;
  }

  /** Whether statements that write return the written rows. Otherwise an insert returns the key at most. */
  get areReturning(): boolean {
    const { reader, plans } = this.#table;
    if (!this.#writes.returnsRows || reader.profile.capabilities.returnsAnything) return this.#writes.returnsRows;
    return (this.#areReturnable ??= [...plans.values()].every(isReturnable));
  }

  /** The rows that triggers may change after a statement, as far as the schema check has found. */
  get triggers(): "own" | "other" | undefined {
    const { db, reader } = this.#table;
    this.#name ??= reader.from.quoted?.compile(db).sql ?? "";
    const triggers = reader.connected.layout.triggersOf(this.#name);
    return triggers === "deferred" ? "own" : triggers;
  }

  /** Whether one statement changes or deletes a row: it returns the row as it stays, and reaches no other one. */
  get areEnough(): boolean {
    return this.areReturning && this.triggers !== "own" && !mayShareKeys(this.#table);
  }

  /** Whether a select locks single rows, where a transaction does not lock all of them. */
  get locksRows(): boolean {
    return this.#writes.rowLock !== null;
  }

  /** Whether a row is locked by its key before it is written. A key that several rows may have is as weak as a condition. */
  get locksByKey(): boolean {
    return this.locksByCondition || !mayShareKeys(this.#table);
  }

  get locksByCondition(): boolean {
    return this.#table.reader.profile.capabilities.locksByCondition;
  }

  /** Adds a row. @param selected the properties to return, if the database returns rows */
  insert(
    columns: readonly StoredColumn[],
    selected: readonly SelectedProperty[],
    references: StoredReferences,
  ): WriteStatement {
    return this.#get(["insert", this.#namesOf(columns, references)], selected, () => {
      const written = referring(columns, references);
      const ids = columns.map(({ column }) => sql.id(column));
      const into = sql`insert into ${sqlTableName(this.#table.tableName)}`;
      if (columns.length === 0) {
        return this.#inserting(sql`${into} ${this.#writes.defaultRow}`, selected, []);
      }
      const places = written.map(toPlace);
      return this.#inserting(sql`${into} (${sql.join(ids)}) values (${sql.join(places)})`, selected, written);
    });
  }

  /** Adds rows, and returns them. @param count the number of rows, each of which has a cell for each column */
  insertRows(
    columns: readonly StoredColumn[],
    count: number,
    selected: readonly SelectedProperty[],
    references: StoredReferences,
  ): WriteStatement {
    const make = (): WriteStatement => {
      const written = referring(columns, references);
      const ids = sql.join(columns.map(({ column }) => sql.id(column)));
      const rows = Array.from({ length: count }, (_, row) => {
        return sql`(${sql.join(written.map((column, index) => toPlace(column, row * columns.length + index)))})`;
      });
      const text = sql`insert into ${sqlTableName(this.#table.tableName)} (${ids}) values ${sql.join(rows)}`;
      return this.#returning(text, selected, []);
    };
    return this.#get(["insertRows", count, this.#namesOf(columns, references)], selected, make);
  }

  /** Whether an insert of several rows returns all of them. */
  get returnsInserted(): boolean {
    return this.areReturning || this.#writes.returnsInserted === true;
  }

  /** Changes a row and increments its version. @param condition names the properties to return, if the database returns rows */
  update(
    columns: readonly StoredColumn[],
    condition: ReturningCondition,
    references: StoredReferences,
  ): WriteStatement {
    const { selected } = condition;
    return this.#get(["update", this.#namesOf(columns, references), namesOfExpected(condition)], selected, () => {
      const written = referring(columns, references);
      const assignments = written.map((column, index) => sql`${sql.id(column.column)} = ${toPlace(column, index)}`);
      const set = sql.join([...assignments, ...this.#counting()]);
      const text = sql`update ${sqlTableName(this.#table.tableName)} set ${set} where ${this.#where(condition)}`;
      return this.#answering(text, selected, written);
    });
  }

  /** Deletes a row. Returns its key, if the database returns rows. */
  delete(condition: RowCondition): WriteStatement {
    const { keyOnly } = this.#table;
    return this.#get(["delete", namesOfExpected(condition)], keyOnly, () => {
      const text = sql`delete from ${sqlTableName(this.#table.tableName)} where ${this.#where(condition)}`;
      return this.#answering(text, keyOnly, []);
    });
  }

  /**
   * Reads a row.
   * @param use `"locked"` and `"deleted"` lock the row until the transaction ends; `"merged"` and `"replaced"` also read stored documents,
   *   and to `"replaced"` a complex value is null if it cannot be read, since nothing of it can be kept
   */
  select(selected: readonly SelectedProperty[], use: RowUse, expected: Expected = []): WriteStatement {
    return this.#get(["select", use, namesOfExpected({ expected })], selected, () => {
      const cells: Cells = [];
      const isStored = use === "merged" || use === "replaced";
      const read = selectColumns(selected, this.#relation(), cells, isStored ? storedDocument : undefined);
      const columns = use === "replaced" ? withoutUnreadable(read) : read;
      const lock = this.#lockFor(use, this.locksByKey);
      const text = sql`select ${sql.join(cells)} from ${sqlTableName(this.#table.tableName)} where ${this.#where({ expected })}${lock}`;
      return this.#compile(text, { columns }, cells.length);
    });
  }

  /**
   * Reads the keys of the rows with given values in some columns, and locks these rows if the database can.
   * @param pairs the pairs of a join whose related properties have the values, to compare as the join does
   * @param expected further values of the rows
   */
  selectBy(fields: readonly string[], pairs: readonly JoinPair[], use: RowUse, expected: Expected): WriteStatement {
    const { comparisonOf } = this.#table.reader.statements.rowsFor(null);
    const comparisons = fields.map((field) => {
      const pair = pairs.find(({ related }) => related.field === field);
      return pair === undefined ? undefined : comparisonOf(pair);
    });
    const forms = comparisons.map((each) => each?.form.name);
    const { keyOnly } = this.#table;
    return this.#get(["selectBy", use, fields, forms, namesOfExpected({ expected })], keyOnly, () => {
      const cells: Cells = [];
      const place = placeBeyondKey(this.#table);
      const selected = place === null ? keyOnly : [...keyOnly, { property: place }];
      const columns = selectColumns(selected, this.#relation(), cells);
      const relation = this.#relation();
      const conditions = fields.map((field, index) => {
        const plan = comparedPlanOf({ field, name: field }, this.#table.plans);
        // Compares values, since a column may have several cells for one value, or one cell for several.
        const operand = compared(plannedOperand(plan, relation), comparisons[index]);
        return equalsConstant(operand, { kind: "parameter", index }, "filter");
      });
      conditions.push(...meets(expected, relation, fields.length));
      const lock = this.#lockFor(use, this.locksByCondition);
      const text = sql`select ${sql.join(cells)} from ${sqlTableName(this.#table.tableName)} where ${sql.join(conditions, sql` and `)}${lock}`;
      return this.#compile(text, { columns }, cells.length);
    });
  }

  #lockFor(use: RowUse, isLocked: boolean): Sql {
    if (use === "read" || !isLocked) return sql``;
    const { rowLock, deletionLock } = this.#writes;
    return (use === "deleted" ? deletionLock : rowLock) ?? sql``;
  }

  /** Returns values that differ for different columns and references, for the key of a statement. */
  #namesOf(columns: readonly StoredColumn[], references: StoredReferences): readonly unknown[] {
    const { structures } = this.#table.reader.statements.named().kept;
    return columns.map((each) => {
      const referred = referredBy(each, references);
      if (referred === undefined) return each.column;
      // A declaration determines the columns of its table, in the databases of all tenants.
      return [each.column, referred.map(({ table, field }) => [structures.ofDeclaration(table.declared), field])];
    });
  }

  #relation(): Relation {
    const { reader, name } = this.#table;
    const rows = reader.statements.rowsFor(null);
    const expressions = expressionsOf(rows.plans.values());
    return new Relation({ alias: name, rows, level: new Level(), isOptional: false, isQualified: false, expressions });
  }

  #where({ expected }: RowCondition): Sql {
    const relation = this.#relation();
    const { key } = this.#table.entityType;
    const keys = key.map((property, index) => equals(property, relation, index));
    return sql.join([...keys, ...meets(expected, relation, key.length)], sql` and `);
  }

  /** Increments the row version. It wraps around to 1 after the maximum of its type. */
  #counting(): readonly Sql[] {
    const { rowVersion } = this.#table;
    if (rowVersion === null) return [];
    const column = sql.id(scalarPlanOf(rowVersion, this.#table.plans).column);
    const greatest = sql.raw(String(integerBounds(rowVersion.type.name)[1]));
    return [sql`${column} = case when ${column} is null or ${column} >= ${greatest} then 1 else ${column} + 1 end`];
  }

  get #returnsAnything(): boolean {
    return this.#table.reader.profile.capabilities.returnsAnything;
  }

  /** An insert that cannot return the row returns its key, which the database may have generated. */
  #inserting(text: Sql, selected: readonly SelectedProperty[], written: readonly WrittenColumn[]): WriteStatement {
    const properties = this.#table.entityType.key;
    const isKeyKnown = properties.every(({ field }) => written.some(({ path }) => path[0]?.field === field));
    if (this.areReturning || (!this.#writes.returnsRows && isKeyKnown)) return this.#answering(text, selected, written);
    const cells: Cells = [];
    const key = properties.map((property) => ({ property }));
    const columns = returnedColumns(key, this.#relation(), cells);
    return this.#compile(sql`${text} returning ${sql.join(cells)}`, { columns }, cells.length);
  }

  #answering(text: Sql, selected: readonly SelectedProperty[], written: readonly WrittenColumn[]): WriteStatement {
    return this.areReturning
      ? this.#returning(text, selected, written)
      : this.#compile(text, { columns: new Map() }, 0);
  }

  #returning(text: Sql, selected: readonly SelectedProperty[], written: readonly WrittenColumn[]): WriteStatement {
    const cells: Cells = [];
    const columns = this.#returnsAnything
      ? selectColumns(selected, this.#relation(), cells)
      : returnedColumns(selected, this.#relation(), cells);
    const { length } = cells;
    const guards = [...cells, ...guardOf(written)];
    return this.#compile(sql`${text} returning ${sql.join(guards)}`, { columns }, length);
  }

  #compile(text: Sql, rowShape: RowShape, width: number): WriteStatement {
    const { db, reader, plans } = this.#table;
    const { sql: compiled, parameters } = compileStatement(text, db, reader.profile, { inUtc: needUtc(plans) });
    const slots = Object.freeze([...parameters]);
    return Object.freeze({ sql: compiled, slots, width, rowShape, takesCells: areCells(slots) });
  }

  /**
   * @param names what the statement does, and the names in it
   * @param selected the properties that it returns: those of services over one table may differ
   */
  #get(names: readonly unknown[], selected: readonly SelectedProperty[], make: () => WriteStatement): WriteStatement {
    const { declared, reader, rowVersion } = this.#table;
    // The databases of tenants have tables with equal statements.
    const table = declared.tenants === undefined ? this : null;
    return reader.statements.keep(
      ["write", table, selected, JSON.stringify([rowVersion?.field, names])],
      undefined,
      make,
    );
  }
}

function equals(property: StructuralProperty, relation: Relation, index: number): Sql {
  return equalsConstant(columnOperand(property, relation), { kind: "parameter", index }, "filter");
}

/** @param from the index of the first value among the values of the statement */
function meets(expected: Expected, relation: Relation, from: number): readonly Sql[] {
  let index = from;
  return expected.map(([property, value]) =>
    value === null ? sql`${columnOperand(property, relation).sql} is null` : equals(property, relation, index++),
  );
}

/** Returns the placeholder of a cell. @param index the index of the cell in the statement */
function toPlace({ place, referred }: WrittenColumn, index: number): Sql {
  const bind = (): Sql => place(bindCell(index));
  return referred === undefined ? bind() : asReferredTo(referred, bind);
}

/** Returns an expression that fails the statement if a column would contain another value than was written. */
function guardOf(written: readonly WrittenColumn[]): readonly Sql[] {
  const tests = written.flatMap((column, index) => {
    if (!column.mayRound) return [];
    const place = toPlace(column, index);
    const id = sql.id(column.column);
    return [sql`(${place} is null or ${column.compared?.(id) ?? id} = ${place})`];
  });
  return tests.length === 0 ? [] : [sql`1 / (case when ${sql.join(tests, sql` and `)} then 1 else 0 end)`];
}

function namesOfExpected({ expected }: RowCondition): readonly unknown[] {
  return expected.map(([{ field }, value]) => [field, value === null]);
}

/** Returns the error for a change that the database did not store, although it reported no error. */
export function skippedWrite(): ODataError {
  const problem =
    "The database has not stored the change: a trigger or a rule of the table changed or skipped it. Read the entity again.";
  return protocolError("Conflict", problem);
}

/** A column to write. */
interface WrittenColumn extends StoredColumn {
  /** The referenced columns, if the column repeats their stored text. */
  readonly referred?: readonly StoredReference[];
}

/** Adds to columns of foreign keys the columns that they refer to. */
function referring(columns: readonly StoredColumn[], references: StoredReferences): readonly WrittenColumn[] {
  return columns.map((column) => {
    const referred = referredBy(column, references);
    return referred === undefined ? column : { ...column, referred };
  });
}

/** Returns the columns that a foreign key refers to. Members of complex values are never foreign keys. */
export function referredBy(
  { path }: StoredColumn,
  references: StoredReferences,
): readonly StoredReference[] | undefined {
  const [property, ...members] = path;
  return property === undefined || members.length > 0 ? undefined : references.get(property.field);
}
