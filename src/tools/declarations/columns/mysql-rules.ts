import { quoteName } from "../../../databases/introspect/quote-name.ts";
import { MY_TABLES } from "../../../databases/mariadb/introspect/catalogue.ts";
import type { ColumnRules } from "./column-rules.ts";
import { mapMysqlColumn } from "./mysql-columns.ts";
import { quotedText } from "./quoted-text.ts";

const BITS = /^b'([01]+)'$/i;

/** What the columns of MariaDB contain. */
export const MYSQL_RULES: ColumnRules = Object.freeze<ColumnRules>({
  map: mapMysqlColumn,
  acceptsAnyCell: false,
  mayBeUnreadable: ({ type }, definition, holdsUnreadable) => {
    // A tinyint(1) has all numbers of a byte.
    if (type === "Edm.Boolean") return definition === "tinyint(1)";
    return (type === "Edm.Date" || type === "Edm.DateTimeOffset") && holdsUnreadable;
  },
  literal: (text) => {
    const bits = BITS.exec(text)?.[1];
    if (bits !== undefined) return { text: BigInt(`0b${bits}`).toString(), isQuoted: false };
    const quoted = quotedText(text);
    // MariaDB escapes with backslashes in some modes.
    return quoted?.text.includes("\\") === true ? undefined : quoted;
  },
  numberType: ({ type }) => (type === "tinyint" ? "Edm.SByte" : undefined),
  asText: (name) => ({ sql: `cast(${quoteName(name, MY_TABLES)} as char character set utf8mb4)`, isReadOnly: true }),
  keyCondition: ({ type, column }) => {
    const name = quoteName(column, MY_TABLES);
    // A tinyint(1) has other numbers, too.
    if (type === "Edm.Boolean") return { readable: `${name} in (0, 1)`, unreadable: `not ${name} in (0, 1)` };
    if (type !== "Edm.Date" && type !== "Edm.DateTimeOffset") return undefined;
    const readable = `(month(${name}) > 0 and dayofmonth(${name}) > 0)`;
    return { readable, unreadable: `not coalesce(${readable}, true)` };
  },
});
