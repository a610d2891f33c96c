import { withoutOuterBlanks } from "./option-reader.ts";

/** One argument as written in parentheses. */
interface ArgumentText {
  /** The text before the first `=`, without outer blanks; null without `=`. */
  readonly name: string | null;
  /** The unread value, without outer blanks. */
  readonly text: string;
}

const OPENING = "([{";
const CLOSING = ")]}";

/**
 * Splits the text in the parentheses of a function call at its commas, except in quotes and brackets. The binder checks
 * names and values.
 * @param parentheses the decoded text between the parentheses
 * @returns the arguments; none for blanks
 * @see OData URL Conventions 4.0, section 4.5; ABNF functionParameters
 */
export function splitArguments(parentheses: string): readonly ArgumentText[] {
  if (withoutOuterBlanks(parentheses) === "") return [];
  const parts: ArgumentText[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < parentheses.length; at += 1) {
    const character = parentheses.charAt(at);
    if (character === "'" || character === '"') at = quoteEnd(parentheses, at, character);
    else if (OPENING.includes(character)) depth += 1;
    else if (CLOSING.includes(character)) depth -= 1;
    else if (character === "," && depth <= 0) {
      parts.push(toArgument(parentheses.slice(start, at)));
      start = at + 1;
    }
  }
  parts.push(toArgument(parentheses.slice(start)));
  return parts;
}

/** Returns the offset of the closing quote, or of the end. A doubled quote is read as two adjacent strings. */
function quoteEnd(text: string, open: number, quote: string): number {
  let at = open + 1;
  while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  return at;
}

function toArgument(part: string): ArgumentText {
  const equals = part.indexOf("=");
  // After a quote or bracket, `=` belongs to the value.
  const name = equals === -1 ? null : withoutOuterBlanks(part.slice(0, equals));
  if (name === null || /['"[{(]/u.test(name)) return { name: null, text: withoutOuterBlanks(part) };
  return { name, text: withoutOuterBlanks(part.slice(equals + 1)) };
}
