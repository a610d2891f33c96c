import { sql } from "kysely";
import { infixOperators, refuseModulo } from "../../functions/arithmetic.ts";
import { castValues } from "../../functions/cast-values.ts";
import type { DialectValues } from "../dialect-profile.ts";
import { myColumnFormat } from "./column-format.ts";
import { MY_FORMS, MY_MARK, MY_NUMBERS, myComparedText, myText } from "./forms.ts";
import { doublesOnce } from "./syntax.ts";
import { MY_DATE, MY_MIDNIGHT, myOffsetOfText, MY_TEXTS } from "./temporal-forms.ts";

/** How MariaDB stores values and computes with them. */
export const MY_VALUES: DialectValues = Object.freeze<DialectValues>({
  columnFormat: myColumnFormat,
  mark: MY_MARK,
  guidsAreTexts: true,
  documentText: myText,
  comparedText: myComparedText,
  ...castValues({
    forms: MY_FORMS,
    numbers: MY_NUMBERS,
    wide: (value) => sql`cast(${value} as decimal(20, 0))`,
    toDouble: (value) => sql`(${value} + 0e0)`,
    divideIntegers: (left, right) => sql`truncate(${left} * 1.${sql.raw("0".repeat(30))} / ${right}, 0)`,
    integerRemainder: (left, right) => sql`cast(mod(${left}, ${right}) as signed)`,
    // A remainder may be negative zero, which equals nothing until 0 is added.
    decimalRemainder: (left, right) => sql`(mod(${left.sql}, ${right.sql}) + 0)`,
    double: {
      ...infixOperators((left, operator, right) => sql`(${left.sql} ${operator} ${right.sql})`),
      // Doubles cannot be infinite, so a division by zero fails the statement instead of returning null.
      div: (left, right) =>
        doublesOnce(
          [left.sql, right.sql],
          (dividend, divisor) =>
            sql`case when ${divisor} = 0 then exp(1000 + ${divisor}) else ${dividend} / ${divisor} end`,
        ),
      mod: refuseModulo("MariaDB"),
    },
    date: MY_DATE,
    midnight: MY_MIDNIGHT,
    textTimestamp: MY_TEXTS.timestamp,
    offsetOfText: myOffsetOfText,
    asOffset: (place) => sql`cast(${place} as signed)`,
  }),
});
