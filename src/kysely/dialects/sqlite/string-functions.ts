import { sql } from "kysely";
import { argumentAt, bindText, constantAt, operandAt, WHITE_SPACE } from "../../functions/translate-call.ts";
import { bindConstant, bindFixed } from "../../statement/parameter-slot.ts";
import { toSortable, type Sql } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { SqlCall, TranslateCall } from "../dialect-profile.ts";
import { BOOLEAN_FORM, INTEGER_FORM, STRING_FORM } from "./forms.ts";

/**
 * String functions in SQLite. Characters are code points, as they are there; letter case counts, and `%` and `_` are
 * characters like any other, so LIKE is of no use.
 */

/** A position or length beyond that of any text, and within what every version of SQLite takes. */
const FAR = 2_147_483_646;

export const contains: TranslateCall = (call) =>
  computed({ sql: sql`(instr(${argumentAt(call, 0)}, ${argumentAt(call, 1)}) > 0)`, form: BOOLEAN_FORM });

/** A range of a column's texts, which an index serves; of anything longer, a search that ends at the first character. */
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
    // From the end, or, for the empty text, from beyond it.
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

/** An integer of 0 to FAR. */
function clamped(call: SqlCall, index: number): Sql {
  const constant = constantAt(call, index);
  if (constant === undefined) return sql`min(max(${argumentAt(call, index)}, 0), ${sql.lit(FAR)})`;
  return bindConstant(constant, (value) => BigInt(Math.min(Math.max(Number(value), 0), FAR)));
}

const LAST_CHARACTER = 0x10_ff_ff;
const BEFORE_SURROGATES = 0xd7_ff;
const BEHIND_SURROGATES = 0xe0_00;

/** Bytes: in SQLite they come behind every text. */
const BEHIND_ALL_TEXTS = new Uint8Array(0);

/**
 * The least text that is greater than all texts which start with a prefix, by code point: its last character that has a
 * next one becomes that. Where there is no such text, bytes, which come behind all texts.
 */
export function successorOf(prefix: string): string | Uint8Array {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = Number(last.codePointAt(0));
    if (code === LAST_CHARACTER) continue;
    // The halves of pairs are no characters.
    const next = code === BEFORE_SURROGATES ? BEHIND_SURROGATES : code + 1;
    return characters.join("") + String.fromCodePoint(next);
  }
  return BEHIND_ALL_TEXTS;
}
