import { bindConstant, type SqlConstant } from "./parameter-slot.ts";
import type { Encode, Sql, SqlForm } from "./sql-form.ts";

/**
 * The place of a constant in a statement, as a value of a form.
 * @param encode which cell of the form it becomes: the one that stands for it, by default
 */
export function bindFormed(constant: SqlConstant, form: SqlForm, encode: Encode = form.exact ?? form.floor): Sql {
  const place = bindConstant(constant, encode);
  return form.place?.(place) ?? place;
}
