import { sql } from "kysely";
import { once } from "../../base/memo.ts";
import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { EnumType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import {
  makeColumnFormat,
  ofCodec,
  readInScale,
  type ColumnFormat,
  type ColumnFormats,
  type ReadCell,
} from "../columns/column-format.ts";
import type { JsonCell } from "../columns/json-syntax.ts";
import type { BooleanStorage, EnumStorage } from "../columns/storage-option.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import type { EnumForms, MappedForms } from "./enum-forms.ts";

/** The format of a column of one type. */
export interface ColumnParts extends Partial<ColumnFormat> {
  readonly form: SqlForm;
  /** By default, the codec of the property reads cells. */
  readonly read?: ReadCell | undefined;
}

/** Makes the parts of a column; null if the property cannot be stored this way. */
export type ColumnRow<Parts extends ColumnParts | null = ColumnParts> = (property: StructuralProperty) => Parts;

/** How one database stores values in columns: a row per type, and a row per storage form. */
export interface ColumnTable {
  /** Returns the expression to select for a column, unless its row has its own. */
  readonly toSelected: (column: Sql) => Sql;
  /** The default formats, by the names of the types. */
  readonly defaults: Readonly<Record<PrimitiveTypeName, ColumnRow>>;
  /** By the names of the type and of the storage, such as `Edm.Decimal scaled`. */
  readonly stored: Readonly<Record<string, ColumnRow<ColumnParts | null>>>;
  readonly enums: EnumForms;
  /** How the database writes names of members as JSON; absent if it cannot. */
  readonly nameJson?: ((names: ReadonlySet<string>) => JsonCell) | undefined;
  /** Enumerations and booleans as cells of an existing database. */
  readonly mapped: MappedForms;
  readonly selectNumber: (column: Sql) => Sql;
  /** Reads a selected cell of numbers; returns any other cell unchanged. */
  readonly toNumber: (cell: unknown) => unknown;
  /** Reads the numeric value of flags; null for an invalid cell. */
  readonly readFlags: (cell: unknown) => number | null;
}

/** Makes the formats of a database from its table, which it makes at the first use. */
export function columnFormatOf(makeTable: () => ColumnTable): ColumnFormats["columnFormat"] {
  const tableOf = once(makeTable);
  return (property, storage) => {
    const { type } = property;
    if (type.kind === "ComplexType") return null;
    const table = tableOf();
    if (typeof storage === "object") return mappedFormat(property, storage, table);
    if (type.kind === "EnumType") return storage === undefined ? enumFormat(property, type, table) : null;
    const row = storage === undefined ? table.defaults[type.name] : table.stored[`${type.name} ${storage}`];
    const parts = row?.(property) ?? null;
    if (parts === null) return null;
    const { form, read, ...others } = parts;
    const reader = readInScale(property, read ?? ofCodec(property));
    return makeColumnFormat(property, form, reader, { toSelected: table.toSelected, ...others });
  };
}

function enumFormat(
  property: StructuralProperty,
  type: EnumType,
  { enums, toSelected, readFlags, nameJson }: ColumnTable,
): ColumnFormat {
  if (type.isFlags) {
    const read: ReadCell = (cell) => {
      const number = readFlags(cell);
      return number === null ? null : enumFromNumber(type, number);
    };
    return makeColumnFormat(property, enums.byNumber(type), read, { toSelected });
  }
  const ofName = ofCodec(property);
  // A number is rejected: filters would not find it.
  const read: ReadCell = (cell) => (typeof cell === "string" && type.members.has(cell) ? ofName(cell) : null);
  // Of several names for one value, the response contains the first.
  const names = [...type.members].filter(([name, value]) => enumFromNumber(type, value) === name);
  const json = nameJson?.(new Set(names.map(([name]) => name)));
  const form = enums.byName(type);
  return makeColumnFormat(property, form, read, { toSelected, toReturned: null, json, readable: readableBy(form) });
}

/**
 * Makes the format of an enumeration or a Boolean whose values are mapped to cells.
 * @returns null if the property has another type
 */
function mappedFormat(
  property: StructuralProperty,
  storage: EnumStorage | BooleanStorage,
  { mapped: forms, toSelected, selectNumber, toNumber }: ColumnTable,
): ColumnFormat | null {
  const found = findMapping(property, storage, forms);
  if (found === null) return null;
  const { form, values } = found;
  const isText = [...values.keys()].some((cell) => typeof cell === "string");
  const read = (cell: unknown): PrimitiveValue => {
    const value = values.get(isText ? cell : toNumber(cell));
    if (value !== undefined) return value;
    throw new Error("Its `storage` maps no value to this cell: add one, or correct the row.");
  };
  const readable = readableBy(form);
  return makeColumnFormat(
    property,
    form,
    read,
    isText ? { toSelected, toReturned: null, readable } : { toSelected: selectNumber, readable },
  );
}

/** Returns the cells that a form converts to a value. */
function readableBy({ sortable }: SqlForm): ColumnFormat["readable"] {
  if (sortable?.mayBeNull !== true) return undefined;
  return (column) => sql`(case when ${sortable.apply(column)} is not null then ${column} end)`;
}

/** The form of a mapping, and its values by their cells. */
interface FoundMapping {
  readonly form: SqlForm;
  readonly values: ReadonlyMap<unknown, PrimitiveValue>;
}

function findMapping(
  { type }: StructuralProperty,
  storage: EnumStorage | BooleanStorage,
  forms: MappedForms,
): FoundMapping | null {
  if ("values" in storage) {
    if (type.kind !== "EnumType" || type.isFlags) return null;
    const values = Object.entries(storage.values).map(([name, cell]): [unknown, PrimitiveValue] => {
      return [cell, enumFromNumber(type, type.members.get(name) ?? 0)];
    });
    return { form: forms.enumeration(type, storage), values: new Map(values) };
  }
  if (type.name !== "Edm.Boolean") return null;
  const values = new Map<unknown, PrimitiveValue>([
    [storage.true, true],
    [storage.false, false],
  ]);
  return { form: forms.boolean(storage), values };
}
