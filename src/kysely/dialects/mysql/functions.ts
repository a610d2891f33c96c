import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import { castFunctions } from "../../functions/cast-functions.ts";
import { argumentAt, bindText, constantAt, operandAt, WHITE_SPACE } from "../../functions/translate-call.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { TranslateCall } from "../dialect-profile.ts";
import { MY_FORMS, MY_NUMBERS } from "./forms.ts";
import { doublesOnce, MY_SYNTAX } from "./syntax.ts";

/** Doubles of this size are whole. `truncate` fails for the greatest. */
const WHOLE_FROM = 2 ** 52;
const WHITE_SPACE_AROUND = `^[${WHITE_SPACE}]+|[${WHITE_SPACE}]+\\z`;

/** For a column and a literal, adds a pattern that an index with the collation of the column can serve. */
const startsWith: TranslateCall = (call) => {
  const value = argumentAt(call, 0);
  const part = argumentAt(call, 1);
  const test = sql`left(${value}, char_length(${part})) = ${part}`;
  const column = operandAt(call, 0);
  const prefix = constantAt(call, 1);
  if (column.kind === "constant" || column.form !== MY_FORMS.stringColumn || prefix === undefined) {
    return computed({ sql: sql`(${test})`, form: MY_FORMS.boolean });
  }
  const pattern = bindText(prefix, (text) => `${text.replaceAll(/[%_|]/g, "|$&")}%`);
  return computed({ sql: sql`(${column.sql} like ${pattern} escape '|' and ${test})`, form: MY_FORMS.boolean });
};

/** The SQL of canonical functions in MariaDB. `tolower` and `toupper` map each letter to one letter. */
export const MY_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = {
  ...castFunctions({
    forms: MY_FORMS,
    numbers: MY_NUMBERS,
    once: MY_SYNTAX.once,
    position: (text, part) => sql`locate(${part}, ${text})`,
    asCount: (count) => count,
    byCodePoint: (text) => sql`(${text} collate utf8mb4_nopad_bin)`,
    substringOf: (text, places) => sql`substr(${text}, ${places})`,
    lower: (text) => sql`lower(${text})`,
    upper: (text) => sql`upper(${text})`,
    trim: (text) => sql`regexp_replace(${text}, ${bindFixed(WHITE_SPACE_AROUND)}, '')`,
    concat: (texts) => sql`concat(${sql.join(texts.map(({ sql: text }) => text))})`,
    boundCount: (place) => sql`cast(${place} as signed)`,
    clamped: (value, limit) => sql`least(greatest(${value}, 0), ${limit})`,
    roundDouble: (value) =>
      doublesOnce([value], (name) => {
        const whole = sql`truncate(${name}, 0)`;
        const rounded = sql`${whole} + case when abs(${name} - ${whole}) >= 0.5 then sign(${name}) else 0 end`;
        return sql`case when abs(${name}) >= ${sql.lit(WHOLE_FROM)} then ${name} else ${rounded} end`;
      }),
    ceiling: sql`ceiling`,
  }),
  startswith: startsWith,
};
