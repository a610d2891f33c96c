const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

/**
 * Tells whether a function is declared without any parameter. `length` alone does not say so: it is 0 as well for one
 * that takes a rest or default parameter. A native or bound function, whose text is hidden, counts as taking some.
 */
export function takesNoParameters(handler: { readonly length: number }): boolean {
  if (handler.length > 0) return false;
  const text = Function.prototype.toString.call(handler);
  if (NATIVE.test(text)) return false;
  return hasEmptyParameterList(text);
}

/** Tells whether the source text of a function has nothing but comments between the parentheses of its parameters. */
export function hasEmptyParameterList(text: string): boolean {
  // The first parenthesis outside of comments opens the parameters: a handler with one name and no parenthesis has
  // length 1.
  let at = skipComments(text, 0);
  while (at < text.length && text[at] !== "(") at = skipComments(text, at + 1);
  return text[skipComments(text, at + 1)] === ")";
}

/** The offset of the first character from `start` on that is neither white space nor part of a comment. */
function skipComments(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1;
    const end = commentEnd(text, at);
    if (end === null) return at;
    at = end;
  }
}

/** The offset behind the comment that begins at an offset; null when none does. */
function commentEnd(text: string, start: number): number | null {
  if (text.startsWith("//", start)) return behind(text, "\n", start);
  return text.startsWith("/*", start) ? behind(text, "*/", start + 2) : null;
}

function behind(text: string, closing: string, start: number): number {
  const at = text.indexOf(closing, start);
  return at < 0 ? text.length : at + closing.length;
}
