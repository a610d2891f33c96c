import type { JsonValue } from "../../base/json/write-json.ts";
import { isWellFormed } from "../../base/required.ts";
import { mergeValue, withKeptMembers } from "../../definition/sets/merge-delta.ts";
import { hasKeptMembers } from "../../edm/kept-members.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import { onlyCell, type ColumnFormat } from "../columns/column-format.ts";
import type { ArrayPlan, ColumnPlan, ComplexPlan, ScalarPlan } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import { mergeDocument, replaceDocument, writeDocument } from "./write-document.ts";

/** The error for a value that its column cannot store exactly: the framework never stores a different value. */
export class UnstorableValueError extends Error {
  override readonly name = "UnstorableValueError";
  /** The path of the value: the property and the members of complex values. */
  readonly path: readonly StructuralProperty[];

  constructor(path: readonly StructuralProperty[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** One column that a write stores a cell in. */
export interface StoredColumn {
  readonly column: string;
  /** Casts the placeholder of the cell, if the database needs to know its type. */
  readonly place: (cell: Sql) => Sql;
  /** Whether the database may silently round the value to the digits of the column. */
  readonly mayRound: boolean;
  /** Returns an expression that equals the cell unless the database stored another value; by default the bare column. */
  readonly compared?: ((column: Sql) => Sql) | undefined;
  readonly path: readonly StructuralProperty[];
}

/** Replaces a cell if the database generates or keeps the value. */
export const LEFT: unique symbol = Symbol("left to the database");

/** Writes the values of one property. */
export interface StoredProperty {
  readonly columns: readonly StoredColumn[];
  /**
   * Returns the cells of a value in canonical form, or of null, in the order of the columns. `writtenColumns` omits cells
   * that the database generates.
   * @param current the stored value, a document as text, if `keepsMembers`; its ignored and computed members are kept
   * @throws UnstorableValueError
   */
  readonly toCells: (value: unknown, current?: unknown) => readonly unknown[];
  /** Whether a column also contains members that no request writes, so that a write of the whole value needs the stored one. */
  readonly keepsMembers: boolean;
  /**
   * Returns the cells of a complex value in one column after a change of some members. The stored value is not null: JSON
   * text, or the value from the conversion of the column.
   * @throws IncompleteValueError, UnstorableValueError
   */
  readonly mergeCells?: (current: unknown, change: object) => readonly unknown[];
  readonly property: StructuralProperty;
  /** The enclosing complex properties, and the property itself. */
  readonly path: readonly StructuralProperty[];
  /** The members of a complex property with a column per member. */
  readonly members?: StoredMembers;
  /** Returns the cell of a property with one primitive value; absent for any other property. @throws as `toCells` */
  readonly toCell?: (value: unknown) => unknown;
}

/** The members of a complex property, by the application's keys. */
interface StoredMembers {
  /** Whether the value, or an enclosing value, may be null. */
  readonly nullable: boolean;
  readonly parts: ReadonlyMap<string, StoredProperty>;
}

const asItStands = (cell: Sql): Sql => cell;

/** Makes the writer of a property: the inverse of its format. */
export function storedProperty(plan: ColumnPlan): StoredProperty {
  return compile(plan, []);
}

function compile(plan: ColumnPlan, around: readonly StructuralProperty[]): StoredProperty {
  const path = [...around, plan.property];
  if (plan.kind !== "complex" && plan.expression !== undefined) return computedProperty(plan.property, path);
  switch (plan.kind) {
    case "scalar":
      return compileScalar(plan, path);
    case "document": {
      const write = writeDocument(plan.property);
      const columns = [{ column: plan.column, place: asItStands, mayRound: false, path }];
      const toCells = (value: unknown, current?: unknown): readonly unknown[] => {
        if (value === null || value === undefined) return [null];
        return [isAbsent(current) ? write(value) : replaceDocument(plan.property, current as JsonValue, value)];
      };
      const mergeCells = (current: unknown, change: object): readonly unknown[] => [
        mergeDocument(plan.property, current as JsonValue, change, path),
      ];
      const keepsMembers = hasKeptMembers(plan.property);
      return { columns, toCells, mergeCells, keepsMembers, property: plan.property, path };
    }
    case "array":
      return compileArray(plan, path);
    case "converted": {
      const columns = [{ column: plan.column, place: asItStands, mayRound: false, path }];
      const toCells = (value: unknown, current?: unknown): readonly unknown[] => {
        if (value === null || value === undefined) return [null];
        return [storableText(plan.toCell(withKeptMembers(plan.property, current, value)), path)];
      };
      const mergeCells = (current: unknown, change: object): readonly unknown[] =>
        toCells(mergeValue(plan.property, current, change, around));
      const keepsMembers = hasKeptMembers(plan.property);
      return { columns, toCells, mergeCells, keepsMembers, property: plan.property, path };
    }
    case "complex":
      return compileComplex(plan, path);
  }
}

/** A property with an expression in place of a column. Bodies cannot set it, but a navigation might. */
function computedProperty(property: StructuralProperty, path: readonly StructuralProperty[]): StoredProperty {
  const toCells = (): never => {
    throw new UnstorableValueError(path, "The database computes this value, so it cannot be written.");
  };
  return { columns: [], toCells, keepsMembers: false, property, path };
}

const HALF_A_PAIR = "contains half of a surrogate pair, which its column cannot store";

/** Returns a cell. @throws UnstorableValueError for text that a database would store differently */
function storableText(cell: unknown, path: readonly StructuralProperty[]): unknown {
  if (typeof cell !== "string" || isWellFormed(cell)) return cell;
  throw new UnstorableValueError(path, `The value ${HALF_A_PAIR}.`);
}

function compileScalar(plan: ScalarPlan, path: readonly StructuralProperty[]): StoredProperty {
  const { encode, place } = encoderOf(plan);
  const { compared } = plan.format;
  const columns = [{ column: plan.column, place, mayRound: mayRound(plan.format), compared, path }];
  const toCell = (value: unknown): unknown => {
    if (value === null || value === undefined) return null;
    const cell = encode(value as PrimitiveValue);
    if (cell !== undefined && cell !== null) return cell;
    throw new UnstorableValueError(path, `The value ${whyUnstorable(value)}.`);
  };
  const toCells = (value: unknown): readonly unknown[] => [toCell(value)];
  return { columns, toCell, toCells, keepsMembers: false, property: plan.property, path };
}

/** Says why a column has no cell for a value. */
function whyUnstorable(value: unknown): string {
  if (typeof value === "string" && !isWellFormed(value)) return HALF_A_PAIR;
  if (typeof value === "number" && !Number.isFinite(value)) {
    return `is ${String(value).replace("Infinity", "INF")}, which its column cannot store`;
  }
  return "has more digits than its column can store, or is out of its range";
}

/** An item as it is bound in an array. */
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
    throw new UnstorableValueError(path, `An item ${whyUnstorable(value)}.`);
  };
  return {
    columns: [{ column, place, mayRound: mayRound(format), compared, path }],
    toCells: (value) => [Array.isArray(value) ? syntax.write(value.map(toItem), item) : null],
    keepsMembers: false,
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
    keepsMembers: [...parts.values()].some((part) => part.keepsMembers),
    toCells: (value, current) => {
      if (typeof value !== "object" || value === null) return columns.map(() => null);
      const cells = Array.from(parts, ([field, part]) =>
        part.property.computed
          ? part.columns.map(() => LEFT)
          : part.toCells(memberOf(value, field), isAbsent(current) ? undefined : memberOf(current, field)),
      ).flat();
      if (property.nullable && cells.every((cell) => cell === null || cell === LEFT)) throw onlyNulls(path);
      return cells;
    },
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Makes the error for a complex value that its columns could not distinguish from null. */
export function onlyNulls(path: readonly StructuralProperty[]): UnstorableValueError {
  const reason = "The value is stored in a column per member, so it cannot have only null members: write null instead.";
  return new UnstorableValueError(path, reason);
}

/** Encodes a cell, and casts its placeholder. */
interface CellEncoder {
  /** Returns undefined or null for a value that the column cannot store exactly. */
  readonly encode: (value: PrimitiveValue) => unknown;
  readonly place: (cell: Sql) => Sql;
}

function encoderOf({ property, storage, format }: ScalarPlan): CellEncoder {
  const { form, placeStored = form.place, toCell = (value: PrimitiveValue): unknown => onlyCell(form, value) } = format;
  const isText = property.type.name === "Edm.String" && (storage === undefined || storage === "text");
  return {
    place: placeStored ?? asItStands,
    // Invalid Unicode would be stored as other text.
    encode: isText ? (value) => (isWellFormed(String(value)) ? toCell(value) : undefined) : toCell,
  };
}

function mayRound({ mayRound: rounds, compared }: ColumnFormat): boolean {
  return rounds === true || compared !== undefined;
}

/** Returns a member of a complex value; null for a missing member. */
export function memberOf(value: object, field: string): unknown {
  return Object.hasOwn(value, field) ? (value as Readonly<Record<string, unknown>>)[field] : null;
}

/** Values by the application's fields. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Checks that a column has the value that was written, since the database may silently store another.
 * @throws UnstorableValueError if it has another value
 */
export function checkSame(
  { path, mayRound: rounds }: Pick<StoredColumn, "path" | "mayRound">,
  stored: Values,
  given: Values,
): void {
  const property = path.at(-1);
  if (property === undefined || property.type.kind === "ComplexType") return;
  // Documents contain the items as they are written.
  if (property.isCollection && !rounds) return;
  const [value, kept] = [valueAt(given, path), valueAt(stored, path)];
  if (value === undefined || value === null || kept === undefined) return;
  if (property.isCollection ? areSame(property, kept, value) : isSameValue(property, kept, value)) return;
  throw new UnstorableValueError(path, "The column cannot store the whole value.");
}

/** Whether a row has the value of a column that was to be written, null included. */
export function isWritten({ path }: Pick<StoredColumn, "path">, stored: Values, given: Values): boolean {
  if (valueAt(given, path) === valueAt(stored, path)) return true;
  try {
    checkSame({ path, mayRound: true }, stored, given);
  } catch {
    return false;
  }
  return (valueAt(given, path) ?? null) !== null || (valueAt(stored, path) ?? null) === null;
}

function areSame(property: StructuralProperty, kept: unknown, given: unknown): boolean {
  if (!Array.isArray(kept) || !Array.isArray(given) || kept.length !== given.length) return false;
  return given.every((item: unknown, index) =>
    item === null ? kept[index] === null : isSameValue(property, kept[index], item),
  );
}

function isSameValue(property: StructuralProperty, kept: unknown, given: unknown): boolean {
  return kept !== null && isSame(property, kept as PrimitiveValue, given as PrimitiveValue);
}

/** Returns the value at a path: null below a null complex value; undefined if the values do not contain the property. */
export function valueAt(values: Values, path: readonly StructuralProperty[]): unknown {
  let value: unknown = values;
  for (const { field } of path) {
    if (value === null || value === undefined) return value;
    value = (value as Values)[field];
  }
  return value;
}

/** Whether a stored value equals the written one. An Edm.Single is compared with its own precision. */
function isSame(property: StructuralProperty, kept: PrimitiveValue, given: PrimitiveValue): boolean {
  if (property.type.name === "Edm.Single") return Math.fround(Number(kept)) === Math.fround(Number(given));
  return codecOf(property).compare(kept, given) === 0;
}

/** Returns the error for a written column whose value differs afterwards, or cannot be read; null for other errors. */
export function unstorable(error: unknown, columns: readonly StoredColumn[]): UnstorableValueError | null {
  if (error instanceof UnstorableValueError) return error;
  if (!(error instanceof Error) || !("column" in error)) return null;
  const found = columns.find(({ column }) => column === error.column);
  return found === undefined ? null : new UnstorableValueError(found.path, "The column cannot store the value.");
}
