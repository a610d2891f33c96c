import { quoteName } from "../../../databases/introspect/quote-name.ts";
import { PG_TABLES } from "../../../databases/postgres/introspect/catalogue.ts";
import type { ColumnRules, KeyCondition } from "./column-rules.ts";
import { mapPostgresColumn } from "./postgres-columns.ts";
import { quotedText } from "./quoted-text.ts";

/** A text of PostgreSQL has the type of its column. A cast to another type can change the value. */
const CAST = /^('(?:[^']|'')*')::(?:"[^"]+"|[a-z_]\w*)(?:\.(?:"[^"]+"|[a-z_]\w*))?(?: varying| precision)?$/i;

/** What the columns of PostgreSQL contain. */
export const POSTGRES_RULES: ColumnRules = Object.freeze<ColumnRules>({
  map: mapPostgresColumn,
  acceptsAnyCell: false,
  mayBeUnreadable: ({ type, storage }, _definition, holdsUnreadable) => {
    if (!holdsUnreadable) return false;
    // Every numeric can be NaN, with and without a precision. Money, stored as text, cannot.
    if (type === "Edm.Decimal") return storage !== "text";
    // There is the time 24:00.
    return type === "Edm.TimeOfDay" || type === "Edm.Date" || type === "Edm.DateTimeOffset";
  },
  literal: (text) => quotedText(CAST.exec(text)?.[1] ?? text),
  numberType: () => undefined,
  asText: () => ({ storage: "text", isReadOnly: true }),
  keyCondition: ({ type, column, storage }) => {
    const name = quoteName(column, PG_TABLES);
    if (type === "Edm.Date" || type === "Edm.DateTimeOffset") return between(name, "'0001-01-01 BC'", "'10000-01-01'");
    if (type === "Edm.TimeOfDay") return { readable: `${name} < '24:00'`, unreadable: `${name} = '24:00'` };
    // NaN and infinity are greater than all numbers. Older versions have no literal of infinity.
    return type === "Edm.Decimal" && storage === null ? between(name, "-1e131000", "1e131000") : undefined;
  },
});

function between(name: string, least: string, beyond: string): KeyCondition {
  return {
    readable: `(${name} >= ${least} and ${name} < ${beyond})`,
    unreadable: `(${name} < ${least} or ${name} >= ${beyond})`,
  };
}
