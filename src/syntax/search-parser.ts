import { protocolError } from "../errors/odata-error.ts";
import type { SearchSyntax } from "./ast.ts";
import type { ParseContext } from "./parse-context.ts";

/** Parses `$search`. */
export function parseSearch(text: string, context: ParseContext): SearchSyntax {
  context.counters.tokens += text.length;
  throw protocolError("InvalidQueryOption", "$search cannot be read.", { target: "$search" });
}
