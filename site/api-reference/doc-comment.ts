import ts from "typescript";

/** A doc comment in Markdown. */
export interface DocComment {
  readonly text: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly returns: string;
  readonly throws: readonly string[];
  readonly see: readonly string[];
}

/** Reads the doc comment of a declaration or of one of its members. */
export function docCommentOf(node: ts.Node): DocComment {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  const parameters = new Map<string, string>();
  const texts: Record<"returns" | "throws" | "see", string[]> = { returns: [], throws: [], see: [] };
  for (const tag of comment?.tags ?? []) {
    const text = textOf(tag.comment);
    if (ts.isJSDocParameterTag(tag)) parameters.set(tag.name.getText(), text);
    else if (tag.tagName.text === "returns") texts.returns.push(text);
    else if (tag.tagName.text === "throws") texts.throws.push(textOfTag(tag));
    else if (tag.tagName.text === "see") texts.see.push(textOfTag(tag));
  }
  return { text: textOf(comment?.comment), parameters, ...texts, returns: texts.returns.join(" ") };
}

function textOf(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  return (ts.getTextOfJSDocComment(comment) ?? "").replaceAll(/\{@link (?<name>[\w.]+)\}/gu, "`$<name>`").trim();
}

/** Returns all words of a tag: the parser takes the first ones for a type or a name. */
function textOfTag(tag: ts.JSDocTag): string {
  return tag
    .getText()
    .replace(/^@\w+\s*/u, "")
    .replaceAll(/\s*\n\s*\*?\s*/gu, " ")
    .trim();
}
