import { sql } from "kysely";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { PG_BOOLEAN, PG_DECIMAL, PG_DOUBLE, PG_INTEGER, PG_STRING, pgEnumName } from "../forms/postgres-forms.ts";
import { PG_DURATION, PG_TEXT_DATE, PG_TEXT_TIME, PG_TEXT_TIMESTAMP } from "../forms/postgres-temporal-forms.ts";
import type { FormedSql, Sql } from "../translate/sql-form.ts";
import type { DocumentSyntax } from "./document-syntax.ts";
import { refuseIncomparable } from "./refuse-incomparable.ts";

/** How PostgreSQL looks into JSON: columns of jsonb, json or text, the latter two read as jsonb. */
export const PG_DOCUMENTS: DocumentSyntax = Object.freeze<DocumentSyntax>({
  member: (document, path, owner) => {
    const property = path.at(-1);
    if (property === undefined) throw new Error(`${owner} is no single value.`);
    return formed(textAt(document, path), property, owner);
  },
  item: (_document, alias, collection) =>
    formed(sql`(${sql.id(alias, "value")} #>> '{}')`, collection, collection.name),
  itemDocument: (alias) => sql`${sql.id(alias, "value")}`,
  isNull: (document, path) => sql`${textAt(document, path)} is null`,
  length: (document, path) => sql`jsonb_array_length(${arrayAt(document, path)})::int8`,
  items: (document, path, alias) => ({
    from: sql`jsonb_array_elements(${arrayAt(document, path)}) with ordinality as ${sql.id(alias)}(value, ordinal)`,
    where: null,
  }),
  spendItem: () => null,
});

/** From the text of a JSON value: a number in quotes is read, too. */
function formed(text: Sql, { type, name }: StructuralProperty, owner: string): FormedSql {
  refuseIncomparable(type, owner);
  if (type.kind === "EnumType") return { sql: text, form: pgEnumName(type) };
  if (type.kind !== "PrimitiveType") throw new Error(`${name} is no single value.`);
  return FORMED[type.name](text);
}

const integer = (text: Sql): FormedSql => ({ sql: sql`${text}::numeric::int8`, form: PG_INTEGER });
const double = (text: Sql): FormedSql => ({ sql: sql`${text}::float8`, form: PG_DOUBLE });
const string = (text: Sql): FormedSql => ({ sql: sql`(${text} collate "C")`, form: PG_STRING });

const FORMED: Readonly<Record<PrimitiveTypeName, (text: Sql) => FormedSql>> = {
  "Edm.Boolean": (text) => ({ sql: sql`${text}::boolean`, form: PG_BOOLEAN }),
  "Edm.Byte": integer,
  "Edm.SByte": integer,
  "Edm.Int16": integer,
  "Edm.Int32": integer,
  "Edm.Int64": integer,
  "Edm.Single": double,
  "Edm.Double": double,
  "Edm.Decimal": (text) => ({ sql: sql`${text}::numeric`, form: PG_DECIMAL }),
  "Edm.String": string,
  // Lower case, as everywhere.
  "Edm.Guid": string,
  "Edm.Binary": string,
  "Edm.Date": (text) => ({ sql: text, form: PG_TEXT_DATE }),
  "Edm.TimeOfDay": (text) => ({ sql: text, form: PG_TEXT_TIME }),
  "Edm.DateTimeOffset": (text) => ({ sql: text, form: PG_TEXT_TIMESTAMP }),
  "Edm.Duration": (text) => ({ sql: text, form: PG_DURATION }),
};

function textAt(document: Sql, path: readonly StructuralProperty[]): Sql {
  return sql`(${document}::jsonb #>> ${keys(path)})`;
}

/** The array at the end of a path; null where something else is. */
function arrayAt(document: Sql, path: readonly StructuralProperty[]): Sql {
  const value = path.length === 0 ? sql`${document}::jsonb` : sql`(${document}::jsonb #> ${keys(path)})`;
  return sql`case jsonb_typeof(${value}) when 'array' then ${value} end`;
}

function keys(path: readonly StructuralProperty[]): Sql {
  if (path.length === 0) return sql`'{}'`;
  return sql`array[${sql.join(path.map(({ field }) => sql`${sql.lit(field)}`))}]`;
}
