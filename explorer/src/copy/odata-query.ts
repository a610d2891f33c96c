import { readApply, writeTotal } from "../query/apply-text.ts";
import { type ExpandNode, readExpand } from "../query/expand-tree.ts";
import { toRequestTarget } from "../query/option-text.ts";
import { type CopiedQuery, serviceRoot } from "./copied-query.ts";
import { fetchStatements, keyOf } from "./javascript-text.ts";

/** A value of JavaScript, as JSON has it. */
type Plain = string | number | boolean | readonly Plain[] | { readonly [name: string]: Plain };

/**
 * Writes a query as a call of `buildQuery` of the package odata-query. Options that it cannot express follow as text.
 * @see https://www.npmjs.com/package/odata-query
 */
export function copyAsODataQuery(query: CopiedQuery): string {
  const built: Record<string, Plain> = {};
  const others = new Map<string, string>();
  for (const [name, value] of query.options) {
    const plain = plainOf(name, value);
    const key = KEYS.get(name);
    if (key === undefined || plain === null) others.set(name, value);
    else built[key] = plain;
  }
  const target = toRequestTarget({ path: query.path, options: new Map() });
  const rest = toRequestTarget({ path: "", options: others });
  const options = Object.keys(built).length === 0 ? "" : `buildQuery(${show(built)})`;
  const separator = options === "" || rest === "" ? rest : `&${rest.slice(1)}`;
  const url = [
    JSON.stringify(serviceRoot(query.root) + target),
    options,
    separator === "" ? "" : JSON.stringify(separator),
  ];
  return `import buildQuery from "odata-query";

const url = ${url.filter((part) => part !== "").join(" + ")};
${fetchStatements("url", query)}`;
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ["$filter", "filter"],
  ["$orderby", "orderBy"],
  ["$select", "select"],
  ["$expand", "expand"],
  ["$search", "search"],
  ["$top", "top"],
  ["$skip", "skip"],
  ["$count", "count"],
  ["$format", "format"],
  ["$apply", "transform"],
]);

/** Returns the value of an option for `buildQuery`; null if it cannot express it. */
function plainOf(name: string, value: string): Plain | null {
  if (value.trim() === "") return null;
  switch (name) {
    case "$top":
    case "$skip":
      return /^\d{1,15}$/u.test(value) ? Number(value) : null;
    case "$count":
      return value === "true" ? true : null;
    case "$search":
      return value;
    case "$apply":
      return transformOf(value);
    case "$expand":
      return expandOf(readExpand(value));
    default:
      return reserved(value);
  }
}

/** The package leaves most texts as they are; a URL reserves some of their characters. */
function reserved(text: string): string {
  return text.replaceAll(/[%&#+\p{Cs}\p{Cc}]/gu, (found) =>
    encodeURIComponent(/\p{Cs}/u.test(found) ? "\uFFFD" : found),
  );
}

function transformOf(text: string): Plain | null {
  const form = readApply(text);
  if (form === null || form.limit !== null) return null;
  const totals = form.totals.map(writeTotal);
  const aggregate = totals.length === 0 ? {} : { aggregate: totals };
  const steps: Plain[] = form.filter === "" ? [] : [{ filter: reserved(form.filter) }];
  if (form.groupBy.length === 0) return [...steps, aggregate];
  const groupBy =
    totals.length === 0 ? { properties: form.groupBy } : { properties: form.groupBy, transform: aggregate };
  return [...steps, { groupBy }];
}

/** The package takes a slash in a path for a nested expansion. */
function expandOf(nodes: readonly ExpandNode[] | null): Plain | null {
  if (nodes === null) return null;
  const items = nodes.map(nodeOf);
  return items.some((each) => each === null) ? null : items.filter((each) => each !== null);
}

const NESTED: ReadonlyMap<string, string> = new Map([
  ["$filter", "filter"],
  ["$orderby", "orderBy"],
  ["$top", "top"],
  ["$skip", "skip"],
  ["$count", "count"],
  ["$levels", "levels"],
]);

const OPTION_NAMES: ReadonlySet<string> = new Set("expand levels select skip top count orderby filter".split(" "));

function nodeOf({ path, suffix, select, expand, options }: ExpandNode): Plain | null {
  if (suffix !== null || [path, ...select].some((text) => text.includes("/"))) return null;
  const nested: Record<string, Plain> = select.length === 0 ? {} : { select };
  for (const [name, value] of options) {
    const key = NESTED.get(name);
    if (key === undefined) return null;
    nested[key] = reserved(value);
  }
  const inner = expand.length === 0 ? [] : expandOf(expand);
  if (inner === null) return null;
  if (expand.length > 0) nested["expand"] = inner;
  if (Object.keys(nested).length === 0) return path;
  // The package would take such a navigation for an option.
  return OPTION_NAMES.has(path.toLowerCase()) ? null : { [path]: nested };
}

/** Shows a value as people write it: names without quotes. */
function show(value: Plain, indent = ""): string {
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (isList(value)) return `[${value.map((each) => show(each, inner)).join(", ")}]`;
  const members = Object.entries(value).map(([name, each]) => `${inner}${keyOf(name)}: ${show(each, inner)},\n`);
  return `{\n${members.join("")}${indent}}`;
}

function isList(value: object): value is readonly Plain[] {
  return Array.isArray(value);
}
