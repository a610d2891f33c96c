import type { ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import { isFlagColumn } from "../../../databases/mariadb/introspect/mysql-database.ts";
import type { PrimitiveTypeName } from "../../../edm/primitive-type.ts";
import type { DescribedColumn } from "../described-service.ts";
import { asIdentifier } from "../names/inflection.ts";
import {
  mapTo,
  type ColumnMapping,
  type ColumnMappingContext,
  type ColumnWarning,
  type MapColumn,
} from "./column-mapping.ts";

/** Types of integers and, after a blank, of those without sign. A property of the type has all values. */
const INTEGERS: Readonly<Record<string, PrimitiveTypeName>> = {
  tinyint: "Edm.SByte",
  "tinyint unsigned": "Edm.Byte",
  smallint: "Edm.Int16",
  "smallint unsigned": "Edm.Int32",
  mediumint: "Edm.Int32",
  "mediumint unsigned": "Edm.Int32",
  int: "Edm.Int32",
  "int unsigned": "Edm.Int64",
  bigint: "Edm.Int64",
};

/** The bits of numbers that an Int64 has. */
const INT64_BITS = 63;

const SINGLE: ColumnWarning = {
  code: "single",
  message: "is a float, so a filter finds the value that a response shows, and not its rounded form such as 1.1",
  flag: null,
};

/** Maps a column of MariaDB. @see docs/reference/storage.md */
export const mapMysqlColumn: MapColumn = (column, context) => {
  const { type, definition } = column;
  const isUnsigned = /\b(?:unsigned|zerofill)\b/.test(definition);
  const integer = INTEGERS[isUnsigned ? `${type} unsigned` : type];
  if (isFlagColumn(column)) return mapFlag(column, context);
  if (integer !== undefined) return mapTo(integer);
  switch (type) {
    case "bigint":
      return mapTo("Edm.Decimal", { facets: { precision: 20, scale: 0 } });
    case "bit":
      return mapBits(column);
    case "year":
      return mapTo("Edm.Int16");
    case "decimal":
      return mapTo("Edm.Decimal", { facets: { precision: column.precision ?? 10, scale: column.scale ?? 0 } });
    case "float":
      return mapTo("Edm.Single", {}, SINGLE);
    case "double":
      return mapTo("Edm.Double");
    case "uuid":
      return mapTo("Edm.Guid");
    default:
      return mapTemporal(column, context) ?? mapText(column, context);
  }
};

/** A `tinyint(1)` is a Boolean, unless its rows contain other numbers than 0 and 1. */
function mapFlag({ sample }: ObjectColumn, { place }: ColumnMappingContext): ColumnMapping {
  const { integers = 0, forms = {}, rows = 0 } = sample ?? {};
  const others = integers - (forms["zero-or-one"] ?? 0);
  if (others === 0) return mapTo("Edm.Boolean");
  const message = `is a tinyint(1) with other numbers than 0 and 1 in ${String(others)} of ${String(rows)} rows, published as SByte`;
  return mapTo("Edm.SByte", {}, { code: "flag", message, flag: `--map "${place}=boolean(0,1)"` });
}

function mapBits({ precision }: ObjectColumn): ColumnMapping {
  const bits = precision ?? 1;
  if (bits === 1) return mapTo("Edm.Boolean");
  if (bits <= INT64_BITS) return mapTo("Edm.Int64");
  return mapTo("Edm.Decimal", { facets: { precision: 20, scale: 0 } });
}

function mapTemporal(column: ObjectColumn, { zoneless }: ColumnMappingContext): ColumnMapping | undefined {
  const precision = column.precision ?? 0;
  switch (column.type) {
    case "date":
      return mapTo("Edm.Date");
    case "datetime":
      if (zoneless === "string") return mapTo("Edm.String", textOf(column));
      return mapTo("Edm.DateTimeOffset", { facets: { precision }, storage: "utc" });
    case "timestamp":
      return mapTo("Edm.DateTimeOffset", { facets: { precision }, storage: "utc" });
    // A time is a duration of up to 838 hours, also below zero, which a row may get at any moment.
    case "time":
      return mapTo("Edm.String", textOf(column), {
        code: "time",
        message: "is a time, which may exceed a day, published as String, read-only",
        flag: null,
      });
    default:
      return undefined;
  }
}

function mapText(column: ObjectColumn, context: ColumnMappingContext): ColumnMapping {
  const { type, length, characterSet } = column;
  // A `char(0)` has no text but the empty one.
  const facets = length === null || length === 0 ? {} : { maxLength: length };
  switch (type) {
    case "binary":
    case "varbinary":
    case "tinyblob":
    case "blob":
    case "mediumblob":
    case "longblob":
      return mapTo("Edm.Binary", { facets });
    case "enum":
      return mapEnum(column, context);
    case "char":
    case "varchar":
    case "tinytext":
    case "text":
    case "mediumtext":
    case "longtext":
      if (characterSet === "utf8mb4") return mapTo("Edm.String", { facets });
      return mapTo(
        "Edm.String",
        { facets, storage: "text" },
        {
          code: "character-set",
          message: `has the character set ${characterSet ?? "binary"}, published as converted text`,
          flag: null,
        },
      );
    case "json":
      return characterSet === "utf8mb4"
        ? mapTo("Edm.String", { storage: "text" }, textWarning(column, "published as String of JSON"))
        : mapTo("Edm.String", textOf(column), textWarning(column, "published as String of JSON, read-only"));
    case "set":
    case "inet4":
    case "inet6":
      return mapTo("Edm.String", textOf(column), textWarning(column, "published as String, read-only"));
    default:
      return { omitted: `values of ${type} have no text that clients can read`, code: `omitted-${type}`, flag: null };
  }
}

function mapEnum(column: ObjectColumn, { enumType }: ColumnMappingContext): ColumnMapping {
  const labels = column.labels ?? [];
  if (enumType !== null && labels.every((label) => asIdentifier(label) === label)) return mapTo({ enumType });
  const message = "has labels that are no identifiers, published as String, read-only";
  return mapTo("Edm.String", textOf(column), { code: "enum-labels", message, flag: null });
}

/** Publishes the text of the database, in the character set that comparisons need. */
function textOf({ name }: ObjectColumn): Pick<DescribedColumn, "sql" | "isReadOnly"> {
  return { sql: `cast(${quote(name)} as char character set utf8mb4)`, isReadOnly: true };
}

function textWarning({ type }: ObjectColumn, published: string): ColumnWarning {
  return { code: `text-${type}`, message: `has the type ${type}, ${published}`, flag: null };
}

function quote(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
