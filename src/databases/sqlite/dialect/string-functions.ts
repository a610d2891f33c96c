import { sql } from "kysely";
import type { SqlCall, TranslateCall } from "../../forms/dialect-values.ts";
import {
  areKnown,
  argumentAt,
  bindText,
  constantAt,
  joinedTexts,
  operandAt,
  WHITE_SPACE,
} from "../../forms/translate-call.ts";
import { bindConstant, bindFixed } from "../../statement/parameter-slot.ts";
import { toRanged, type Sql } from "../../statement/sql-form.ts";
import { computed, type JoinedText, type RowOperand } from "../../statement/sql-operand.ts";
import { BOOLEAN_FORM, INTEGER_FORM, STRING_FORM } from "./forms.ts";

/**
 * String functions in SQLite, whose characters are code points. LIKE does not serve: letter case matters, and `%` and `_` are
 * ordinary characters.
 */

/** A position or length beyond any string that all versions of SQLite accept. */
const FAR = 2_147_483_646;

const NOTHING = sql`null`;

const contains: TranslateCall = (call) =>
  computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) > 0)`, form: BOOLEAN_FORM });

/** Uses a range for columns, which an index can serve, and a search for computed strings. */
const startsWith: TranslateCall = (call) => {
  const text = operandAt(call, 0);
  const prefix = constantAt(call, 1);
  if (text.kind === "row" && text.nulls !== "computed" && prefix !== undefined) {
    const within = (operand: RowOperand): Sql => {
      const cells = toRanged(operand).sql;
      return sql`(${cells} >= ${bindText(prefix, String)} and ${cells} < ${bindText(prefix, successorOf)})`;
    };
    const whole = computed({ sql: within(text), form: BOOLEAN_FORM });
    // No other cell than a text is within the range.
    return text.bare === undefined ? whole : { ...whole, bare: within({ ...text, sql: text.bare }) };
  }
  return computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) = 1)`, form: BOOLEAN_FORM });
};

/** Compares the last bytes: the functions of SQLite that count characters end at U+0000. */
const endsWith: TranslateCall = (call) => {
  const ends = ([text = NOTHING, part = NOTHING]: readonly Sql[]): Sql => {
    const bytes = sql`cast(${part} as blob)`;
    const start = sql`iif(${part} = '', ${sql.lit(FAR)}, - length(${bytes}))`;
    // `substr` of no bytes is null.
    return sql`(ifnull(substr(cast(${text} as blob), ${start}), cast(${text} as blob)) = ${bytes})`;
  };
  return computed({ sql: named(call, [argumentAt(call, 0), argumentAt(call, 1)], ends), form: BOOLEAN_FORM });
};

const length: TranslateCall = (call) => {
  const lengthOf = ([text = NOTHING]: readonly Sql[]): Sql =>
    sql`iif(${hasNul(text)}, odata_length(${text}), length(${text}))`;
  return computed({ sql: named(call, [argumentAt(call, 0)], lengthOf), form: INTEGER_FORM });
};

const indexOf: TranslateCall = (call) =>
  computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) - 1)`, form: INTEGER_FORM });

/** A negative start counts as 0, a negative length as 0. */
const substring: TranslateCall = (call) => {
  const hasLength = call.operands.length > 2;
  const text = argumentAt(call, 0);
  const counts = hasLength ? [clamped(call, 1), clamped(call, 2)] : [clamped(call, 1)];
  const whole = named(call, [text, ...counts], ([name = NOTHING, start = NOTHING, count = sql.lit(FAR)]) => {
    const places = hasLength ? sql`${start} + 1, ${count}` : sql`${start} + 1`;
    return sql`iif(${hasNul(name)}, odata_substring(${name}, ${start}, ${count}), substr(${name}, ${places}))`;
  });
  return computed({ sql: whole, form: STRING_FORM });
};

/** The functions of a letter case: for indexes, for ASCII, for any text, and for the bytes of a text. */
interface LetterCase {
  readonly indexed: Sql;
  readonly ascii: Sql;
  readonly text: Sql;
  readonly bytes: Sql;
}

const LOWER: LetterCase = {
  indexed: sql`odata_lower`,
  ascii: sql`lower`,
  text: sql`odata_lower_text`,
  bytes: sql`odata_lower_bytes`,
};

const UPPER: LetterCase = {
  indexed: sql`odata_upper`,
  ascii: sql`upper`,
  text: sql`odata_upper_text`,
  bytes: sql`odata_upper_bytes`,
};

const toLower: TranslateCall = (call) => inCase(call, LOWER);

const toUpper: TranslateCall = (call) => inCase(call, UPPER);

/**
 * A text of so many bytes is passed to a function as bytes, whose memory it releases. A call with a shorter text keeps less
 * memory than one with bytes, and a call with a longer text needs less memory at the same time.
 */
const LONG_TEXT = { from: 400, to: 4_000_000 };

/**
 * Changes the letter case of a text. A custom function keeps its argument and its result until the statement ends, so it only
 * receives texts with other characters than ASCII, or with U+0000. An index of the application can only serve a property in the
 * function that it contains.
 */
function inCase(call: SqlCall, { indexed, ascii, text: ofText, bytes: ofBytes }: LetterCase): RowOperand {
  const given = argumentAt(call, 0);
  const operand = operandAt(call, 0);
  if (operand.kind === "constant") return textOf(sql`${indexed}(${given})`);
  const change = ([text = NOTHING]: readonly Sql[]): Sql => {
    const size = sql`octet_length(${text}) between ${sql.lit(LONG_TEXT.from)} and ${sql.lit(LONG_TEXT.to)}`;
    // Only texts that the database encodes as UTF-8 are passed as bytes.
    const isLong = sql`${size} and typeof(${text}) = 'text' and octet_length('a') = 1`;
    const whole = sql`cast(${ofBytes}(cast(${text} as blob)) as text)`;
    return sql`(case when ${isAscii(text)} then ${ascii}(${text}) when ${isLong} then ${whole} else ${ofText}(${text}) end)`;
  };
  if (operand.nulls === "computed") return textOf(inNames([given], change));
  return { ...textOf(sql`${indexed}(${operand.bare ?? given})`), unindexed: change([given]) };
}

/** Whether a text is null or has only characters of ASCII, but not U+0000, where `length` ends. */
function isAscii(text: Sql): Sql {
  return sql`length(${text}) is octet_length(${text}) and typeof(${text}) in ('text', 'null')`;
}

const trim: TranslateCall = (call) => textOf(sql`trim(${argumentAt(call, 0)}, ${bindFixed(WHITE_SPACE)})`);

const concat: TranslateCall = (call) => {
  const joined = joinedTexts(call);
  return { ...textOf(join(joined)), joined };
};

function textOf(made: Sql): RowOperand {
  return computed({ sql: made, form: STRING_FORM });
}

/** The function `concat` ignores null, but the result must be null. */
function join(joined: readonly JoinedText[]): Sql {
  const texts = joined.map(({ sql: text }) => text);
  if (texts.length === 2) return sql`(${sql.join(texts, sql` || `)})`;
  const atOnce = (names: readonly Sql[]): Sql => {
    const named = joined.map(({ nulls }, index) => ({ sql: names[index] ?? NOTHING, nulls }));
    return sql`iif(${areKnown(named)}, concat(${sql.join(names)}), null)`;
  };
  return joined.some(({ nulls }) => nulls === "computed") ? inNames(texts, atOnce) : atOnce(texts);
}

/** Whether a text contains U+0000, where `length` and `substr` end. This test costs less than calling a custom function. */
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

/** The SQL of functions of texts. */
export const SQLITE_STRING_FUNCTIONS: Readonly<
  Record<
    | "contains"
    | "startswith"
    | "endswith"
    | "length"
    | "indexof"
    | "substring"
    | "tolower"
    | "toupper"
    | "trim"
    | "concat",
    TranslateCall
  >
> = Object.freeze({
  contains,
  startswith: startsWith,
  endswith: endsWith,
  length,
  indexof: indexOf,
  substring,
  tolower: toLower,
  toupper: toUpper,
  trim,
  concat,
});
