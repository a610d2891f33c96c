import { mergeValue } from "../../definition/sets/merge-delta.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { onlyCell, type ColumnFormat } from "../columns/column-format.ts";
import type { ArrayPlan, ColumnPlan, ComplexPlan, ScalarPlan } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import { mergeDocument, writeDocument } from "./write-document.ts";

/** A value that its column cannot hold as it is: refused, for what is stored is never another value. */
export class UnstorableValueError extends Error {
  override readonly name = "UnstorableValueError";
  /** Where the value stands: the property, and the members of complex values on the way to it. */
  readonly path: readonly StructuralProperty[];

  constructor(path: readonly StructuralProperty[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** One column that a write puts a cell into. */
export interface StoredColumn {
  readonly column: string;
  /** Wraps the place of the cell, where the database must be told its type. */
  readonly place: (cell: Sql) => Sql;
  /** Whether the database may store another value in silence: digits behind those that the column has. */
  readonly mayRound: boolean;
  /** Makes of the column what equals the cell, unless the database has stored another value; absent: as it stands. */
  readonly compared?: ((column: Sql) => Sql) | undefined;
  readonly path: readonly StructuralProperty[];
}

/** In the place of a cell: the database makes the value, or keeps the one that it has. */
export const LEFT: unique symbol = Symbol("left to the database");

/** Writes the values of one property. */
export interface StoredProperty {
  readonly columns: readonly StoredColumn[];
  /**
   * The cells of a value in canonical form, or null, in the order of the columns. `writtenColumns` leaves out what the
   * database makes.
   * @throws UnstorableValueError
   */
  readonly toCells: (value: unknown) => readonly unknown[];
  /**
   * The cells of a complex value in one column, with a change of some of its members. The stored value is not null: a text
   * of JSON, or what the conversion of the column makes of it.
   * @throws IncompleteValueError, UnstorableValueError
   */
  readonly mergeCells?: (current: unknown, change: object) => readonly unknown[];
  readonly property: StructuralProperty;
  /** The complex properties around it, and the property itself. */
  readonly path: readonly StructuralProperty[];
  /** Of a complex property with a column per member: its members. */
  readonly members?: StoredMembers;
}

/** The members of a complex property, by the application's keys. */
interface StoredMembers {
  /** Whether the value may be null: as such, or because one around it is. */
  readonly nullable: boolean;
  readonly parts: ReadonlyMap<string, StoredProperty>;
}

/** Half of a character: no text in Unicode has it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const asItStands = (cell: Sql): Sql => cell;

/** Makes what writes a property into its columns: the inverse of its format. */
export function storedProperty(plan: ColumnPlan): StoredProperty {
  return compile(plan, []);
}

function compile(plan: ColumnPlan, around: readonly StructuralProperty[]): StoredProperty {
  const path = [...around, plan.property];
  switch (plan.kind) {
    case "scalar":
      return compileScalar(plan, path);
    case "document": {
      const write = writeDocument(plan.property);
      const columns = [{ column: plan.column, place: asItStands, mayRound: false, path }];
      const toCells = (value: unknown): readonly unknown[] => [
        value === null || value === undefined ? null : write(value),
      ];
      const mergeCells = (current: unknown, change: object): readonly unknown[] => [
        mergeDocument(plan.property, current, change, path),
      ];
      return { columns, toCells, mergeCells, property: plan.property, path };
    }
    case "array":
      return compileArray(plan, path);
    case "converted": {
      const columns = [{ column: plan.column, place: asItStands, mayRound: false, path }];
      const toCells = (value: unknown): readonly unknown[] => [
        value === null || value === undefined ? null : storableText(plan.toCell(value), path),
      ];
      const mergeCells = (current: unknown, change: object): readonly unknown[] =>
        toCells(mergeValue(plan.property, current, change, around));
      return { columns, toCells, mergeCells, property: plan.property, path };
    }
    case "complex":
      return compileComplex(plan, path);
  }
}

/** Returns a cell. @throws UnstorableValueError for a text that a database would store as another one */
function storableText(cell: unknown, path: readonly StructuralProperty[]): unknown {
  if (typeof cell !== "string" || !LONE_SURROGATE.test(cell)) return cell;
  throw new UnstorableValueError(path, "The value holds half of a character, which its column cannot hold.");
}

function compileScalar(plan: ScalarPlan, path: readonly StructuralProperty[]): StoredProperty {
  const { encode, place } = encoderOf(plan);
  const { compared } = plan.format;
  const columns = [{ column: plan.column, place, mayRound: mayRound(plan.format), compared, path }];
  const toCell = (value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    const cell = encode(value as PrimitiveValue);
    if (cell !== undefined && cell !== null) return cell;
    throw new UnstorableValueError(path, "The value has more digits, or a greater range, than its column holds.");
  };
  return { columns, toCells: (value) => [toCell(value)], property: plan.property, path };
}

/** A database with arrays is bound texts, and booleans. */
type ItemCell = Parameters<ArrayPlan["syntax"]["write"]>[0][number];

function compileArray(
  { property, item, column, format, syntax }: ArrayPlan,
  path: readonly StructuralProperty[],
): StoredProperty {
  const single: ScalarPlan = { kind: "scalar", property: item, column, nullable: true, format, storage: undefined };
  const { encode } = encoderOf(single);
  const place = (cell: Sql): Sql => syntax.place(cell, item);
  const compared = (written: Sql): Sql => syntax.compared(written, item);
  const toItem = (value: unknown): ItemCell => {
    if (value === null) return null;
    const cell = encode(value as PrimitiveValue);
    if (cell !== undefined && cell !== null) return cell as ItemCell;
    throw new UnstorableValueError(path, "An item has more digits, or a greater range, than its column holds.");
  };
  return {
    columns: [{ column, place, mayRound: mayRound(format), compared, path }],
    toCells: (value) => [Array.isArray(value) ? syntax.write(value.map(toItem), item) : null],
    property,
    path,
  };
}

function compileComplex(
  { property, nullable, members }: ComplexPlan,
  path: readonly StructuralProperty[],
): StoredProperty {
  const parts = new Map(Array.from(members, ([field, plan]) => [field, compile(plan, path)] as const));
  const columns = [...parts.values()].flatMap((part) => part.columns);
  return {
    columns,
    property,
    path,
    members: { nullable, parts },
    toCells: (value) => {
      if (typeof value !== "object" || value === null) return columns.map(() => null);
      const cells = Array.from(parts, ([field, part]) =>
        part.property.computed ? part.columns.map(() => LEFT) : part.toCells(memberOf(value, field)),
      ).flat();
      if (property.nullable && cells.every((cell) => cell === null || cell === LEFT)) throw onlyNulls(path);
      return cells;
    },
  };
}

/** Makes the error for a complex value that its columns could not tell from null. */
export function onlyNulls(path: readonly StructuralProperty[]): UnstorableValueError {
  const reason = "The value is stored by its members, so that one whose members are all null is null: write null.";
  return new UnstorableValueError(path, reason);
}

/** What a cell is made of, and the place where it is bound. */
interface CellEncoder {
  /** Undefined, or null, for a value that the column cannot hold exactly. */
  readonly encode: (value: PrimitiveValue) => unknown;
  readonly place: (cell: Sql) => Sql;
}

function encoderOf({ property, storage, format }: ScalarPlan): CellEncoder {
  const { form, toCell = (value: PrimitiveValue): unknown => onlyCell(form, value) } = format;
  const isText = property.type.name === "Edm.String" && storage === undefined;
  return {
    place: form.place ?? asItStands,
    // What is no text in Unicode would be stored as another one.
    encode: isText ? (value) => (LONE_SURROGATE.test(String(value)) ? undefined : toCell(value)) : toCell,
  };
}

function mayRound({ mayRound: rounds, compared }: ColumnFormat): boolean {
  return rounds === true || compared !== undefined;
}

/** Returns a member of a complex value; null for one that the value lacks. */
export function memberOf(value: object, field: string): unknown {
  return Object.hasOwn(value, field) ? (value as Readonly<Record<string, unknown>>)[field] : null;
}

/** Values by the application's fields. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Checks that a property holds the value that was written, where the database may store another one in silence.
 * @param path the complex properties around the property, and the property itself
 * @throws UnstorableValueError when it holds another value
 */
export function checkSame(path: readonly StructuralProperty[], stored: Values, given: Values): void {
  const property = path.at(-1);
  if (property === undefined || property.isCollection || property.type.kind === "ComplexType") return;
  const [value, kept] = [valueAt(given, path), valueAt(stored, path)];
  if (value === undefined || value === null || kept === undefined) return;
  if (kept !== null && isSame(property, kept as PrimitiveValue, value as PrimitiveValue)) return;
  throw new UnstorableValueError(path, "The column holds less of the value than was written.");
}

/** Null below a complex value that is null; undefined where nothing is said of the property. */
function valueAt(values: Values, path: readonly StructuralProperty[]): unknown {
  let value: unknown = values;
  for (const { field } of path) {
    if (value === null || value === undefined) return value;
    value = (value as Values)[field];
  }
  return value;
}

/** Whether a stored value is the one that was written. Of an Edm.Single there are no more digits than it has. */
function isSame(property: StructuralProperty, kept: PrimitiveValue, given: PrimitiveValue): boolean {
  if (property.type.name === "Edm.Single") return Math.fround(Number(kept)) === Math.fround(Number(given));
  return codecOf(property).compare(kept, given) === 0;
}
