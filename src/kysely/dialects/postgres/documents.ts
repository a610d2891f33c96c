import { sql } from "kysely";
import type { StructuralProperty } from "../../../edm/model.ts";
import { documentValues } from "../../forms/document-values.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DocumentSyntax } from "../dialect-profile.ts";
import { PG_FORMS } from "./forms.ts";
import { PG_TEXTS } from "./temporal-forms.ts";

const formed = documentValues({
  boolean: (text) => ({ sql: sql`${text}::boolean`, form: PG_FORMS.boolean }),
  integer: (text) => ({ sql: sql`${text}::numeric::int8`, form: PG_FORMS.integer }),
  decimal: (text) => ({ sql: sql`${text}::numeric`, form: PG_FORMS.decimal }),
  double: (text) => ({ sql: sql`${text}::float8`, form: PG_FORMS.double }),
  string: (text) => ({ sql: sql`(${text} collate "C")`, form: PG_FORMS.string }),
  date: PG_TEXTS.date,
  timeOfDay: PG_TEXTS.time,
  dateTimeOffset: PG_TEXTS.timestamp,
  duration: PG_TEXTS.duration,
  enums: PG_FORMS.enums,
});

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
