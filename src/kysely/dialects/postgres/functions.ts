import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import { castFunctions } from "../../functions/cast-functions.ts";
import { argumentAt, WHITE_SPACE } from "../../functions/translate-call.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { TranslateCall } from "../dialect-profile.ts";
import { PG_FORMS, PG_NUMBERS } from "./forms.ts";
import { IN_SUBQUERY, REPEATED, type Once } from "./once.ts";

/** The SQL of canonical functions in PostgreSQL. */
export const PG_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = pgFunctions(IN_SUBQUERY);

/** The same for distributed databases. */
export const PG_SPREAD_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = pgFunctions(REPEATED);

function pgFunctions({ value: once }: Once): Readonly<Record<FunctionName, TranslateCall>> {
  return {
    ...castFunctions({
      forms: PG_FORMS,
      numbers: PG_NUMBERS,
      once,
      position: (text, part) => sql`strpos(${text}, ${part})`,
      asCount: (count) => sql`${count}::int8`,
      byCodePoint: (text) => sql`(${text} collate "C")`,
      substringOf: (text, places) => sql`(substr(${text}, ${places}) collate "C")`,
      lower: (text) => sql`lower(${text} collate "und-x-icu")`,
      upper: (text) => sql`upper(${text} collate "und-x-icu")`,
      trim: (text) => sql`btrim(${text}, ${bindFixed(WHITE_SPACE)}::text)`,
      concat: (texts) => {
        const joined = texts.map(({ sql: text }) => text);
        if (joined.length === 2) return sql`(${sql.join(joined, sql` || `)})`;
        // `array_to_string` ignores null, but the result must be null.
        return once(
          sql`array[${sql.join(joined)}]`,
          (name) => sql`case when array_position(${name}, null) is null then array_to_string(${name}, '') end`,
        );
      },
      boundCount: (place) => sql`${place}::int`,
      // `least` and `greatest` ignore null, but the result must be null.
      clamped: (given, limit) =>
        once(given, (name) => sql`(case when ${name} is not null then least(greatest(${name}, 0), ${limit})::int end)`),
      // Infinities stay unchanged.
      roundDouble: (value) =>
        once(
          value,
          (name) => sql`trunc(${name}) + case when abs(${name} - trunc(${name})) >= 0.5 then sign(${name}) else 0 end`,
        ),
      ceiling: sql`ceil`,
    }),
    // An index with the collation "C" serves it.
    startswith: (call) =>
      computed({ sql: sql`starts_with(${argumentAt(call, 0)}, ${argumentAt(call, 1)})`, form: PG_FORMS.boolean }),
  };
}
