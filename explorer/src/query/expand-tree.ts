import { NAME, readItems, split } from "./syntax.ts";

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

const DOTTED = String.raw`${NAME}(?:\.${NAME})*`;
const ITEM = new RegExp(String.raw`^(\*|${DOTTED}(?:/${DOTTED})*)(?:/(\$ref|\$count))?\s*(?:\((.*)\))?$`, "su");
const PROPERTY = new RegExp(String.raw`^(?:${DOTTED}/)*(?:${DOTTED}(?:\.\*)?|\*)$`, "u");
const OPTION = /^(\$(?:filter|search|orderby|skip|top|count|select|expand|compute|levels))=(.*)$/su;

/** Each level reads the rest of the text again. */
const MOST_LEVELS = 20;

/** Reads the text of `$expand` as a tree; null for a fault of syntax, and for more levels than a form shows. */
export function readExpand(text: string, level = 0): readonly ExpandNode[] | null {
  if (level > MOST_LEVELS) return null;
  const nodes = text.trim() === "" ? [] : split(text, ",").map((item) => readNode(item, level));
  return nodes.every((node) => node !== null) ? nodes : null;
}

function readNode(text: string, level: number): ExpandNode | null {
  const [, path, suffix, nested = ""] = ITEM.exec(text) ?? [];
  const options = nested.trim() === "" ? [] : split(nested, ";").map((option) => OPTION.exec(option));
  if (path === undefined || !options.every((option) => option !== null)) return null;
  const node = nodeOf(path, new Map(options.map(([, name = "", value = ""]) => [name, value.trim()])), level);
  return node !== null && (suffix === "$ref" || suffix === "$count") ? { ...node, suffix } : node;
}

/** Makes the node of a navigation with the texts of its options; null for a fault of syntax in `$select` or `$expand`. */
export function nodeOf(path: string, texts: ReadonlyMap<string, string>, level = 0): ExpandNode | null {
  const { $select = "", $expand = "", ...others } = Object.fromEntries(texts);
  const [select, expand] = [readSelect($select), readExpand($expand, level + 1)];
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
  return readItems(text, PROPERTY)?.map(([path]) => path) ?? null;
}

/** Writes the text of `$select`; empty for all properties. */
export function writeSelect(paths: readonly string[]): string {
  return paths.join(",");
}
