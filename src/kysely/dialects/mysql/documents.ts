import { sql } from "kysely";
import type { StructuralProperty } from "../../../edm/model.ts";
import { documentValues } from "../../forms/document-values.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DocumentSyntax } from "../dialect-profile.ts";
import { MY_FORMS } from "./forms.ts";
import { MY_TEXTS } from "./temporal-forms.ts";

const formed = documentValues({
  boolean: (text) => ({ sql: sql`(${text} + 0)`, form: MY_FORMS.boolean }),
  integer: (text) => ({
    sql: sql`cast(cast(${text} as decimal(65, 30)) as signed)`,
    form: MY_FORMS.integer,
  }),
  decimal: (text) => ({ sql: sql`cast(${text} as decimal(65, 30))`, form: MY_FORMS.decimal }),
  double: (text) => ({ sql: sql`(${text} + 0e0)`, form: MY_FORMS.double }),
  string: (text) => ({ sql: sql`(${text} collate utf8mb4_nopad_bin)`, form: MY_FORMS.string }),
  date: MY_TEXTS.date,
  timeOfDay: MY_TEXTS.time,
  dateTimeOffset: MY_TEXTS.timestamp,
  duration: MY_TEXTS.duration,
  enums: MY_FORMS.enums,
});

/** How MariaDB looks into JSON: columns of json or text. */
export const MY_DOCUMENTS: DocumentSyntax = Object.freeze<DocumentSyntax>({
  member: (document, path, owner) => {
    const property = path.at(-1);
    if (property === undefined) throw new Error(`${owner} is no single value.`);
    return formed(sql`json_value(${document}, ${jsonPath(path)})`, property, owner);
  },
  item: (_document, alias, collection) =>
    formed(sql`json_value(${sql.id(alias, "value")}, '$')`, collection, collection.name),
  itemDocument: (alias) => sql`${sql.id(alias, "value")}`,
  isNull: (document, path) => sql`ifnull(json_type(json_extract(${document}, ${jsonPath(path)})), 'NULL') = 'NULL'`,
  // Of a value that is no array the length is 1.
  length: (document, path) =>
    sql`(case json_type(json_extract(${document}, ${jsonPath(path)})) when 'ARRAY' then json_length(${document}, ${jsonPath(path)}) end)`,
  items: (document, path, alias) => ({
    from: sql`json_table(ifnull(json_extract(${document}, ${jsonPath(path)}), '[]'), '$[*]' columns(ordinal for ordinality, value json path '$')) as ${sql.id(alias)}`,
    where: null,
  }),
  spendItem: () => null,
});

/** A path within a JSON text, bound as a value. */
function jsonPath(path: readonly StructuralProperty[]): Sql {
  return bindFixed(`$${path.map(({ field }) => `."${field}"`).join("")}`);
}
