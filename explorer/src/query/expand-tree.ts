import type { ExpandItemSyntax, ExpandOptionsSyntax } from "../../../src/language/syntax/ast.ts";
import { parseSelect, parseShapedExpand } from "../../../src/language/syntax/select-expand-parser.ts";
import { parsed } from "./syntax.ts";

/** A chosen navigation with its nested options. */
export interface ExpandNode {
  /** The path of the navigation, casts included; `*` for all. */
  readonly path: string;
  /** The resource that is read instead of the entities. */
  readonly suffix: "$ref" | "$count" | null;
  /** The chosen properties; empty for all. */
  readonly select: readonly string[];
  readonly expand: readonly ExpandNode[];
  /** The other nested options with their texts: `$filter`, `$orderby`, `$top`, `$levels`, … */
  readonly options: ReadonlyMap<string, string>;
}

/** Makes the node of a navigation without options. */
export function expandNode(path: string, parts: Partial<Omit<ExpandNode, "path">> = {}): ExpandNode {
  return { path, suffix: null, select: [], expand: [], options: new Map(), ...parts };
}

/** Reads the text of `$expand` as a tree; null for a fault of syntax. */
export function readExpand(text: string): readonly ExpandNode[] | null {
  if (text.trim() === "") return [];
  const texts = new Map<ExpandOptionsSyntax, readonly (readonly [name: string, text: string])[]>();
  const toNode = ({ path, suffix, options }: ExpandItemSyntax): ExpandNode => {
    const { select = [], expand = [] } = options;
    const others = (texts.get(options) ?? []).filter(([name]) => name !== "$select" && name !== "$expand");
    const parts = { select: select.map(pathText), expand: expand.map(toNode), options: new Map(others) };
    return expandNode(path.join("/"), { suffix, ...parts });
  };
  const syntax = parsed((context) =>
    parseShapedExpand(text, context, (item, name, each) => {
      texts.set(item, [...(texts.get(item) ?? []), [`$${name.toLowerCase()}`, each]]);
    }),
  );
  return syntax?.items.map(toNode) ?? null;
}

function pathText({ path }: { readonly path: readonly string[] }): string {
  return path.join("/");
}

/** Makes the node of a navigation with the texts of its options; null for a fault of syntax in `$select` or `$expand`. */
export function nodeOf(path: string, texts: ReadonlyMap<string, string>): ExpandNode | null {
  const { $select = "", $expand = "", ...others } = Object.fromEntries(texts);
  const [select, expand] = [readSelect($select), readExpand($expand)];
  if (select === null || expand === null) return null;
  return expandNode(path, { select, expand, options: new Map(Object.entries(others)) });
}

/** Returns the texts of all nested options of a node. */
export function optionsOf({ select, expand, options }: ExpandNode): ReadonlyMap<string, string> {
  const all = [["$select", writeSelect(select)], ...options, ["$expand", writeExpand(expand)]] as const;
  return new Map(all.filter(([, text]) => text !== ""));
}

/** Writes the text of `$expand`; empty without a navigation. */
export function writeExpand(nodes: readonly ExpandNode[]): string {
  return nodes.map(writeNode).join(",");
}

function writeNode(node: ExpandNode): string {
  const path = node.suffix === null ? node.path : `${node.path}/${node.suffix}`;
  const nested = Array.from(optionsOf(node), ([name, text]) => `${name}=${text}`);
  return nested.length === 0 ? path : `${path}(${nested.join(";")})`;
}

/** Reads the text of `$select` as paths; null for a fault of syntax. */
export function readSelect(text: string): readonly string[] | null {
  return text.trim() === "" ? [] : (parsed((context) => parseSelect(text, context))?.map(pathText) ?? null);
}

/** Writes the text of `$select`; empty for all properties. */
export function writeSelect(paths: readonly string[]): string {
  return paths.join(",");
}
