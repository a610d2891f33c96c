import { sql } from "kysely";
import type { TranslateCall } from "../../forms/dialect-values.ts";
import { shownScale, typeCasts } from "../../forms/type-casts.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import { toComputable, type Sql } from "../../statement/sql-form.ts";
import { type Once, pgForms, pgDoubleText, pgNumbers, pgText } from "./forms.ts";
import { pgOffsetOfText, pgTexts } from "./temporal-forms.ts";

/** The least number that no double is nearest to, and the least that rounds to another double than zero. */
const OVERFLOW = sql.raw(`${String(2n ** 1024n - 2n ** 970n)}::numeric`);
const UNDERFLOW = sql.raw("2.4703282292062328e-324::numeric");

const text = (value: string): Sql => sql`${bindFixed(value)}::text`;

const replaced = (given: Sql, pattern: string, by: string): Sql =>
  sql`regexp_replace(${given}, ${text(pattern)}, ${text(by)})`;

const asNumeric = (value: Sql): Sql => sql`${value}::numeric`;

/** Makes `cast` of PostgreSQL. Its casts fail for numbers that the target does not have. */
export function castInPostgres(names: Once): TranslateCall {
  const { value: once } = names;
  const numbers = pgNumbers(names);
  const nearestDouble = (value: Sql): Sql =>
    once(
      value,
      (name) =>
        sql`(case when abs(${name}) < ${UNDERFLOW} then 0 when abs(${name}) < ${OVERFLOW} then ${name}::float8 end)`,
    );
  return typeCasts({
    database: "PostgreSQL",
    forms: pgForms(),
    numbers,
    texts: pgTexts(),
    offsetOfText: pgOffsetOfText,
    once,
    onceText: once,
    truth: (value) => (value ? sql`true` : sql`false`),
    textOfBoolean: pgText,
    matching: (given, pattern) => sql`substring(${given} from ${text(pattern)})`,
    replaced,
    concat: (texts) => sql`(${sql.join(texts, sql` || `)})`,
    double: (digits) => sql`${sql.lit(digits)}::float8`,
    truncate: (value) => sql`trunc(${value})`,
    integerOfDigits: asNumeric,
    decimalOfText: asNumeric,
    decimalOfDouble: (value) =>
      asNumeric(sql`nullif(nullif(nullif(${pgDoubleText(value)}, 'Infinity'), '-Infinity'), 'NaN')`),
    doubleOfText: (given) => nearestDouble(asNumeric(given)),
    doubleOfDecimal: nearestDouble,
    singleOfDouble: (value, limit) =>
      once(
        value,
        (name) =>
          sql`(case when abs(${name}) < ${sql.lit(limit)}::float8 or abs(${name}) = 'Infinity' then ${name} end)`,
      ),
    textOfInteger: pgText,
    textOfDecimal: (operand, call) => {
      const { sql: decimal } = toComputable(operand);
      const scale = shownScale(call);
      if (scale === undefined) return pgText(decimal);
      const rounded = sql`round(${decimal}, ${sql.lit(scale)})`;
      return pgText(sql`(case when ${decimal} = ${rounded} then ${rounded} else ${decimal} end)`);
    },
    shortTextOfDecimal: (value) => pgText(sql`trim_scale(${value})`),
    textOfDouble: (value) =>
      // A column may be `real`, whose text has fewer digits.
      once(sql`${value}::float8`, (name) => {
        const exponent = replaced(pgText(name), "e([+-])0*", "e\\1");
        const isPlain = sql`abs(${name}) >= 1e-6 and abs(${name}) < 1e21`;
        const infinity = sql`when ${name} = 'Infinity' then 'INF' when ${name} = '-Infinity' then '-INF'`;
        const plain = sql`when ${name} = 0 then ${name}::text when ${isPlain} then ${name}::text::numeric::text`;
        return sql`(case ${infinity} ${plain} else ${exponent} end)`;
      }),
    textOfBytes: (bytes) => sql`translate(replace(encode(${bytes}, 'base64'), chr(10), ''), '+/=', '-_')`,
  });
}
