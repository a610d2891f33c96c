import type { StructuralProperty } from "../../edm/model.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { NumberSyntax } from "./number-syntax.ts";
import type { NumericTemporalForms } from "./numeric-temporal-forms.ts";
import type { StoredInstants, StoredParts, TemporalConversions } from "./stored-instants.ts";

/** The conversions of timestamps and dates whose seconds since 1970 a database computes from their cells. */
export function conversionsBySeconds(
  toSeconds: (cell: Sql) => Sql,
  { numbers, forms }: { readonly numbers: NumberSyntax; readonly forms: NumericTemporalForms },
): { readonly timestamp: TemporalConversions; readonly date: TemporalConversions } {
  const timestamp = { form: forms.epoch, apply: toSeconds };
  const toDays = (cell: Sql): Sql => numbers.asInteger(numbers.floorDivide(numbers.floor(toSeconds(cell)), 86_400));
  const date = { form: forms.days, apply: toDays };
  return {
    timestamp: { comparable: timestamp, computable: timestamp },
    date: { comparable: date, computable: date },
  };
}

/** The formats by the names of types and storage forms. */
export function storedFormats(
  stored: Readonly<Record<string, StoredInstants>>,
): Readonly<Record<string, (property: StructuralProperty) => StoredParts>> {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([storage, { timestamp, date }]) => [
      [`Edm.DateTimeOffset ${storage}`, timestamp],
      [`Edm.Date ${storage}`, date],
    ]),
  );
}
