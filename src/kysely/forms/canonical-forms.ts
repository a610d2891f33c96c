import { isInteger } from "../../edm/primitive-type.ts";
import type { ScalarType } from "../../query/expression.ts";
import type { SqlForm } from "../statement/sql-form.ts";
import type { EnumForms } from "./enum-forms.ts";
import type { NumericTemporalForms } from "./numeric-temporal-forms.ts";

interface ComputedForms {
  readonly boolean: SqlForm;
  readonly integer: SqlForm;
  readonly decimal: SqlForm;
  readonly double: SqlForm;
  readonly string: SqlForm;
  readonly guid: SqlForm;
  readonly binary: SqlForm;
  readonly temporal: NumericTemporalForms;
  readonly enums: EnumForms;
}

/** Returns the function that finds the form of a type, for a database that computes with dates and times as numbers. */
export function canonicalForms(forms: ComputedForms): (type: ScalarType) => SqlForm {
  return (type) => {
    if (type.kind === "EnumType") return forms.enums.byNumber(type);
    if (isInteger(type)) return forms.integer;
    switch (type.name) {
      case "Edm.Boolean":
        return forms.boolean;
      case "Edm.Single":
      case "Edm.Double":
        return forms.double;
      case "Edm.Decimal":
        return forms.decimal;
      case "Edm.Guid":
        return forms.guid;
      case "Edm.Binary":
        return forms.binary;
      case "Edm.Date":
        return forms.temporal.days;
      case "Edm.TimeOfDay":
        return forms.temporal.clock;
      case "Edm.DateTimeOffset":
        return forms.temporal.epoch;
      case "Edm.Duration":
        return forms.temporal.seconds;
      default:
        return forms.string;
    }
  };
}
