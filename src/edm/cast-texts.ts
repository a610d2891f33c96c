import type { PrimitiveTypeName } from "./primitive-type.ts";

const INTEGER = /^([-+]?[0-9]{1,60})$/;
const DOUBLE = /^([-+]?[0-9]{1,60}([.][0-9]{1,60})?([eE][-+]?[0-9]{1,3})?)$/;

/**
 * The texts that `cast` converts to a type: its literals without prefix and suffix, of so many digits that every database can
 * compute with them. A number may still be out of range. PostgreSQL and MariaDB read the same expressions, whose first group is
 * the whole text. They have no backslash, which a session may not escape.
 * @see docs/reference/filter.md, Casts
 */
export const CAST_TEXTS: Readonly<Record<Exclude<PrimitiveTypeName, "Edm.String" | "Edm.Binary">, RegExp>> = {
  "Edm.Boolean": /^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$/,
  "Edm.Byte": INTEGER,
  "Edm.SByte": INTEGER,
  "Edm.Int16": INTEGER,
  "Edm.Int32": INTEGER,
  "Edm.Int64": INTEGER,
  "Edm.Decimal": /^([-+]?[0-9]{1,35}([.][0-9]{1,30})?)$/,
  "Edm.Single": DOUBLE,
  "Edm.Double": DOUBLE,
  "Edm.Guid": /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/,
  // Days of months, and leap days of years that four divides, of a century or others.
  "Edm.Date":
    /^(([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29))$/,
  "Edm.TimeOfDay": /^(([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,12})?)?)$/,
  "Edm.DateTimeOffset":
    /^(([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)[Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,12})?)?([Zz]|[-+]((0[0-9]|1[0-3]):[0-5][0-9]|14:00)))$/,
  "Edm.Duration":
    /^(-?P(?=[0-9T])([0-9]{1,16}D)?(T(?=[0-9])([0-9]{1,16}H)?([0-9]{1,16}M)?([0-9]{1,16}([.][0-9]{1,12})?S)?)?)$/,
};
