import { sql } from "kysely";
import type { CallExpression, Expression } from "../../../query/expression.ts";
import { makesText, type FunctionName } from "../../../query/functions.ts";
import type { TextMemory } from "../../statement/text-memory.ts";

/** The copies that calls add: SQLite has one for each argument and result, `node:sqlite` another one for JavaScript. */
const COPIES: Readonly<Partial<Record<FunctionName, number>>> = {
  concat: 1,
  trim: 1,
  substring: 1,
  tolower: 3,
  toupper: 3,
  endswith: 2,
};

/** The copies of a text to which the statement gives a name. */
const NAMED = 2;

/**
 * How long SQLite keeps texts: in each register of a statement until the next row replaces them. `node:sqlite` also keeps the
 * arguments and results of functions in JavaScript.
 */
export const SQLITE_TEXT_MEMORY: TextMemory = Object.freeze<TextMemory>({
  most: 200_000_000,
  few: 8,
  // They count the texts that they take and return.
  unbound: new Set<FunctionName>(["tolower", "toupper"]),
  copiesOf: (call) => (COPIES[call.name] ?? 0) + (namesText(call) ? NAMED : 0),
  // They are short.
  countsAll: false,
  sortedCopies: 2,
  bytesOf: (text) => sql`octet_length(${text})`,
  within: (bytes, most, value) => sql`iif(${bytes} > ${sql.lit(most)}, odata_too_much(${bytes}), ${value})`,
});

/** Whether the SQL of a call gives a name to its text, because it uses the text several times. */
function namesText({ name, arguments: [text] }: CallExpression): boolean {
  if (text === undefined) return false;
  if (name === "tolower" || name === "toupper") return text.kind === "call" && text.name !== "concat";
  return (name === "substring" || name === "length") && hasSubstring(text);
}

/** Whether a part of a text is taken, for which its SQL is written twice. */
function hasSubstring(text: Expression): boolean {
  if (text.kind !== "call" || !makesText(text.name)) return false;
  return text.name === "substring" || text.arguments.some(hasSubstring);
}
