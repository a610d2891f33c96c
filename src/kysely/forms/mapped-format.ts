import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { makeColumnFormat, type ColumnFormat } from "../columns/column-format.ts";
import type { BooleanStorage, EnumStorage } from "../columns/storage-option.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import type { MappedForms } from "./mapped-forms.ts";

/** How one database selects and reads mapped cells. */
interface MappedCells {
  readonly forms: MappedForms;
  readonly selectNumber: (column: Sql) => Sql;
  readonly selectText: (column: Sql) => Sql;
  /** Reads a selected cell of numbers; returns any other cell unchanged. */
  readonly toNumber: (cell: unknown) => unknown;
}

/**
 * Makes the format of an enumeration or a Boolean whose values are mapped to cells.
 * @returns null when the property is of another type
 */
export function mappedFormat(
  property: StructuralProperty,
  storage: EnumStorage | BooleanStorage,
  { forms, selectNumber, selectText, toNumber }: MappedCells,
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
  return makeColumnFormat(property, form, read, { toSelected: isText ? selectText : selectNumber });
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
