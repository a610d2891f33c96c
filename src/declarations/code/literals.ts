/** Characters that end a line, change its direction or are invisible: they would hide what a string contains. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\\]/gu;

const SHORT: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", " ": " " };

/** Names that an object literal or a member access can have without quotes. */
const BARE_KEY = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Returns a text as a string literal, in the quotes that need fewer escapes. No text can end the literal or its line. */
export function stringLiteral(text: string): string {
  const quote = countOf(text, '"') > countOf(text, "'") ? "'" : '"';
  const escaped = text.replaceAll(HIDDEN, escape).replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}

/** Returns a key of an object literal, quoted if necessary. */
export function objectKeyLiteral(key: string): string {
  // The key `__proto__` would set the prototype of the object.
  if (key === "__proto__") return '["__proto__"]';
  return BARE_KEY.test(key) ? key : stringLiteral(key);
}

/** Returns whether a text can be the name of a variable, apart from reserved words. */
export function isVariableName(text: string): boolean {
  return BARE_KEY.test(text);
}

function escape(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > 0xff_ff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}
