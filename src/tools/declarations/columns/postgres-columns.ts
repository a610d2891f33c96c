import type { ObjectColumn } from "../../../databases/introspect/database-schema.ts";
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

/** PostgreSQL stores microseconds. */
const FRACTION_DIGITS = 6;

/** Types whose values a property of the type has without loss. */
const SAME: Readonly<Record<string, PrimitiveTypeName>> = {
  bool: "Edm.Boolean",
  int2: "Edm.Int16",
  int4: "Edm.Int32",
  int8: "Edm.Int64",
  float4: "Edm.Single",
  float8: "Edm.Double",
  uuid: "Edm.Guid",
  bytea: "Edm.Binary",
  date: "Edm.Date",
  text: "Edm.String",
  name: "Edm.String",
};

/** Why a type has no faithful text, or none that clients can use. */
const OMITTED: Readonly<Record<string, string>> = {
  tsvector: "a tsvector is an index of words, and not a text",
  tsquery: "a tsquery is a search, and not a value",
  composite: "values of composite types have no text that clients can read",
  record: "values of composite types have no text that clients can read",
  ...Object.fromEntries(
    ["point", "line", "lseg", "box", "path", "polygon", "circle", "geometry", "geography", "raster"].map((type) => [
      type,
      `values of ${type} have no text that clients can read`,
    ]),
  ),
};

/** How comparisons of a text differ from those of the database; other types compare their text. */
const TEXT_NOTES: Readonly<Record<string, string>> = {
  bpchar: "published as String without trailing blanks",
  citext: "published as String, and compared with the case of letters",
  json: "published as String of JSON, and compared as text",
  jsonb: "published as String of JSON, and compared as text",
};

/** Maps a column of PostgreSQL. @see docs/reference/storage.md */
export const mapPostgresColumn: MapColumn = (column, context) => {
  const item = /^(.*?)((?:\[\])*)$/.exec(column.type) ?? [];
  const [, type = column.type, brackets = ""] = item;
  const omitted = ownOf(OMITTED, type);
  if (omitted !== undefined) return { omitted, code: `omitted-${type}`, flag: null };
  if (brackets === "") return mapScalar(column, context);
  const mapped = brackets === "[]" && isItem(type) ? mapScalar({ ...column, type }, context) : undefined;
  if (type === "enum" && mapped !== undefined && "column" in mapped && mapped.column.type === "Edm.String") {
    const sql = `${quote(column.name)}::text[]`;
    const texts = { isCollection: true, storage: "array", sql, isReadOnly: true } as const;
    return { column: { ...mapped.column, ...texts }, warnings: mapped.warnings };
  }
  if (mapped !== undefined && "column" in mapped) {
    const collection = { ...mapped.column, isCollection: true, storage: "array" } as const;
    return { column: collection, warnings: [] };
  }
  return mapTo(
    "Edm.String",
    { sql: `to_jsonb(${quote(column.name)})::text`, isReadOnly: true },
    textWarning(column, "published as String of JSON, read-only"),
  );
};

function mapScalar(column: ObjectColumn, context: ColumnMappingContext): ColumnMapping {
  const same = ownOf(SAME, column.type);
  if (same === "Edm.Single") return mapTo(same, {}, SINGLE);
  if (same !== undefined) return mapTo(same);
  const precision = column.precision ?? FRACTION_DIGITS;
  switch (column.type) {
    // PostgreSQL has no arithmetic of object identifiers.
    case "oid":
      return mapTo("Edm.Int64", { sql: `${quote(column.name)}::int8`, isReadOnly: true });
    case "varchar":
      return mapTo("Edm.String", { facets: column.length === null ? {} : { maxLength: column.length } });
    case "numeric":
      return mapTo("Edm.Decimal", { facets: decimalFacets(column) });
    case "money":
      return mapTo("Edm.Decimal", { facets: { precision: 19, scale: 2 }, storage: "text" });
    case "time":
      return mapTo("Edm.TimeOfDay", { facets: { precision } });
    case "timestamptz":
      return mapTo("Edm.DateTimeOffset", { facets: { precision } });
    case "timestamp":
      return mapTimestamp(column, precision, context);
    case "enum":
      return mapEnum(column, context);
    case "citext":
      return mapTo("Edm.String", {}, textWarning(column, ownOf(TEXT_NOTES, column.type)));
    // The database checks and converts a written text.
    case "json":
    case "jsonb":
      return mapTo("Edm.String", { storage: "text" }, textWarning(column, ownOf(TEXT_NOTES, column.type)));
    case "bit":
    case "varbit": {
      const facets = column.length === null ? {} : { maxLength: column.length };
      return mapTo("Edm.String", { facets, storage: "text" }, textWarning(column, "published as String of 0 and 1"));
    }
    // Its text in the database ends in blanks, which its comparisons ignore.
    case "bpchar":
      return mapTo("Edm.String", { isReadOnly: true }, textWarning(column));
    default:
      return mapTo("Edm.String", { storage: "text", isReadOnly: true }, textWarning(column));
  }
}

const SINGLE: ColumnWarning = {
  code: "single",
  message: "is a real, so a filter finds the value that a response shows, and not its rounded form such as 1.1",
  flag: null,
};

/** Rounds to the left of the point have a negative scale. A scale beyond the precision means zeros after the point. */
function decimalFacets({ precision, scale }: ObjectColumn): DescribedColumn["facets"] {
  if (precision === null || scale === null) return {};
  if (scale < 0) return { precision: precision - scale, scale: 0 };
  return { precision: Math.max(precision, scale), scale };
}

function mapTimestamp({ name }: ObjectColumn, precision: number, { zoneless }: ColumnMappingContext): ColumnMapping {
  if (zoneless === "utc") return mapTo("Edm.DateTimeOffset", { facets: { precision }, storage: "utc" });
  // JSON has the same form in all settings of the session.
  return mapTo("Edm.String", { sql: `(to_jsonb(${quote(name)}) #>> '{}')`, isReadOnly: true });
}

function mapEnum(column: ObjectColumn, { enumType }: ColumnMappingContext): ColumnMapping {
  const labels = column.labels ?? [];
  if (enumType !== null && labels.every((label) => asIdentifier(label) === label)) return mapTo({ enumType });
  const message = "has labels that are no identifiers, published as String, read-only";
  return mapTo("Edm.String", { storage: "text", isReadOnly: true }, { code: "enum-labels", message, flag: null });
}

/** The code groups all columns of the type. */
function textWarning({ type }: ObjectColumn, note?: string): ColumnWarning {
  const published = note ?? `${ownOf(TEXT_NOTES, type) ?? `published as String, and compared as text`}, read-only`;
  return {
    code: `text-${type}`,
    message: `has the type ${type === "bpchar" ? "char" : type}, ${published}`,
    flag: null,
  };
}

/** A collection stores these items; arrays of other types are published as JSON. */
function isItem(type: string): boolean {
  return Object.hasOwn(SAME, type) || ["varchar", "bpchar", "numeric", "time", "timestamptz", "enum"].includes(type);
}

/** Types have any name, such as `constructor`. */
function ownOf<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
