import { quoteName } from "../../../databases/introspect/quote-name.ts";
import { SQLITE_TABLES } from "../../../databases/sqlite/introspect/catalogue.ts";
import type { ColumnRules } from "./column-rules.ts";
import { quotedText } from "./quoted-text.ts";
import { AS_TEXT, mapSqliteColumn } from "./sqlite-columns.ts";

/** SQLite reads a name that it does not know as a text. */
const NAME = /^"((?:[^"]|"")*)"$/;

/** What the columns of SQLite contain. */
export const SQLITE_RULES: ColumnRules = Object.freeze<ColumnRules>({
  map: mapSqliteColumn,
  acceptsAnyCell: true,
  mayBeUnreadable: () => false,
  literal: (text) => {
    const name = NAME.exec(text)?.[1]?.replaceAll('""', '"');
    return name === undefined ? quotedText(text) : { text: name, isQuoted: true };
  },
  numberType: ({ sample, type }) => ((sample?.reals ?? 0) > 0 || type === "REAL" ? "Edm.Double" : "Edm.Int64"),
  asText: () => AS_TEXT,
  keyCondition: ({ column, type, field }, { sample, isIdentity }, { estimatedRows, key, excludesNulls }) => {
    // A sample of all rows has decided the type already.
    if (sample === null || isIdentity || key === "rowid" || estimatedRows !== null) return undefined;
    const name = quoteName(column, SQLITE_TABLES);
    const { integers, reals, texts, blobs } = sample;
    const isText = texts > 0;
    const isNumber = integers + reals > 0;
    if (blobs > 0 || isText === isNumber) return undefined;
    const isNull = excludesNulls.includes(field) ? "" : `${name} is null or `;
    if (isText) {
      return { readable: `typeof(${name}) = 'text'`, unreadable: `${isNull}${name} < '' or ${name} >= x''` };
    }
    const classes = reals > 0 ? "'integer', 'real'" : "'integer'";
    const known = { readable: `typeof(${name}) in (${classes})`, unreadable: `${isNull}${name} >= ''` };
    if (type !== "Edm.Decimal") return known;
    // Decimals have no infinity.
    return {
      readable: `(${known.readable} and ${name} > -9e999 and ${name} < 9e999)`,
      unreadable: `${known.unreadable} or ${name} <= -9e999 or ${name} >= 9e999`,
    };
  },
});
