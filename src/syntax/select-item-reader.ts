import type { SelectItemSyntax } from "./ast.ts";
import {
  type OptionReader,
  foundText,
  readName,
  readerError,
  skipBlanks,
  skipCharacter,
  skipComma,
} from "./option-reader.ts";

/**
 * Reads the items of `$select` up to the first character that does not belong to them. `*` and `Namespace.*` are whole
 * items; the parameter names of a bound function remain part of its name: `Ns.F(a,b)`.
 * @throws ODataError 400 InvalidQueryOption with the position
 * @see ABNF selectItem
 */
export function readSelectItems(reader: OptionReader): readonly SelectItemSyntax[] {
  const items: SelectItemSyntax[] = [];
  skipBlanks(reader);
  do {
    items.push(readItem(reader));
  } while (skipComma(reader));
  return items;
}

function readItem(reader: OptionReader): SelectItemSyntax {
  const { position } = reader;
  const path: string[] = [];
  do {
    const start = reader.position;
    const name = readName(reader, "the name of a property");
    const isStar = name.endsWith("*");
    if (isStar && path.length > 0) {
      throw readerError(reader, "a * must not follow a path: name the property itself.", start);
    }
    const signature =
      !isStar && name.includes(".") && reader.text[reader.position] === "(" ? readSignature(reader) : "";
    path.push(name + signature);
    if (isStar || signature !== "") break;
  } while (skipCharacter(reader, "/"));
  return { path, position };
}

/** Reads the parameter names that distinguish the overloads of a bound function. @see ABNF parameterNames */
function readSignature(reader: OptionReader): string {
  reader.position += 1;
  const names: string[] = [];
  skipBlanks(reader);
  do {
    const start = reader.position;
    const name = readName(reader, "the name of a parameter");
    if (name.includes(".") || name === "*") {
      throw readerError(reader, "a parameter name must not contain a dot or *.", start);
    }
    names.push(name);
  } while (skipComma(reader));
  if (!skipCharacter(reader, ")")) {
    throw readerError(reader, `a comma or the closing parenthesis is missing: found ${foundText(reader)}.`);
  }
  return `(${names.join(",")})`;
}
