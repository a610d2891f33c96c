import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { protocolError } from "../../errors/odata-error.ts";
import type { FormedSql, Sql, SqlForm } from "../statement/sql-form.ts";
import type { EnumForms } from "./enum-forms.ts";

/** Makes a value of a database of the text of one within JSON. */
type FromText = (text: Sql) => FormedSql;

/** What a database makes of texts of values within JSON. */
interface DocumentForms {
  readonly boolean: FromText;
  readonly integer: FromText;
  readonly decimal: FromText;
  readonly double: FromText;
  readonly string: FromText;
  /** Dates, times and durations, which stay texts. */
  readonly date: SqlForm;
  readonly timeOfDay: SqlForm;
  readonly dateTimeOffset: SqlForm;
  readonly duration: SqlForm;
  readonly enums: EnumForms;
}

/** Reads the text of a JSON value as one of a property. @param owner names the value in errors */
export type ReadDocumentValue = (text: Sql, property: StructuralProperty, owner: string) => FormedSql;

/**
 * Makes what reads the text of a JSON value, where the database gives values of JSON as texts: a number in quotes is
 * read, too.
 */
export function documentValues(forms: DocumentForms): ReadDocumentValue {
  const { boolean, integer, decimal, double, string } = forms;
  const asText =
    (form: SqlForm): FromText =>
    (text) => ({ sql: text, form });
  const readers: Readonly<Record<PrimitiveTypeName, FromText>> = {
    "Edm.Boolean": boolean,
    "Edm.Byte": integer,
    "Edm.SByte": integer,
    "Edm.Int16": integer,
    "Edm.Int32": integer,
    "Edm.Int64": integer,
    "Edm.Single": double,
    "Edm.Double": double,
    "Edm.Decimal": decimal,
    "Edm.String": string,
    // Lower case, as everywhere.
    "Edm.Guid": string,
    "Edm.Binary": string,
    "Edm.Date": asText(forms.date),
    "Edm.TimeOfDay": asText(forms.timeOfDay),
    "Edm.DateTimeOffset": asText(forms.dateTimeOffset),
    "Edm.Duration": asText(forms.duration),
  };
  return (text, { type, name }, owner) => {
    refuseIncomparable(type, owner);
    if (type.kind === "EnumType") return { sql: text, form: forms.enums.byName(type) };
    if (type.kind !== "PrimitiveType") throw new Error(`${name} is no single value.`);
    return readers[type.name](text);
  };
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
