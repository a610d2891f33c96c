import { nestedSearchEnd, nestedValueEnd } from "../../../src/syntax/nested-value-end.ts";
import { parseExpand, parseSelect } from "../../../src/syntax/select-expand-parser.ts";
import { syntaxContext } from "./syntax-context.ts";

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

/**
 * Reads the text of `$expand` as a tree.
 * @returns null for a fault of syntax
 */
export function readExpand(text: string): readonly ExpandNode[] | null {
  if (text.trim() === "") return [];
  try {
    parseExpand(text.trim(), syntaxContext());
    return readNodes(text);
  } catch {
    return null;
  }
}

function readNodes(text: string): readonly ExpandNode[] {
  return splitList(text).map(readNode);
}

function readNode(text: string): ExpandNode {
  const open = text.indexOf("(");
  const [path = "", suffix] = text
    .slice(0, open < 0 ? text.length : open)
    .trim()
    .split(/\/(?=\$)/u);
  const options = open < 0 ? new Map<string, string>() : readOptions(text, open + 1);
  const select = listOf(options.get("$select"));
  const expand = readNodes(options.get("$expand") ?? "");
  options.delete("$select");
  options.delete("$expand");
  return { path, suffix: suffix === "$ref" || suffix === "$count" ? suffix : null, select, expand, options };
}

/** Reads `$name=value;$name=value` up to the closing parenthesis. */
function readOptions(text: string, start: number): Map<string, string> {
  const options = new Map<string, string>();
  for (let at = start; at < text.length;) {
    const equals = text.indexOf("=", at);
    if (equals < 0) break;
    const name = text.slice(at, equals).trim();
    const end = name === "$search" ? nestedSearchEnd(text, equals + 1, false) : nestedValueEnd(text, equals + 1);
    options.set(name, text.slice(equals + 1, end).trim());
    at = text[end] === ";" ? end + 1 : text.length;
  }
  return options;
}

/** Writes the text of `$expand`; empty without a navigation. */
export function writeExpand(nodes: readonly ExpandNode[]): string {
  return nodes.map(writeNode).join(",");
}

function writeNode({ path, suffix, select, expand, options }: ExpandNode): string {
  const nested = [
    ...(select.length === 0 ? [] : [`$select=${select.join(",")}`]),
    ...Array.from(options, ([name, value]) => `${name}=${value}`),
    ...(expand.length === 0 ? [] : [`$expand=${writeExpand(expand)}`]),
  ];
  const place = suffix === null ? path : `${path}/${suffix}`;
  return nested.length === 0 ? place : `${place}(${nested.join(";")})`;
}

/**
 * Reads the text of `$select` as paths.
 * @returns null for a fault of syntax
 */
export function readSelect(text: string): readonly string[] | null {
  if (text.trim() === "") return [];
  try {
    parseSelect(text.trim(), syntaxContext());
    return listOf(text);
  } catch {
    return null;
  }
}

/** Writes the text of `$select`; empty for all properties. */
export function writeSelect(paths: readonly string[]): string {
  return paths.join(",");
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : splitList(text).map((item) => item.trim());
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
  return items.filter((item) => item.trim() !== "");
}
