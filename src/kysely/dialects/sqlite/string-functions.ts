import { sql } from "kysely";
import { argumentAt, bindText, constantAt, operandAt, WHITE_SPACE } from "../../functions/translate-call.ts";
import { bindConstant, bindFixed } from "../../statement/parameter-slot.ts";
import { toSortable, type Sql } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { SqlCall, TranslateCall } from "../dialect-profile.ts";
import { BOOLEAN_FORM, INTEGER_FORM, STRING_FORM } from "./forms.ts";

/**
 * String functions in SQLite, whose characters are code points. LIKE does not serve: letter case matters, and `%` and `_` are
 * ordinary characters.
 */

/** A position or length beyond any string that all versions of SQLite accept. */
const FAR = 2_147_483_646;

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

export const endsWith: TranslateCall = (call) => {
  const text = argumentAt(call, 0);
  const ending = constantAt(call, 1);
  if (ending !== undefined) {
    // Counts from the end; for the empty string, starts after it.
    const start = bindText(ending, (value) => (value === "" ? BigInt(FAR) : BigInt(-Array.from(value).length)));
    return computed({ sql: sql`(substr(${text}, ${start}) = ${bindText(ending, String)})`, form: BOOLEAN_FORM });
  }
  const part = argumentAt(call, 1);
  const start = sql`iif(${part} = '', ${sql.lit(FAR)}, - length(${part}))`;
  // A column may have a collation that ignores letter case.
  return computed({ sql: sql`(substr(${text}, ${start}) = ${part} collate binary)`, form: BOOLEAN_FORM });
};

export const length: TranslateCall = (call) =>
  computed({ sql: sql`length(${argumentAt(call, 0)})`, form: INTEGER_FORM });

export const indexOf: TranslateCall = (call) =>
  computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) - 1)`, form: INTEGER_FORM });

/** A negative start counts as 0, a negative length as 0. */
export const substring: TranslateCall = (call) => {
  const text = argumentAt(call, 0);
  const start = sql`${clamped(call, 1)} + 1`;
  const substringOf =
    call.operands.length > 2 ? sql`substr(${text}, ${start}, ${clamped(call, 2)})` : sql`substr(${text}, ${start})`;
  return computed({ sql: substringOf, form: STRING_FORM });
};

export const toLower: TranslateCall = (call) =>
  computed({ sql: sql`odata_lower(${argumentAt(call, 0)})`, form: STRING_FORM });

export const toUpper: TranslateCall = (call) =>
  computed({ sql: sql`odata_upper(${argumentAt(call, 0)})`, form: STRING_FORM });

export const trim: TranslateCall = (call) =>
  computed({ sql: sql`trim(${argumentAt(call, 0)}, ${bindFixed(WHITE_SPACE)})`, form: STRING_FORM });

export const concat: TranslateCall = (call) =>
  computed({ sql: sql`(${argumentAt(call, 0)} || ${argumentAt(call, 1)})`, form: STRING_FORM });

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
