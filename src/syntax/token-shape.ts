import type { Literal } from "./literal-token.ts";
import type { Token } from "./token.ts";

/**
 * Writes tokens as text with literals cut out and their types put in, one blank between words: `Price gt ?Edm.Int32`.
 * The type name of an enum literal and the prefix of a geo literal stay, for what is bound depends on them.
 */
export function toShape(tokens: readonly Token[]): string {
  let shape = "";
  let afterWord = false;
  for (const token of tokens) {
    const isWord = isWordToken(token);
    if (isWord && afterWord) shape += " ";
    if (token.literal !== null) shape += shapeOfLiteral(token.literal);
    else shape += token.text === "" ? token.kind : token.text;
    afterWord = isWord;
  }
  return shape;
}

function isWordToken(token: Token): boolean {
  switch (token.kind) {
    case "name":
    case "operator":
    case "not":
    case "literal":
    case "null":
    case "alias":
      return true;
    default:
      return false;
  }
}

function shapeOfLiteral(literal: Literal): string {
  return literal.typeName === undefined ? `?${literal.type}` : `?${literal.type}:${literal.typeName}`;
}
