import { sql } from "kysely";
import type { DocumentSyntax } from "../../forms/dialect-profile.ts";
import { jsonPath, textDocuments } from "../../forms/text-documents.ts";
import { decimalOfText, MY_FORMS } from "./forms.ts";
import { MY_TEXTS } from "./temporal-forms.ts";

/** How MariaDB looks into JSON: columns of type `json` or text. */
export const MY_DOCUMENTS: DocumentSyntax = textDocuments({
  forms: MY_FORMS,
  texts: MY_TEXTS,
  boolean: (text) => sql`(${text} + 0)`,
  integer: (text) => sql`cast(cast(${text} as decimal(65, 30)) as signed)`,
  decimal: decimalOfText,
  double: (text) => sql`(${text} + 0e0)`,
  string: (text) => sql`(${text} collate utf8mb4_nopad_bin)`,
  textAt: (document, path) => sql`json_value(${document}, ${jsonPath(path)})`,
  textOfItem: (item) => sql`json_value(${item}, '$')`,
  isNull: (document, path) => sql`ifnull(json_type(json_extract(${document}, ${jsonPath(path)})), 'NULL') = 'NULL'`,
  // `json_length` of a value that is not an array is 1.
  length: (document, path) =>
    sql`(case json_type(json_extract(${document}, ${jsonPath(path)})) when 'ARRAY' then json_length(${document}, ${jsonPath(path)}) end)`,
  itemsAt: (document, path, alias) =>
    sql`json_table(ifnull(json_extract(${document}, ${jsonPath(path)}), '[]'), '$[*]' columns(ordinal for ordinality, value json path '$')) as ${alias}`,
});
