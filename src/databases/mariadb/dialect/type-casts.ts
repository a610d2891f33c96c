import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import type { TranslateCall } from "../../forms/dialect-values.ts";
import { between } from "../../forms/numeric-temporal-forms.ts";
import { shownScale, typeCasts } from "../../forms/type-casts.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import { toComputable, type Sql } from "../../statement/sql-form.ts";
import { myOffsetOfText, myTexts } from "./column-format.ts";
import { decimalOfText, failFor, myForms, myNumbers, myTextDecimal, myNumberText, myText } from "./forms.ts";
import { doublesOnce, namedOnce } from "./named-once.ts";

/** A dollar sign would also match before a line feed at the end. */
const atEnd = (pattern: string): string => pattern.replace(/\$$/, "\\z");

const replaced = (text: Sql, pattern: string, by: string): Sql =>
  sql`regexp_replace(${text}, ${bindFixed(atEnd(pattern))}, ${bindFixed(by)})`;

/** The text has a point if it has a fraction. */
const shortTextOfDecimal = (value: Sql): Sql => replaced(myText(value), "([.][0-9]*[1-9])0+$|[.]0+$", "\\1");

/** Widens a `float`, whose text has fewer digits. */
const asDouble = (value: Sql): Sql => sql`cast(${value} as double)`;

const double = (digits: string): Sql => sql.raw(digits.includes("e") ? digits : `${digits}e0`);

/** `cast` in MariaDB. */
export const castInMariaDb: () => TranslateCall = once(() =>
  typeCasts({
    database: "MariaDB",
    forms: myForms(),
    numbers: myNumbers(),
    texts: myTexts(),
    offsetOfText: myOffsetOfText,
    once: (value, make) => namedOnce([value], "decimal(65, 30)", make),
    onceText: (value, make) => namedOnce([value], "varchar(100)", make),
    truth: (value) => (value ? sql`1` : sql`0`),
    textOfBoolean: (value) => sql`(case ${value} when 1 then 'true' when 0 then 'false' end)`,
    matching: (text, pattern) => sql`nullif(regexp_substr(${text}, ${bindFixed(atEnd(pattern))}), '')`,
    replaced,
    concat: (texts) => sql`concat(${sql.join(texts)})`,
    double,
    truncate: (value) => sql`truncate(${value}, 0)`,
    integerOfDigits: (digits) => sql`cast(${digits} as decimal(65, 0))`,
    decimalOfText: (text) => sql`cast(${text} as decimal(65, 30))`,
    decimalOfDouble: (value) => doublesOnce([asDouble(value)], (name) => decimalOfText(myText(name))),
    // Adding zero removes the sign of a zero.
    doubleOfText: (text) => sql`(${text} + 0e0)`,
    doubleOfDecimal: (value) => sql`(${value} + 0e0)`,
    singleOfDouble: (value, limit) => between(value, `-${limit}`, limit, { literal: double }),
    textOfInteger: myNumberText,
    textOfDecimal: (operand, call) => {
      const { form, sql: cell } = operand;
      const scale = shownScale(call);
      if (scale === undefined && form === myTextDecimal()) return canonicalText(cell);
      const value = toComputable(operand).sql;
      if (scale === undefined) return shortTextOfDecimal(value);
      const rounded = sql`cast(${value} as decimal(65, ${sql.lit(scale)}))`;
      return sql`(case when ${value} = ${rounded} then ${myText(rounded)} else ${shortTextOfDecimal(value)} end)`;
    },
    shortTextOfDecimal,
    textOfDouble: (value) =>
      doublesOnce([asDouble(value)], (name) => {
        const plain = shortTextOfDecimal(sql`cast(${myText(name)} as decimal(65, 30))`);
        const isPlain = sql`abs(${name}) >= 1e-6 and abs(${name}) < 1e21`;
        const hasExponent = sql`locate('e', ${myText(name)}) > 0`;
        const exponent = replaced(myText(name), "e(?=[0-9])", "e+");
        return sql`(case when ${name} = 0 then ${myText(name)} when ${isPlain} then ${plain} when ${hasExponent} then ${exponent} else ${smallText(name)} end)`;
      }),
    textOfBytes: (bytes) => {
      const digits = sql`replace(to_base64(${bytes}), char(10), '')`;
      return sql`replace(replace(replace(${digits}, '+', '-'), '/', '_'), '=', '')`;
    },
  }),
);

/** Writes a number such as 0.00000012 as 1.2e-7. */
function smallText(value: Sql): Sql {
  const plain = myText(sql`abs(${value})`);
  const digits = replaced(plain, "^0[.]0*", "");
  const sign = sql`if(${value} < 0, '-', '')`;
  const mantissa = sql`concat(left(${digits}, 1), if(char_length(${digits}) > 1, '.', ''), substr(${digits}, 2))`;
  return sql`concat(${sign}, ${mantissa}, 'e-', char_length(${plain}) - char_length(${digits}) - 1)`;
}

/** Writes the text of a Decimal in its canonical form. Fails the statement for one with an exponent. */
function canonicalText(text: Sql): Sql {
  const unpadded = replaced(text, "^(-?)[+]?0*(?=[0-9])", "\\1");
  const canonical = replaced(unpadded, "^-(?=[0.]*$)", "");
  return sql`(case when ${text} regexp '^[-+]?[0-9]+([.][0-9]+)?$' then ${canonical} else ${failFor(text)} end)`;
}
