import { withoutOuterBlanks } from "./option-reader.ts";

/** One argument as it stands in parentheses. */
export interface ArgumentText {
  /** What stands before the first `=`, without blanks around it; null where there is none. */
  readonly name: string | null;
  /** The value, without blanks around it, unread. */
  readonly text: string;
}

const OPENING = "([{";
const CLOSING = ")]}";

/**
 * Cuts what stands in the parentheses of a function call at its commas, those in quotes and brackets excepted. Nothing
 * is judged: whether a name is one of a parameter, and its text a value, is for the binder to say.
 * @param parentheses the decoded text between the parentheses
 * @returns the arguments; none for a text of blanks
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

/** The offset of the closing quote, or of the end; a doubled quote reads as two strings side by side. */
function quoteEnd(text: string, open: number, quote: string): number {
  let at = open + 1;
  while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  return at;
}

function toArgument(part: string): ArgumentText {
  const equals = part.indexOf("=");
  // A quote or bracket before it belongs to a value, whose `=` then gives no name.
  const name = equals === -1 ? null : withoutOuterBlanks(part.slice(0, equals));
  if (name === null || /['"[{(]/u.test(name)) return { name: null, text: withoutOuterBlanks(part) };
  return { name, text: withoutOuterBlanks(part.slice(equals + 1)) };
}
