import { sql } from "kysely";
import { keptPer } from "../../base/memo.ts";
import { required } from "../../base/required.ts";
import { enumToNumber } from "../../edm/enum-codec.ts";
import type { EnumType } from "../../edm/model.ts";
import { isInteger } from "../../edm/primitive-type.ts";
import { asText, asBoolean, type PrimitiveValue } from "../../edm/value-codec.ts";
import type { ScalarType } from "../../language/query/expression.ts";
import type { BooleanStorage, EnumStorage } from "../columns/storage-option.ts";
import { bindFixed } from "../statement/parameter-slot.ts";
import { plainForm, type Conversion, type Mark, type Sql, type SqlForm } from "../statement/sql-form.ts";
import type { NumericTemporalForms } from "./numeric-temporal-forms.ts";

/** How one database writes the values of enumerations. */
interface EnumSyntax {
  /** Returns the value to bind for a numeric value. */
  readonly encode: (value: number) => unknown;
  /** Casts a bound or computed value to an integer; absent if it needs no cast. */
  readonly asInteger?: (value: Sql) => Sql;
  /** Casts a bound name, or a column of names, to text; absent if it needs no cast. */
  readonly asName?: (value: Sql) => Sql;
  /** Whether an index serves names without the cast, which the column may compare in any letter case; absent: no. */
  readonly isIndexed?: boolean;
  /** Casts the integer that a name was mapped to; absent if it needs no cast. */
  readonly asNumber?: (value: Sql) => Sql;
  /** The text of a cell, as `SqlForm.merged`. */
  readonly merged?: (cell: Sql) => Sql;
  /** The marks of integers. */
  readonly mark?: Mark;
}

/** The forms of enumerations in one database. */
export interface EnumForms {
  /** An enumeration stored as numeric values; flags are added. One form per type. */
  readonly byNumber: (type: EnumType) => SqlForm;
  /** An enumeration without flags stored as member names, which sort by their numeric values. One form per type. */
  readonly byName: (type: EnumType) => SqlForm;
  readonly integer: (value: number) => Sql;
}

/** Makes the forms of enumerations in one database. */
export function enumForms({
  encode,
  asInteger,
  asName,
  asNumber = asItIs,
  isIndexed = false,
  mark,
  merged,
}: EnumSyntax): EnumForms {
  const byNumber = keptPer((type: EnumType) =>
    plainForm(`numbers of ${type.name}`, (value) => encode(enumToNumber(type, asText(value))), {
      ...(asInteger && { place: asInteger, fromKey: asInteger }),
      ...(mark && { mark }),
    }),
  );
  const numberOf = (type: EnumType, operand: Sql): Sql => {
    const cases = Array.from(type.members, ([name, value]) => sql`when ${sql.lit(name)} then ${sql.lit(value)}`);
    return asNumber(sql`(case ${(asName ?? asItIs)(operand)} ${sql.join(cases, sql` `)} end)`);
  };
  const byName = keptPer((type: EnumType) => {
    const toNumber: Conversion = { form: byNumber(type), apply: (operand) => numberOf(type, operand) };
    const names = plainForm(`names of ${type.name}`, asText, asName === undefined ? {} : { place: asName });
    // Two names for one value are equal, although their texts differ.
    const hasAliases = new Set(type.members.values()).size < type.members.size;
    const inColumn = (equatable: Conversion, others: Partial<SqlForm> = {}): SqlForm =>
      plainForm(`names of ${type.name} in a column`, asText, {
        // Another text is not a member.
        sortable: { ...toNumber, mayBeNull: true },
        comparable: toNumber,
        ...(merged && { merged }),
        ...(hasAliases ? {} : { equatable }),
        ...others,
      });
    const byText: Conversion = { form: names, apply: asName ?? asItIs, keepsCells: true };
    if (asName === undefined) return inColumn(byText);
    if (isIndexed) {
      const indexed = plainForm(`names of ${type.name} as they stand`, asText);
      return inColumn(byText, hasAliases ? {} : { indexed });
    }
    // The database compares names with such a column in its type, for which an index serves.
    const byLabel: Conversion = { form: plainForm(`labels of ${type.name}`, asText), apply: asItIs, keepsCells: true };
    return inColumn(byText, { labels: { cells: [...type.members.keys()], all: inColumn(byLabel) } });
  });
  return Object.freeze({ byNumber, byName, integer: (value: number) => asNumber(sql`${sql.lit(value)}`) });
}

function asItIs(value: Sql): Sql {
  return value;
}

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
  /** The text of a cell, as `SqlForm.merged`. */
  readonly merged?: (cell: Sql) => Sql;
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
  const { encode, asInteger, asText: byCodePoint, asBoundText, merged } = syntax;
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
    ...(isText && merged ? { merged } : {}),
    // Another cell has no value.
    sortable: { ...toValue, mayBeNull: true },
    comparable: toValue,
    computable: toValue,
  };
  const made = plainForm(`${name} in a column`, encodeValue, others);
  if (!isText || !isOneToOne) return made;
  // An enumeration type of the database refuses a text that is not a label.
  const labels = { cells: cases.map(({ cell }) => String(cell)), some: made };
  const indexed = plainForm(`${name} as they stand`, encodeValue);
  return plainForm(`${name} in a column`, encodeValue, { ...others, indexed, labels });
}

function cellOf(byNumber: ReadonlyMap<number, Cell>, number: number): Cell {
  return required(byNumber.get(number), `No cell is mapped to the member with the value ${String(number)}.`);
}

interface ComputedForms {
  readonly boolean: SqlForm;
  readonly integer: SqlForm;
  readonly decimal: SqlForm;
  readonly double: SqlForm;
  readonly single?: SqlForm;
  readonly string: SqlForm;
  readonly guid: SqlForm;
  readonly binary: SqlForm;
  readonly temporal: NumericTemporalForms;
  readonly enums: EnumForms;
}

/** Returns the function that finds the form of a type, for a database that computes with dates and times as numbers. */
export function canonicalForms(forms: ComputedForms): (type: ScalarType) => SqlForm {
  return (type) => {
    if (type.kind === "EnumType") return forms.enums.byNumber(type);
    if (isInteger(type)) return forms.integer;
    switch (type.name) {
      case "Edm.Boolean":
        return forms.boolean;
      case "Edm.Single":
        return forms.single ?? forms.double;
      case "Edm.Double":
        return forms.double;
      case "Edm.Decimal":
        return forms.decimal;
      case "Edm.Guid":
        return forms.guid;
      case "Edm.Binary":
        return forms.binary;
      case "Edm.Date":
        return forms.temporal.days;
      case "Edm.TimeOfDay":
        return forms.temporal.clock;
      case "Edm.DateTimeOffset":
        return forms.temporal.epoch;
      case "Edm.Duration":
        return forms.temporal.seconds;
      default:
        return forms.string;
    }
  };
}
