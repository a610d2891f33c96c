import { nestedSearchEnd, nestedValueEnd } from "../../../src/syntax/nested-value-end.ts";
import { isWellFormed } from "./check-query.ts";

/** A chosen navigation with its nested options. */
export interface ExpandNode {
  /** The path of the navigation, casts included; `*` for all. */
  readonly path: string;
  /** What is read instead of the entities. */
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

const ITEM = /^((?:[\p{L}_][\p{L}\p{N}_./]*|\*)?)(?<!\/)(?:\/(\$ref|\$count))?\s*(?:\((.*)\))?$/su;
const PROPERTY = /^(?:[\p{L}_][\p{L}\p{N}_.]*\/)*(?:\*|[\p{L}_][\p{L}\p{N}_.]*\*?)$/u;
const NESTED = /^\$(?:filter|search|orderby|skip|top|count|select|expand|compute|levels)$/u;

/**
 * Reads the text of `$expand` as a tree.
 * @returns null for a fault of syntax
 */
export function readExpand(text: string): readonly ExpandNode[] | null {
  if (text.trim() === "") return [];
  const nodes = splitList(text).map(readNode);
  return nodes.every((node) => node !== null) ? nodes : null;
}

function readNode(text: string): ExpandNode | null {
  const [, path = "", suffix, nested = ""] = ITEM.exec(text) ?? [];
  const options = readOptions(nested);
  const node = path === "" || options === null ? null : nodeOf(path, options);
  return node !== null && (suffix === "$ref" || suffix === "$count") ? { ...node, suffix } : node;
}

/**
 * Makes the node of a navigation with the texts of its options.
 * @returns null for a fault of syntax in `$select` or `$expand`
 */
export function nodeOf(path: string, texts: ReadonlyMap<string, string>): ExpandNode | null {
  const { $select = "", $expand = "", ...others } = Object.fromEntries(texts);
  const [select, expand] = [readSelect($select), readExpand($expand)];
  return select === null || expand === null
    ? null
    : expandNode(path, { select, expand, options: new Map(Object.entries(others)) });
}

/** Returns the texts of all nested options of a node. */
export function optionsOf({ select, expand, options }: ExpandNode): ReadonlyMap<string, string> {
  const all = [["$select", writeSelect(select)], ...options, ["$expand", writeExpand(expand)]] as const;
  return new Map(all.filter(([, text]) => text !== ""));
}

/** Reads `$name=value;$name=value`. */
function readOptions(text: string): Map<string, string> | null {
  const options = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const equals = text.indexOf("=", at);
    const name = text.slice(at, equals).trim();
    const end = name === "$search" ? nestedSearchEnd(text, equals + 1, false) : nestedValueEnd(text, equals + 1);
    const value = text.slice(equals + 1, end).trim();
    if (!NESTED.test(name) || !isWellFormed(name, value) || (end < text.length && text[end] !== ";")) return null;
    options.set(name, value);
    at = end + 1;
  }
  return options;
}

/** Writes the text of `$expand`; empty without a navigation. */
export function writeExpand(nodes: readonly ExpandNode[]): string {
  return nodes.map(writeNode).join(",");
}

function writeNode(node: ExpandNode): string {
  const place = [node.path, node.suffix ?? []].flat().join("/");
  const nested = Array.from(optionsOf(node), ([name, text]) => `${name}=${text}`);
  return nested.length === 0 ? place : `${place}(${nested.join(";")})`;
}

/**
 * Reads the text of `$select` as paths.
 * @returns null for a fault of syntax
 */
export function readSelect(text: string): readonly string[] | null {
  if (text.trim() === "") return [];
  const paths = splitList(text);
  return paths.every((path) => PROPERTY.test(path)) ? paths : null;
}

/** Writes the text of `$select`; empty for all properties. */
export function writeSelect(paths: readonly string[]): string {
  return paths.join(",");
}

/** Splits at commas outside strings and parentheses. */
function splitList(text: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (depth === 0 && character === ",") {
      items.push(text.slice(start, at));
      start = at + 1;
    } else if (character === "(") {
      depth += 1;
    } else if (character === ")") {
      depth -= 1;
    } else if (depth > 0 && character === "=") {
      // The value of an option: its strings and parentheses do not count.
      const isSearch = text.slice(start, at).trimEnd().endsWith("$search");
      at = (isSearch ? nestedSearchEnd(text, at + 1, false) : nestedValueEnd(text, at + 1)) - 1;
    }
  }
  items.push(text.slice(start));
  return items.map((item) => item.trim());
}
