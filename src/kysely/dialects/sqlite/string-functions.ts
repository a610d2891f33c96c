import { sql } from "kysely";
import {
  areKnown,
  argumentAt,
  bindText,
  constantAt,
  joinedTexts,
  operandAt,
  WHITE_SPACE,
} from "../../functions/translate-call.ts";
import { bindConstant, bindFixed } from "../../statement/parameter-slot.ts";
import { toSortable, type Sql } from "../../statement/sql-form.ts";
import { computed, type JoinedText } from "../../statement/sql-operand.ts";
import type { SqlCall, TranslateCall } from "../dialect-profile.ts";
import { BOOLEAN_FORM, INTEGER_FORM, STRING_FORM } from "./forms.ts";

/**
 * String functions in SQLite, whose characters are code points. LIKE does not serve: letter case matters, and `%` and `_` are
 * ordinary characters.
 */

/** A position or length beyond any string that all versions of SQLite accept. */
const FAR = 2_147_483_646;

/** The most bytes of three and more texts that are joined. SQLite holds such a text several times. */
const MAX_JOINED_BYTES = 64_000_000;

const NOTHING = sql`null`;

export const contains: TranslateCall = (call) =>
  computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) > 0)`, form: BOOLEAN_FORM });

/** Uses a range for columns, which an index can serve, and a search for computed strings. */
export const startsWith: TranslateCall = (call) => {
  const text = operandAt(call, 0);
  const prefix = constantAt(call, 1);
  if (text.kind === "row" && text.nulls !== "computed" && prefix !== undefined) {
    const cells = toSortable(text).sql;
    const end = bindText(prefix, successorOf);
    return computed({ sql: sql`(${cells} >= ${bindText(prefix, String)} and ${cells} < ${end})`, form: BOOLEAN_FORM });
  }
  return computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) = 1)`, form: BOOLEAN_FORM });
};

/** Compares the last bytes: the functions of SQLite that count characters end at U+0000. */
export const endsWith: TranslateCall = (call) => {
  const ends = ([text = NOTHING, part = NOTHING]: readonly Sql[]): Sql => {
    const bytes = sql`cast(${part} as blob)`;
    const start = sql`iif(${part} = '', ${sql.lit(FAR)}, - length(${bytes}))`;
    // `substr` of no bytes is null.
    return sql`(ifnull(substr(cast(${text} as blob), ${start}), cast(${text} as blob)) = ${bytes})`;
  };
  return computed({ sql: named(call, [argumentAt(call, 0), argumentAt(call, 1)], ends), form: BOOLEAN_FORM });
};

/** Adds the lengths of texts that `concat` joins, so the joined text takes no memory. */
export const length: TranslateCall = (call) => {
  const lengthOf = ([text = NOTHING]: readonly Sql[]): Sql =>
    sql`iif(${hasNul(text)}, odata_length(${text}), length(${text}))`;
  const operand = operandAt(call, 0);
  const joined = operand.kind === "row" ? operand.joined : undefined;
  if (joined === undefined) {
    return computed({ sql: named(call, [argumentAt(call, 0)], lengthOf), form: INTEGER_FORM });
  }
  const lengths = joined.map(({ sql: text, nulls }) =>
    nulls === "computed" ? inNames([text], lengthOf) : lengthOf([text]),
  );
  return computed({ sql: sql`(${sql.join(lengths, sql` + `)})`, form: INTEGER_FORM });
};

export const indexOf: TranslateCall = (call) =>
  computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) - 1)`, form: INTEGER_FORM });

/** A negative start counts as 0, a negative length as 0. */
export const substring: TranslateCall = (call) => {
  const hasLength = call.operands.length > 2;
  const substringOf = ([text = NOTHING, start = NOTHING, count = sql.lit(FAR)]: readonly Sql[]): Sql => {
    const places = hasLength ? sql`${start} + 1, ${count}` : sql`${start} + 1`;
    return sql`iif(${hasNul(text)}, odata_substring(${text}, ${start}, ${count}), substr(${text}, ${places}))`;
  };
  const counts = hasLength ? [clamped(call, 1), clamped(call, 2)] : [clamped(call, 1)];
  return computed({ sql: named(call, [argumentAt(call, 0), ...counts], substringOf), form: STRING_FORM });
};

export const toLower: TranslateCall = (call) =>
  computed({ sql: sql`odata_lower(${argumentAt(call, 0)})`, form: STRING_FORM });

export const toUpper: TranslateCall = (call) =>
  computed({ sql: sql`odata_upper(${argumentAt(call, 0)})`, form: STRING_FORM });

export const trim: TranslateCall = (call) =>
  computed({ sql: sql`trim(${argumentAt(call, 0)}, ${bindFixed(WHITE_SPACE)})`, form: STRING_FORM });

export const concat: TranslateCall = (call) => {
  const joined = joinedTexts(call);
  return { ...computed({ sql: join(joined), form: STRING_FORM }), joined };
};

/** The function `concat` ignores null, but the result must be null. */
function join(joined: readonly JoinedText[]): Sql {
  const texts = joined.map(({ sql: text }) => text);
  if (texts.length === 2) return sql`(${sql.join(texts, sql` || `)})`;
  const atOnce = (names: readonly Sql[]): Sql => {
    const named = joined.map(({ nulls }, index) => ({ sql: names[index] ?? NOTHING, nulls }));
    const bytes = sql.join(
      names.map((name) => sql`octet_length(${name})`),
      sql` + `,
    );
    const whole = sql`iif(${bytes} > ${sql.lit(MAX_JOINED_BYTES)}, odata_too_long(${bytes}), concat(${sql.join(names)}))`;
    return sql`iif(${areKnown(named)}, ${whole}, null)`;
  };
  return joined.some(({ nulls }) => nulls === "computed") ? inNames(texts, atOnce) : atOnce(texts);
}

/** Whether a text contains U+0000, where `length` and `substr` end. It costs less than calling a function of our own. */
function hasNul(text: Sql): Sql {
  return sql`instr(${text}, char(0)) and typeof(${text}) = 'text'`;
}

/** Uses arguments several times: computed ones by their names in a subquery, or the text of the statement would double. */
function named(call: SqlCall, given: readonly Sql[], make: (given: readonly Sql[]) => Sql): Sql {
  const isComputed = call.operands.some((operand) => operand.kind === "row" && operand.nulls === "computed");
  return isComputed ? inNames(given, make) : make(given);
}

function inNames(given: readonly Sql[], make: (given: readonly Sql[]) => Sql): Sql {
  const names = given.map((_argument, index) => sql.id(`odata_argument${String(index)}`));
  const columns = given.map((argument, index) => sql`${argument} as ${names[index] ?? NOTHING}`);
  return sql`(select ${make(names)} from (select ${sql.join(columns)}))`;
}

/** Returns an integer from 0 to FAR. */
function clamped(call: SqlCall, index: number): Sql {
  const constant = constantAt(call, index);
  if (constant === undefined) return sql`min(max(${argumentAt(call, index)}, 0), ${sql.lit(FAR)})`;
  return bindConstant(constant, (value) => BigInt(Math.min(Math.max(Number(value), 0), FAR)));
}

const LAST_CHARACTER = 0x10_ff_ff;
const BEFORE_SURROGATES = 0xd7_ff;
const BEHIND_SURROGATES = 0xe0_00;

/** Bytes, which SQLite sorts after all strings. */
const BEHIND_ALL_TEXTS = new Uint8Array(0);

/**
 * Returns the least string that follows all strings with a prefix, by code point: it increments the last character that can
 * be incremented. Without such a string, it returns bytes, which follow all strings.
 */
export function successorOf(prefix: string): string | Uint8Array {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = Number(last.codePointAt(0));
    if (code === LAST_CHARACTER) continue;
    // Surrogates are not characters.
    const next = code === BEFORE_SURROGATES ? BEHIND_SURROGATES : code + 1;
    return characters.join("") + String.fromCodePoint(next);
  }
  return BEHIND_ALL_TEXTS;
}
