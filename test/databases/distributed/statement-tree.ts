/** A word, name, literal or sign of a statement; parentheses contain others. */
export type Node =
  | { readonly kind: "word" | "name" | "value" | "sign"; readonly text: string }
  | { readonly kind: "group"; readonly nodes: readonly Node[] };

const TOKENS =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|"((?:[^"]|"")*)"|\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$\d+|[A-Za-z_]\w*|\d+(?:\.\d+)?|::|\|\||<>|<=|>=|->>|[^\s]/g;

/** Reads the statement of a trace: names are quoted, except those of functions, types and aliases within functions. */
export function parseStatement(text: string): readonly Node[] {
  const stack: Node[][] = [[]];
  for (const [token, name] of text.matchAll(TOKENS)) {
    const top = stack.at(-1);
    if (top === undefined) throw new Error(`A parenthesis too many: ${text}`);
    if (token === "(") stack.push([]);
    else if (token === ")") {
      stack.pop();
      stack.at(-1)?.push({ kind: "group", nodes: top });
    } else if (name !== undefined) top.push({ kind: "name", text: name.replaceAll('""', '"') });
    else if (/^[A-Za-z_]\w*$/.test(token)) top.push({ kind: "word", text: token.toLowerCase() });
    else if (/^(?:[eE]?'|\d|\$\d)/.test(token)) top.push({ kind: "value", text: token });
    else if (!/^(?:\s|--|\/\*)/.test(token)) top.push({ kind: "sign", text: token });
  }
  const [nodes, unclosed] = stack;
  if (nodes === undefined || unclosed !== undefined) throw new Error(`Unbalanced parentheses: ${text}`);
  return nodes;
}

/** Whether a node is one of some words, or any word if none are given. */
export function isWord(node: Node | undefined, ...words: readonly string[]): boolean {
  return node?.kind === "word" && (words.length === 0 || words.includes(node.text));
}

/** Whether a node is a `select` in parentheses. */
export function isSelect(node: Node | undefined): boolean {
  return node?.kind === "group" && isWord(node.nodes[0], "select");
}

const CLAUSES = new Set([
  "select",
  "from",
  "where",
  "group",
  "having",
  "order",
  "limit",
  "offset",
  "returning",
  "set",
  "values",
]);

/** Splits a statement into its clauses, by their first words; `insert`, `update` and `delete` are called "head". */
export function clausesOf(nodes: readonly Node[]): ReadonlyMap<string, readonly Node[]> {
  const clauses = new Map<string, Node[]>();
  let current = "head";
  for (const [index, node] of nodes.entries()) {
    // `is distinct from` and `extract(… from …)` are not clauses; the latter is a group.
    const isFrom = isWord(node, "from") && isWord(nodes[index - 1], "distinct");
    if (node.kind === "word" && CLAUSES.has(node.text) && !isFrom) current = node.text;
    else if (isWord(node, "for") && isWord(nodes[index + 1], "update")) current = "for";
    else clauses.set(current, [...(clauses.get(current) ?? []), node]);
    if (!clauses.has(current)) clauses.set(current, []);
  }
  return clauses;
}

/** All selects in parentheses below some nodes, without those within others. */
export function selectsIn(nodes: readonly Node[]): ReadonlyArray<readonly Node[]> {
  return nodes.flatMap((node) => {
    if (node.kind !== "group") return [];
    return isSelect(node) ? [node.nodes] : selectsIn(node.nodes);
  });
}

/** All nodes, those in parentheses included, in their order. */
export function flatten(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node) => (node.kind === "group" ? [node, ...flatten(node.nodes)] : [node]));
}
