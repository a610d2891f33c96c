import { sql } from "kysely";
import { fromScaled, parseDecimal } from "../../edm/decimal.ts";
import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { EnumType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { guidText, int64Text, scaledText, stringText, utcText } from "../cell-text.ts";
import { makeColumnFormat, ofCodec, type ColumnFormat, type ReadCell } from "../column-format.ts";
import type { ColumnStorage } from "../column-option.ts";
import { PG_REAL_DECIMAL, PG_TEXT_DECIMAL, pgScaledDecimal } from "../forms/postgres-decimal-forms.ts";
import {
  PG_ANY_CASE_GUID,
  PG_BINARY,
  PG_BOOLEAN,
  PG_DECIMAL,
  PG_DOUBLE,
  PG_GUID,
  PG_INTEGER,
  PG_STRING_COLUMN,
  pgEnumName,
  pgEnumNumber,
} from "../forms/postgres-forms.ts";
import {
  PG_DATE,
  PG_DURATION,
  PG_EPOCH,
  PG_TEXT_TIMESTAMP,
  PG_TIME,
  PG_TIMESTAMP,
} from "../forms/postgres-temporal-forms.ts";
import { DEFAULT_PRECISION, MAX_PRECISION, readStoredTimestamp, writeEpoch } from "../instant.ts";
import type { Sql, SqlForm } from "../sql-form.ts";
import { readBytes, readInteger, readYear } from "./text-cells.ts";

/** Most fraction digits of seconds in PostgreSQL. */
const MAX_DIGITS = 6;

/** Cells are selected as text: what a driver makes of other types depends on its settings and those of the session. */
const asText = (column: Sql): Sql => sql`${column}::text`;

/**
 * How PostgreSQL holds a primitive or enumeration property in a column.
 * @param storage as `columns` says; undefined for the default of the type
 * @returns null when values of the type cannot be stored so
 */
export function pgColumnFormat(property: StructuralProperty, storage: ColumnStorage | undefined): ColumnFormat | null {
  const { type } = property;
  if (type.kind === "ComplexType") return null;
  if (type.kind === "EnumType") return storage === undefined ? enumFormat(property, type) : null;
  if (storage !== undefined) return storedFormat(property, type.name, storage);
  const { form, read, ...others } = DEFAULTS[type.name](property);
  return makeColumnFormat(property, form, read ?? ofCodec(property), { toSelected: asText, ...others });
}

/** The parts of a format that differ. */
interface Parts extends Partial<ColumnFormat> {
  readonly form: SqlForm;
  readonly read?: ReadCell;
}

const integer = (property: StructuralProperty): Parts => ({
  form: PG_INTEGER,
  read: (cell) => fitting(property, readInteger(cell)),
});
const int64 = (): Parts => ({ form: PG_INTEGER, read: readInteger, toJson: int64Text });
// A `real` is selected with the digits that it is compared by.
const double = (): Parts => ({
  form: PG_DOUBLE,
  read: (cell) => (typeof cell === "string" ? Number(cell) : null),
  toSelected: (column) => sql`${column}::float8::text`,
});

const DEFAULTS: Readonly<Record<PrimitiveTypeName, (property: StructuralProperty) => Parts>> = {
  "Edm.Boolean": () => ({
    form: PG_BOOLEAN,
    read: (cell) => (cell === "true" || cell === "false" ? cell === "true" : null),
    toJson: (cell) => (cell === "true" || cell === "false" ? cell : null),
  }),
  "Edm.Byte": integer,
  "Edm.SByte": integer,
  "Edm.Int16": integer,
  "Edm.Int32": integer,
  "Edm.Int64": int64,
  "Edm.Single": double,
  "Edm.Double": double,
  "Edm.Decimal": () => ({ form: PG_DECIMAL, read: readDecimal }),
  "Edm.String": () => ({
    form: PG_STRING_COLUMN,
    read: (cell) => (typeof cell === "string" ? cell : null),
    toJson: stringText,
  }),
  "Edm.Guid": () => ({ form: PG_GUID, toJson: guidText }),
  "Edm.Binary": () => ({
    form: PG_BINARY,
    read: readBytes,
    toSelected: (column) => sql`encode(${column}, 'hex')`,
  }),
  "Edm.Date": () => ({
    form: PG_DATE,
    read: readYear,
    toSelected: (column) => sql`to_char(${column}, 'YYYY-MM-DD') || ${eraOf(column, "date")}`,
  }),
  "Edm.TimeOfDay": () => ({
    form: PG_TIME,
    toSelected: (column) => sql`regexp_replace(to_char(${column}, 'HH24:MI:SS.US'), '\\.?0+$', '')`,
  }),
  "Edm.DateTimeOffset": timestamp,
  "Edm.Duration": () => ({ form: PG_DURATION }),
};

function timestamp({ facets }: StructuralProperty): Parts {
  // A property that declares no precision has the greatest.
  const { precision = MAX_PRECISION } = facets;
  const digits = precision === MAX_PRECISION ? DEFAULT_PRECISION : Math.min(precision, MAX_DIGITS);
  const pattern = `YYYY-MM-DD"T"HH24:MI:SS${digits === 0 ? "" : `.FF${String(digits)}`}`;
  const toText = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', ${sql.lit(pattern)}) || 'Z'`;
  return {
    form: PG_TIMESTAMP,
    read: readYear,
    toSelected: (column) => sql`${toText(column)} || ${eraOf(column, "timestamptz")}`,
    toJson: utcText,
  };
}

/** The patterns of `to_char` count the years before 1 from the other side. */
function eraOf(column: Sql, type: "date" | "timestamptz"): Sql {
  return sql`case when ${column} < ${sql.lit("0001-01-01 00:00:00+00")}::${sql.raw(type)} then ' BC' else '' end`;
}

function storedFormat(property: StructuralProperty, name: string, storage: ColumnStorage): ColumnFormat | null {
  const { scale } = property.facets;
  const make = (form: SqlForm, read: ReadCell, toJson?: ColumnFormat["toJson"]): ColumnFormat =>
    makeColumnFormat(property, form, read, { toSelected: asText, toJson });
  switch (`${name} ${storage}`) {
    case "Edm.Decimal text":
      return make(PG_TEXT_DECIMAL, readDecimal);
    case "Edm.Decimal real":
      return make(PG_REAL_DECIMAL, readDecimal);
    case "Edm.Decimal scaled": {
      if (typeof scale !== "number") return null;
      const read: ReadCell = (cell) => {
        const cents = readInteger(cell);
        return cents === null ? null : fromScaled(cents, scale);
      };
      return make(pgScaledDecimal(scale), read, scaledText(scale));
    }
    case "Edm.DateTimeOffset text":
      return make(PG_TEXT_TIMESTAMP, (cell) => (typeof cell === "string" ? readStoredTimestamp(cell) : null));
    case "Edm.DateTimeOffset epoch":
      return make(PG_EPOCH, (cell) => {
        const milliseconds = readInteger(cell);
        return milliseconds === null ? null : writeEpoch(Number(milliseconds));
      });
    case "Edm.Guid text":
      return make(PG_ANY_CASE_GUID, ofCodec(property), guidText);
    default:
      return null;
  }
}

function enumFormat(property: StructuralProperty, type: EnumType): ColumnFormat {
  if (type.isFlags) {
    const read: ReadCell = (cell) => {
      const number = readInteger(cell);
      return number === null ? null : enumFromNumber(type, Number(number));
    };
    return makeColumnFormat(property, pgEnumNumber(type), read, { toSelected: asText });
  }
  const ofName = ofCodec(property);
  // A number would be read here, and found by no filter.
  const read: ReadCell = (cell) => (typeof cell === "string" && type.members.has(cell) ? ofName(cell) : null);
  return makeColumnFormat(property, pgEnumName(type), read, { toSelected: asText });
}

function readDecimal(cell: unknown): string | null {
  return typeof cell === "string" ? parseDecimal(cell) : null;
}

/** An integer within the bounds of its type. */
function fitting(property: StructuralProperty, value: bigint | null): ReturnType<ReadCell> {
  return value === null ? null : ofCodec(property)(Number(value));
}
