import { asText } from "../../edm/canonical-form.ts";
import type { TextComparison } from "../../introspect/compared-texts.ts";
import { convertedForm, plainForm, type Conversion, type SqlForm } from "../statement/sql-form.ts";

/**
 * Makes the form of texts that the database compares in its own way, as in a foreign key.
 * @param bound converts bound texts and texts of key lists
 * @param column converts columns; by default as `bound`
 * @see docs/reference/storage.md
 */
export function comparedTextForm(
  { type, collation }: TextComparison,
  bound: Conversion["apply"],
  column: Conversion["apply"] = bound,
): SqlForm {
  const form = plainForm("compared text", asText, { place: bound, fromKey: bound });
  return convertedForm(`${type ?? "text"} by ${collation}`, asText, { form, apply: column });
}
