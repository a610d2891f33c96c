import { protocolError } from "../errors/odata-error.ts";
import type { ExpandItemSyntax, SelectItemSyntax } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";

/** Parses `$select`. */
export function parseSelect(text: string, context: ParseContext): readonly SelectItemSyntax[] {
  context.counters.tokens += text.length;
  throw protocolError("InvalidQueryOption", "$select cannot be read.", { target: "$select" });
}

/** Parses `$expand`. */
export function parseExpand(text: string, context: ParseContext): readonly ExpandItemSyntax[] {
  context.counters.tokens += text.length;
  throw protocolError("InvalidQueryOption", "$expand cannot be read.", { target: "$expand" });
}

/** The shape of `$select`: its text, blanks normalised. */
export function shapeOfSelect(text: string): string {
  return text;
}
