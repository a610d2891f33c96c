import { sql } from "kysely";
import type { StructuralProperty } from "../../edm/model.ts";
import { asText } from "../../edm/value-codec.ts";
import {
  EPOCH_CELLS,
  EPOCH_SECOND_CELLS,
  JULIAN_CELLS,
  JULIAN_EPOCH,
  SQLITE_TEXT_CELLS,
  showInstant,
  type InstantCell,
  type InstantCells,
} from "../cells/instant-cells.ts";
import { toInstant, type Instant } from "../cells/instant.ts";
import type { ColumnFormat, ReadCell } from "../columns/column-format.ts";
import type { Conversion, Mark, Sql, SqlForm } from "../statement/sql-form.ts";
import { toDays, type NumberSyntax, type NumericTemporalForms } from "./numeric-temporal-forms.ts";

/** How one database compares cells of one kind and computes with them. */
export interface InstantSyntax {
  readonly bind: (cell: InstantCell) => unknown;
  readonly place?: SqlForm["place"];
  readonly fromKey?: SqlForm["fromKey"];
  /** A value that no cell equals; present if an instant has only one cell. */
  readonly none?: unknown;
  /** Makes cells sort like their instants, if they do not already. */
  readonly sortable?: (cell: Sql) => Sql;
  /** Makes all cells of one instant sort equally. */
  readonly ordered?: (cell: Sql) => Sql;
  readonly mark?: SqlForm["mark"];
  readonly toSelected: (column: Sql) => Sql;
  /** How timestamps and dates are compared with others of their type, and used in computations. */
  readonly timestamp: TemporalColumns;
  readonly date: TemporalColumns;
}

/** How columns of a type are compared, used in computations, and tested. */
interface TemporalColumns extends TemporalConversions {
  /** Returns the cell, or null if the type cannot have it; absent if the type can have every cell. */
  readonly readable?: ColumnFormat["readable"];
}

/** Conversions to the forms of a type. */
interface TemporalConversions {
  readonly comparable: Conversion;
  readonly computable: Conversion;
}

/** The column format for each type that can be stored this way. */
export interface StoredInstants {
  readonly form: SqlForm;
  readonly timestamp: (property: StructuralProperty) => StoredParts;
  readonly date: (property: StructuralProperty) => StoredParts;
}

/** The parts of a column format. */
type StoredParts = Partial<ColumnFormat> & { readonly form: SqlForm; readonly read: ReadCell };

const DATE_LENGTH = "YYYY-MM-DD".length;
const MIDNIGHT = /T00:00:00Z$/;

/** Makes the column formats for cells that represent instants: Edm.DateTimeOffset, and Edm.Date as midnights in UTC. */
export function storedInstants(cells: InstantCells, syntax: InstantSyntax): StoredInstants {
  const instants = instantForm(cells, syntax, {
    name: cells.name,
    conversions: conversionsOf(syntax.timestamp),
    toInstant: (value) => toInstant(asText(value)),
  });
  const form: SqlForm = Object.freeze({ ...instants, shownDigits: cells.digits });
  const dateForm: SqlForm = Object.freeze({
    ...instantForm(cells, syntax, {
      name: `midnight as ${cells.name}`,
      conversions: conversionsOf(syntax.date),
      toInstant: (value) => toMidnight(asText(value)),
    }),
    wider: form,
  });
  const { toSelected, bind } = syntax;
  const partsOf = (property: StructuralProperty, own: SqlForm, read: ReadCell, of: ToInstant): StoredParts => ({
    form: own,
    read,
    toSelected,
    isExact: true,
    toCell: (value) => {
      const cell = cells.write(of(value), property);
      return cell === undefined ? undefined : bind(cell);
    },
  });
  return Object.freeze<StoredInstants>({
    form,
    timestamp: (property) => {
      const least = cells.digits(property);
      const read: ReadCell = (cell) => {
        const instant = cells.read(cell);
        return instant === null ? null : showInstant(instant, least);
      };
      const parts = partsOf(property, form, read, (value) => toInstant(asText(value)));
      return { ...parts, readable: syntax.timestamp.readable };
    },
    date: (property) => {
      const parts = partsOf(property, dateForm, readMidnight(cells), (value) => toMidnight(asText(value)));
      return { ...parts, readable: syntax.date.readable };
    },
  });
}

function conversionsOf({ comparable, computable }: TemporalColumns): TemporalConversions {
  return { comparable, computable };
}

type ToInstant = (value: Parameters<SqlForm["floor"]>[0]) => Instant;

function instantForm(
  { floor, ceiling }: InstantCells,
  { bind, none, place, fromKey, sortable, ordered, mark }: InstantSyntax,
  of: { readonly name: string; readonly conversions: TemporalConversions; readonly toInstant: ToInstant },
): SqlForm {
  const { name, conversions, toInstant: toInstantOf } = of;
  const bounds = {
    floor: (value: Parameters<ToInstant>[0]) => bind(floor(toInstantOf(value))),
    ceiling: (value: Parameters<ToInstant>[0]) => bind(ceiling(toInstantOf(value))),
  };
  const exact: SqlForm["exact"] =
    none === undefined ? null : (value) => (bounds.floor(value) === bounds.ceiling(value) ? bounds.floor(value) : none);
  const plain: SqlForm = {
    name,
    ...bounds,
    exact,
    mayBeNull: false,
    ...conversions,
    ...(place !== undefined && { place }),
    ...(fromKey !== undefined && { fromKey }),
    ...(ordered !== undefined && { ordered }),
    ...(mark !== undefined && { mark }),
  };
  if (sortable === undefined) return Object.freeze(plain);
  return Object.freeze<SqlForm>({ ...plain, sortable: { form: plain, apply: sortable } });
}

/** Reads a date; null for a cell with a time of day, which would be lost. */
function readMidnight({ read }: InstantCells): ReadCell {
  return (cell) => {
    const instant = read(cell);
    const text = instant === null ? null : showInstant(instant, 0);
    return text !== null && MIDNIGHT.test(text) ? text.slice(0, DATE_LENGTH) : null;
  };
}

function toMidnight(date: string): Instant {
  return toInstant(`${date}T00:00:00Z`);
}

/** Makes the conversions of timestamps and dates, for cells from which the database computes seconds since 1970. */
function conversionsBySeconds(
  toSeconds: (cell: Sql) => Sql,
  { numbers, forms }: { readonly numbers: NumberSyntax; readonly forms: NumericTemporalForms },
): { readonly timestamp: TemporalConversions; readonly date: TemporalConversions } {
  const timestamp = { form: forms.epoch, apply: toSeconds };
  const date = { form: forms.days, apply: (cell: Sql) => toDays(toSeconds(cell), numbers) };
  return {
    timestamp: { comparable: timestamp, computable: timestamp },
    date: { comparable: date, computable: date },
  };
}

/** Returns the formats by the names of types and storage forms. */
export function storedFormats(
  stored: Readonly<Record<string, StoredInstants>>,
): Readonly<Record<string, (property: StructuralProperty) => StoredParts>> {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([storage, { timestamp, date }]) => [
      [`Edm.DateTimeOffset ${storage}`, timestamp],
      [`Edm.Date ${storage}`, date],
    ]),
  );
}

/** How a database that casts bound values stores instants in other types of columns. */
interface CastInstants {
  readonly numbers: NumberSyntax;
  readonly forms: NumericTemporalForms;
  readonly asText: (value: Sql) => Sql;
  readonly marks: { readonly integer: Mark; readonly double: Mark };
  /** Converts a whole number to an exact number. */
  readonly exact: (cell: Sql) => Sql;
  readonly asDouble: (place: Sql) => Sql;
  readonly julianMilliseconds: (cell: Sql) => Sql;
  readonly epochOfText: (cell: Sql) => Sql;
  /** How texts are compared. */
  readonly texts: Pick<InstantSyntax, "place" | "sortable" | "ordered">;
}

/** Makes the further storage forms of timestamps and dates in such a database, by name. */
export function castInstants(syntax: CastInstants): Readonly<Record<string, StoredInstants>> {
  const { numbers, forms, asText: toText, exact, julianMilliseconds, marks } = syntax;
  const stored = (cells: InstantCells, toSeconds: (cell: Sql) => Sql, others: Partial<InstantSyntax>): StoredInstants =>
    storedInstants(cells, {
      bind: String,
      toSelected: toText,
      ...conversionsBySeconds(toSeconds, { numbers, forms }),
      ...others,
    });
  const julian = (cell: Sql): Sql => numbers.asInteger(julianMilliseconds(cell));
  const integers = { place: numbers.asInteger, mark: marks.integer };
  return Object.freeze({
    epoch: stored(EPOCH_CELLS, (cell) => sql`(${exact(cell)} * 0.001)`, integers),
    "epoch-seconds": stored(EPOCH_SECOND_CELLS, exact, integers),
    julian: stored(JULIAN_CELLS, (cell) => sql`((${julian(cell)} - ${sql.lit(JULIAN_EPOCH)}) * 0.001)`, {
      place: syntax.asDouble,
      mark: marks.double,
      ordered: julianMilliseconds,
      toSelected: (column) => toText(julian(column)),
    }),
    "sqlite-datetime": stored(SQLITE_TEXT_CELLS, syntax.epochOfText, syntax.texts),
  });
}
