import { assertNever } from "../../../base/assert-never.ts";
import type { ScalarType } from "../../../query/expression.ts";
import type { SqlForm } from "../../statement/sql-form.ts";
import { DECIMAL_FORM } from "./decimal-forms.ts";
import { BINARY_FORM, BOOLEAN_FORM, DOUBLE_FORM, SQLITE_ENUMS, GUID_FORM, INTEGER_FORM, STRING_FORM } from "./forms.ts";
import { ANY_DATE_FORM, DURATION_FORM, INSTANT_FORM, TIME_FORM } from "./temporal-forms.ts";

/** The form in which functions and arithmetic of SQLite take and give the values of a type. */
export function sqliteCanonicalForm(type: ScalarType): SqlForm {
  if (type.kind === "EnumType") return SQLITE_ENUMS.byNumber(type);
  const { name } = type;
  switch (name) {
    case "Edm.Boolean":
      return BOOLEAN_FORM;
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Int64":
      return INTEGER_FORM;
    case "Edm.Single":
    case "Edm.Double":
      return DOUBLE_FORM;
    case "Edm.Decimal":
      return DECIMAL_FORM;
    case "Edm.String":
      return STRING_FORM;
    case "Edm.Guid":
      return GUID_FORM;
    case "Edm.Binary":
      return BINARY_FORM;
    case "Edm.Date":
      return ANY_DATE_FORM;
    case "Edm.TimeOfDay":
      return TIME_FORM;
    case "Edm.DateTimeOffset":
      return INSTANT_FORM;
    case "Edm.Duration":
      return DURATION_FORM;
    default:
      return assertNever(name);
  }
}
