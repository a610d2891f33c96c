import type { OrderByItemSyntax } from "./ast.ts";
import { readExpression } from "./expression-parser.ts";
import { faultAt, openReader, take, type TokenCursor, unexpected } from "./expression-reader.ts";
import { keywordOf, type ParseContext } from "./parse-context.ts";
import type { TokenList } from "./token.ts";

/**
 * Parses a token list as `$orderby`: expressions, each optionally followed by `asc` or `desc`.
 * @throws ODataError 400 with position, what was found and what was expected; above `maxOrderByProperties`
 * @see OData URL Conventions 4.0, section 5.1.4; ABNF rule orderby
 */
export function parseOrderBy(list: TokenList, context: ParseContext): readonly OrderByItemSyntax[] {
  return readOrderBy(openReader(list, context, readExpression), "end");
}

/**
 * Reads the items of an order up to a token, which it does not take.
 * @throws ODataError as parseOrderBy
 */
export function readOrderBy(reader: TokenCursor, last: "end" | ")"): readonly OrderByItemSyntax[] {
  const { maxOrderByProperties } = reader.context.limits;
  const end = last === "end" ? "the end" : '")"';
  const items: OrderByItemSyntax[] = [];
  for (;;) {
    const { position } = reader.token;
    if (items.length >= maxOrderByProperties) {
      throw faultAt(
        reader,
        reader.token,
        `there are more than ${maxOrderByProperties} expressions to order by: remove the last ones.`,
      );
    }
    const expression = readExpression(reader);
    const { kind, text } = reader.token;
    const direction = kind === "name" ? keywordOf(text, reader.context) : "";
    const hasDirection = direction === "asc" || direction === "desc";
    if (hasDirection) take(reader);
    items.push({ expression, descending: direction === "desc", position });
    if (reader.token.kind === last) return items;
    if (reader.token.kind !== ",") {
      throw unexpected(reader, hasDirection ? `a comma or ${end}` : `asc, desc, an operator, a comma or ${end}`);
    }
    take(reader);
  }
}
