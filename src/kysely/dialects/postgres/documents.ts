import { sql } from "kysely";
import type { StructuralProperty } from "../../../edm/model.ts";
import type { DocumentSyntax } from "../../forms/dialect-profile.ts";
import { textDocuments } from "../../forms/text-documents.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { PG_FORMS } from "./forms.ts";
import { PG_TEXTS } from "./temporal-forms.ts";

/** How PostgreSQL looks into JSON: columns of type `jsonb`, or of type `json` or text, which are read as `jsonb`. */
export const PG_DOCUMENTS: DocumentSyntax = textDocuments({
  forms: PG_FORMS,
  texts: PG_TEXTS,
  boolean: (text) => sql`${text}::boolean`,
  integer: (text) => sql`${text}::numeric::int8`,
  decimal: (text) => sql`${text}::numeric`,
  double: (text) => sql`${text}::float8`,
  string: (text) => sql`(${text} collate "C")`,
  textAt,
  textOfItem: (item) => sql`(${item} #>> '{}')`,
  isNull: (document, path) => sql`${textAt(document, path)} is null`,
  length: (document, path) => sql`jsonb_array_length(${arrayAt(document, path)})::int8`,
  itemsAt: (document, path, alias) =>
    sql`jsonb_array_elements(${arrayAt(document, path)}) with ordinality as ${alias}(value, ordinal)`,
});

function textAt(document: Sql, path: readonly StructuralProperty[]): Sql {
  return sql`(${document}::jsonb #>> ${keys(path)})`;
}

/** The array at the end of a path; null for any other value. */
function arrayAt(document: Sql, path: readonly StructuralProperty[]): Sql {
  const value = path.length === 0 ? sql`${document}::jsonb` : sql`(${document}::jsonb #> ${keys(path)})`;
  return sql`case jsonb_typeof(${value}) when 'array' then ${value} end`;
}

function keys(path: readonly StructuralProperty[]): Sql {
  if (path.length === 0) return sql`'{}'`;
  return sql`array[${sql.join(path.map(({ field }) => sql`${sql.lit(field)}`))}]`;
}
