import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe, recover } from "../../base/maybe.ts";
import { keptPer } from "../../base/memo.ts";
import type { Context } from "../../definition/context.ts";
import type { ServiceDefinition } from "../../definition/model/service-definition.ts";
import { keyValues } from "../../edm/literal.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { ReadScope } from "../../language/query/reading.ts";
import type { Row, RowColumn, RowShape } from "../../language/query/row-shape.ts";
import { withNulls } from "../../language/query/shown-entity.ts";
import type { KeyedJoins, KeyedRow } from "../../language/query/source.ts";
import { tooLargeStatement } from "../kinds/database-fault.ts";
import { readSlots, toExecution } from "../statement/parameter-slot.ts";
import { pasteStatement } from "./pasting-compiler.ts";
import { readableRow, baseOf } from "./read-page.ts";
import type { SqlReader } from "./sql-reader.ts";
import { pastable } from "./traced-read.ts";

/** The entity to read, and the properties to select. */
interface KeyedRead extends ReadScope {
  /** In the application's form: one value, or an object with the values of a composite key. */
  readonly key: unknown;
  readonly selected: readonly SelectedProperty[];
  readonly joins?: KeyedJoins | undefined;
  /** The milliseconds for the statement; null for no limit, absent for the usual one. */
  readonly timeout?: number | null | undefined;
}

/**
 * Reads the row of one entity: only the selected properties and joined expansions.
 * @param keyProperties the properties of the key in their order
 * @returns null if the entity does not exist
 */
export function readRow(
  reader: SqlReader,
  keyProperties: readonly StructuralProperty[],
  read: KeyedRead,
): Maybe<KeyedRow | null> {
  return reader.rows.upToDate(() => readOnce(reader, keyProperties, read));
}

function readOnce(
  reader: SqlReader,
  keyProperties: readonly StructuralProperty[],
  { key, selected, joins, transaction, reading, timeout, caller, bytes }: KeyedRead,
): Maybe<KeyedRow | null> {
  const statement = reader.statements.byKey(selected, joins);
  // The bytes of a row that is read again would count twice.
  const part = bytes?.part();
  const execution = toExecution({
    values: joins?.values ?? [],
    keys: [keyValues(keyProperties, key)],
    base: baseOf(reader, joins?.sources),
    bytes: transaction === undefined ? part : undefined,
  });
  const traced = pastable(
    statement,
    () => () => pasteStatement(() => reader.statements.pasted(execution).byKey(selected, joins)),
  );
  const patience = { timeout, reading, caller, bytes: part };
  const read = (): Maybe<Row | undefined> =>
    reader.rows.within(transaction).byKey(traced, readSlots(statement.slots, execution), patience);
  const found = part === undefined || part.most === Infinity ? read() : recover(read, refuseLarge);
  const { rowShape } = statement;
  return chain(found, (row): KeyedRow | null => {
    const isOver = part?.isOver === true;
    part?.drop();
    if (isOver) throw tooManyBytes("The entity");
    return row === undefined ? null : { row: readableRow(row, rowShape), rowShape };
  });
}

/** Converts the error for a row that the driver does not keep, because it has too many bytes. @throws this or any other error */
function refuseLarge(error: unknown): never {
  throw error instanceof Error && error.message === tooLargeStatement().message ? tooManyBytes("The entity") : error;
}

/** Returns the milliseconds for one statement. The types hide the limits from handlers. */
export function timeoutOf(context: Context | undefined): number | null | undefined {
  return (context?.service as Partial<Pick<ServiceDefinition, "limits">> | undefined)?.limits?.queryTimeout;
}

/** Converts a row to an entity, by the application's keys. */
export function toEntity({ row, rowShape }: KeyedRow): object {
  const cells = readableRow(row, rowShape);
  const made = toObject(cells, rowShape.columns);
  return hasUnexpectedNull(cells, rowShape) && forgives(rowShape) ? withNulls(made) : made;
}

function hasUnexpectedNull(cells: Row, rowShape: RowShape): boolean {
  for (const index of neverNull(rowShape)) if (cells[index] === null) return true;
  return false;
}

/** Returns the places of cells that are null only in a row that cannot be read. */
const neverNull = keptPer(({ columns }: RowShape): readonly number[] =>
  [...columns].flatMap(([{ nullable, isCollection }, column]) =>
    nullable || isCollection || column.kind === "complex" ? [] : [column.index],
  ),
);

const forgives = keptPer(({ columns }: RowShape) =>
  [...columns.values()].some((column) => column.kind !== "complex" && column.unreadable !== undefined),
);

function toObject(row: Row, columns: RowShape["columns"]): object {
  const made = {};
  for (const [property, column] of columns) setMember(made, property.field, toValue(row, property, column));
  return made;
}

function toValue(row: Row, property: StructuralProperty, column: RowColumn): unknown {
  if (column.kind !== "complex") return column.toValue(row[column.index]) ?? (property.isCollection ? [] : null);
  if (property.nullable && isNull(row, column)) return null;
  const { members, ignored } = column;
  return toObject(row, ignored === undefined ? members : new Map([...members, ...ignored]));
}

function isNull(row: Row, column: RowColumn): boolean {
  if (column.kind !== "complex") return row[column.index] === null;
  return [...column.members.values()].every((member) => isNull(row, member));
}

/** Sets an own member of an object. Assigning to `__proto__` would not create one. */
export function setMember(object: object, name: string, value: unknown): void {
  if (name !== "__proto__") {
    (object as Record<string, unknown>)[name] = value;
    return;
  }
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
