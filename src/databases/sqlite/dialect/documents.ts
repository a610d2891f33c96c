import { sql } from "kysely";
import type { StructuralProperty } from "../../../edm/model.ts";
import type { DocumentSyntax } from "../../forms/dialect-values.ts";
import { itemDocument, jsonPath, refuseIncomparable } from "../../forms/text-documents.ts";
import { bindSlot } from "../../statement/parameter-slot.ts";
import type { FormedSql, Sql, SqlForm } from "../../statement/sql-form.ts";
import { sqliteColumnFormat } from "./column-format.ts";
import { DECIMAL_FORM, GUID_FORM } from "./forms.ts";
import { INSTANT_FORM } from "./temporal-forms.ts";

/** How SQLite looks into JSON, which it stores as text. */
export const SQLITE_DOCUMENTS: DocumentSyntax = Object.freeze<DocumentSyntax>({
  member,
  item,
  itemDocument,
  isNull: (document, path) => sql`${extract(document, path)} is null`,
  length: (document, path) => sql`json_array_length(${document}${at(path)})`,
  items: (document, path, alias) => ({
    from: sql`json_each(${document}${at(path)}) as ${sql.id(alias)}`,
    // A JSON null yields one row without a key.
    where: sql`${sql.id(alias, "key")} is not null`,
  }),
  // SQLite has no time limit. The condition names the item, or SQLite would evaluate it only once.
  spendItem: (item) => sql`odata_spend_item(${bindSlot(({ id }) => id())}, ${item})`,
});

function member(
  document: Sql,
  path: readonly StructuralProperty[],
  property: StructuralProperty,
  owner: string,
): FormedSql {
  const form = formOf(property, owner);
  // Decimals stay text: as numbers of SQLite they would lose digits.
  const value = form === DECIMAL_FORM ? decimalText(sql`${document} -> ${jsonPath(path)}`) : extract(document, path);
  return { sql: inOneCase(value, form), form };
}

function item(document: Sql, alias: string, collection: StructuralProperty): FormedSql {
  const form = formOf(collection, collection.name);
  const value =
    form === DECIMAL_FORM ? decimalText(sql`${document} -> ${sql.id(alias, "fullkey")}`) : itemDocument(alias);
  return { sql: inOneCase(value, form), form };
}

/** Returns Guids in lower case: other programs may have written upper case, which reads accept. */
function inOneCase(value: Sql, form: SqlForm): Sql {
  return form === GUID_FORM ? sql`lower(${value})` : value;
}

function formOf({ name, type, ...others }: StructuralProperty, owner: string): SqlForm {
  refuseIncomparable(type, owner);
  if (type.name === "Edm.DateTimeOffset") return INSTANT_FORM;
  const format = sqliteColumnFormat({ name, type, ...others }, undefined);
  if (format === null) throw new Error(`${name} is not a single value.`);
  return format.form;
}

function extract(document: Sql, path: readonly StructuralProperty[]): Sql {
  return path.length === 0 ? document : sql`json_extract(${document}, ${jsonPath(path)})`;
}

function at(path: readonly StructuralProperty[]): Sql {
  return path.length === 0 ? sql`` : sql`, ${jsonPath(path)}`;
}

/** Returns the digits of a JSON number, or of a number in quotes. */
function decimalText(json: Sql): Sql {
  return sql`nullif(trim((${json}), '"'), 'null')`;
}
