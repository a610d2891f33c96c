import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { bindFixed } from "../statement/parameter-slot.ts";
import type { FormedSql, Sql, SqlForm } from "../statement/sql-form.ts";
import type { CastForms } from "./cast-forms.ts";
import type { DocumentSyntax } from "./dialect-values.ts";
import type { TextTemporalForms } from "./temporal-forms.ts";

type Cast = (text: Sql) => Sql;

type DocumentPath = readonly StructuralProperty[];

/** How one database looks into JSON where it returns JSON values as texts. */
interface TextDocumentSyntax extends Pick<DocumentSyntax, "isNull" | "length"> {
  readonly forms: CastForms;
  /** Dates, times and durations, which stay texts. */
  readonly texts: TextTemporalForms;
  readonly boolean: Cast;
  readonly integer: Cast;
  readonly decimal: Cast;
  /** The form of Decimals, if `decimal` leaves texts as they are. */
  readonly decimalForm?: SqlForm;
  readonly double: Cast;
  readonly string: Cast;
  /** The text of the value at the end of a path. */
  readonly textAt: (document: Sql, path: DocumentPath) => Sql;
  readonly textOfItem: (item: Sql) => Sql;
  /** The items of the array at the end of a path, as a table with an alias. */
  readonly itemsAt: (document: Sql, path: DocumentPath, alias: Sql) => Sql;
}

/** Makes the `DocumentSyntax` of a database that returns JSON values as texts. Numbers in quotes are numbers, too. */
export function textDocuments(syntax: TextDocumentSyntax): DocumentSyntax {
  const { forms, texts, isNull, length } = syntax;
  const integer: TextForm = [syntax.integer, forms.integer];
  const double: TextForm = [syntax.double, forms.double];
  const string: TextForm = [syntax.string, forms.string];
  const textForms: Readonly<Record<PrimitiveTypeName, TextForm>> = {
    "Edm.Boolean": [syntax.boolean, forms.boolean],
    "Edm.Byte": integer,
    "Edm.SByte": integer,
    "Edm.Int16": integer,
    "Edm.Int32": integer,
    "Edm.Int64": integer,
    "Edm.Single": double,
    "Edm.Double": double,
    "Edm.Decimal": [syntax.decimal, syntax.decimalForm ?? forms.decimal],
    "Edm.String": string,
    // Other programs may have written upper case, which reads accept.
    "Edm.Guid": [(text) => syntax.string(sql`lower(${text})`), forms.string],
    "Edm.Binary": string,
    "Edm.Date": [unchanged, texts.date],
    "Edm.TimeOfDay": [unchanged, texts.time],
    "Edm.DateTimeOffset": [unchanged, texts.timestamp],
    "Edm.Duration": [unchanged, texts.duration],
  };
  const readText = (text: Sql, { type, name }: StructuralProperty, owner: string): FormedSql => {
    refuseIncomparable(type, owner);
    if (type.kind === "EnumType") return { sql: text, form: forms.enums.byName(type) };
    if (type.kind !== "PrimitiveType") throw new Error(`${name} is not a single value.`);
    const [cast, form] = textForms[type.name];
    return { sql: cast(text), form };
  };
  return Object.freeze<DocumentSyntax>({
    member: (document, path, property, owner) => readText(syntax.textAt(document, path), property, owner),
    item: (_document, alias, items) => readText(syntax.textOfItem(itemDocument(alias)), items, items.name),
    itemDocument,
    isNull,
    length,
    items: (document, path, alias) => ({ from: syntax.itemsAt(document, path, sql.id(alias)), where: null }),
    spendItem: () => null,
  });
}

type TextForm = readonly [cast: Cast, form: SqlForm];

function unchanged(text: Sql): Sql {
  return text;
}

/** Names the item that a table with an alias lists. */
export function itemDocument(alias: string): Sql {
  return sql`${sql.id(alias, "value")}`;
}

/** Binds a path in the notation `$."a"."b"`. */
export function jsonPath(path: DocumentPath): Sql {
  return bindFixed(`$${path.map(({ field }) => `."${field}"`).join("")}`);
}

/**
 * Refuses the types whose values within JSON cannot be compared: flags and Binary, which are texts of several forms there.
 * @param owner the property that is stored as JSON
 * @throws ODataError `UnsupportedQueryOption`
 */
export function refuseIncomparable(type: StructuralProperty["type"], owner: string): void {
  const isFlags = type.kind === "EnumType" && type.isFlags;
  if (!isFlags && type.name !== "Edm.Binary") return;
  throw protocolError(
    "UnsupportedQueryOption",
    `'${owner}' is stored as JSON, where values of ${type.name} cannot be compared.`,
  );
}
