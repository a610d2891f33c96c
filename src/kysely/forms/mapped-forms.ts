import { sql } from "kysely";
import { required } from "../../base/required.ts";
import { asBoolean, asText } from "../../edm/canonical-form.ts";
import { enumToNumber } from "../../edm/enum-codec.ts";
import type { EnumType } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { BooleanStorage, EnumStorage } from "../columns/storage-option.ts";
import { bindFixed } from "../statement/parameter-slot.ts";
import { plainForm, type Conversion, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { EnumForms } from "./enum-forms.ts";

type Cell = number | string;

/** How one database compares mapped cells. */
interface CellSyntax {
  readonly encode: (value: number) => unknown;
  /** Casts a bound whole number; absent where it needs no cast. */
  readonly asInteger?: (place: Sql) => Sql;
  /** Makes a text column compare by code point. */
  readonly asText: (column: Sql) => Sql;
  /** Casts a bound text; absent where it needs no cast. */
  readonly asBoundText?: (place: Sql) => Sql;
  readonly enums: EnumForms;
  /** The canonical form of Edm.Boolean, and its values. */
  readonly boolean: SqlForm;
  readonly booleanValue: (value: boolean) => Sql;
}

/** The forms of values that the application maps to cells with `storage`. */
export interface MappedForms {
  readonly enumeration: (type: EnumType, storage: EnumStorage) => SqlForm;
  readonly boolean: (storage: BooleanStorage) => SqlForm;
}

/** One value of a mapping: its cell, and the value in the sortable form. */
interface Case {
  readonly cell: Cell;
  readonly value: Sql;
}

/** Makes the forms of mapped values in one database. Cells are always bound, never part of the statement text. */
export function mappedForms(syntax: CellSyntax): MappedForms {
  const { enums, boolean, booleanValue } = syntax;
  return Object.freeze<MappedForms>({
    enumeration: (type, { values }) => {
      const cells = Object.entries(values).map(([name, cell]) => ({ cell, number: type.members.get(name) ?? 0 }));
      const numbers = enums.byNumber(type);
      // Cells that equal the numeric values need no mapping.
      if (cells.every(({ cell, number }) => cell === number)) return numbers;
      const byNumber = new Map(cells.toReversed().map(({ cell, number }) => [number, cell]));
      const toCell = (value: PrimitiveValue): Cell => cellOf(byNumber, enumToNumber(type, asText(value)));
      const cases = cells.map(({ cell, number }) => ({ cell, value: enums.integer(number) }));
      const isOneToOne = new Set(cells.map(({ cell }) => cell)).size === byNumber.size;
      return mappedForm(`cells of ${type.name}`, { toCell, cases, form: numbers, isOneToOne }, syntax);
    },
    boolean: (storage) => {
      const cases = [
        { cell: storage.true, value: booleanValue(true) },
        { cell: storage.false, value: booleanValue(false) },
      ];
      const toCell = (value: PrimitiveValue): Cell => (asBoolean(value) ? storage.true : storage.false);
      return mappedForm("cells of booleans", { toCell, cases, form: boolean, isOneToOne: true }, syntax);
    },
  });
}

/** A mapping, in both directions. */
interface Mapping {
  readonly toCell: (value: PrimitiveValue) => Cell;
  readonly cases: readonly Case[];
  /** The form for sorting, comparisons and computations. */
  readonly form: SqlForm;
  /** Whether each value has exactly one cell. */
  readonly isOneToOne: boolean;
}

function mappedForm(name: string, { toCell, cases, form, isOneToOne }: Mapping, syntax: CellSyntax): SqlForm {
  const { encode, asInteger, asText: byCodePoint, asBoundText } = syntax;
  const isText = cases.some(({ cell }) => typeof cell === "string");
  const place = isText ? asBoundText : asInteger;
  const toBound = (cell: Cell): unknown => (typeof cell === "number" ? encode(cell) : cell);
  const encodeValue = (value: PrimitiveValue): unknown => toBound(toCell(value));
  const bound = place === undefined ? {} : { place, fromKey: place };
  const inColumn = (column: Sql): Sql => (isText ? byCodePoint(column) : column);
  const toValue: Conversion = {
    form,
    apply: (column) => {
      const whens = cases.map(({ cell, value }) => {
        const slot = bindFixed(toBound(cell));
        return sql`when ${place?.(slot) ?? slot} then ${value}`;
      });
      return sql`(case ${inColumn(column)} ${sql.join(whens, sql` `)} end)`;
    },
  };
  const equatable: Conversion = {
    form: plainForm(`${name} by code point`, encodeValue, bound),
    apply: inColumn,
    keepsCells: true,
  };
  // A text cell is written without a cast, because the database knows the type of the column.
  const others: Partial<SqlForm> = {
    ...(isText ? {} : bound),
    ...(isOneToOne ? { equatable } : {}),
    // Another cell has no value.
    sortable: { ...toValue, mayBeNull: true },
    comparable: toValue,
    computable: toValue,
  };
  const made = plainForm(`${name} in a column`, encodeValue, others);
  if (!isText || !isOneToOne) return made;
  // An enumeration type of the database refuses a text that is no label.
  const labels = { cells: cases.map(({ cell }) => String(cell)), some: made };
  const indexed = plainForm(`${name} as they stand`, encodeValue);
  return plainForm(`${name} in a column`, encodeValue, { ...others, indexed, labels });
}

function cellOf(byNumber: ReadonlyMap<number, Cell>, number: number): Cell {
  return required(byNumber.get(number), `No cell is mapped to the member with the value ${String(number)}.`);
}
