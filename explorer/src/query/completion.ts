import type { Model, StructuredType } from "../model/model.ts";
import { completeApply } from "./complete-apply.ts";
import { completeExpression, type ExpressionPlace } from "./complete-expression.ts";
import { completePath } from "./complete-path.ts";
import {
  type Completion,
  type CompletionItem,
  type EndCompletion,
  fitting,
  item,
  memberItems,
  rootItems,
  words,
} from "./completion-item.ts";
import { type OptionPiece, readQueryText } from "./option-text.ts";
import { type Member, resolvePath, targetOf, typeAt } from "./resolve-type.ts";

const OPTIONS: readonly CompletionItem[] = [
  item("option", "$filter", "only the entities that meet a condition", "$filter="),
  item("option", "$orderby", "the order of the entities", "$orderby="),
  item("option", "$select", "only these properties", "$select="),
  item("option", "$expand", "related entities, too", "$expand="),
  item("option", "$top", "at most so many", "$top="),
  item("option", "$skip", "without the first", "$skip="),
  item("option", "$count", "the number of all that meet the condition", "$count=true"),
  item("option", "$search", "the entities that contain words", "$search="),
  item("option", "$apply", "groups and totals", "$apply="),
  item("option", "$compute", "further columns", "$compute="),
];

const NESTED_NAMES = "$filter $orderby $select $expand $top $skip $count $search $compute".split(" ");
const NESTED_OPTIONS: readonly CompletionItem[] = [
  ...OPTIONS.filter(({ label }) => NESTED_NAMES.includes(label)),
  item("option", "$levels", "how deep a navigation to the same type is followed", "$levels="),
];

const NOTHING: EndCompletion = { word: "", items: [] };

/**
 * Suggests what may stand at the cursor in the text of a query, from the model alone: sets, options, properties, navigations,
 * functions, operators, literals.
 * @param cursor offset in the text
 * @param root the URL of the service, which may precede the path
 */
export function complete(text: string, cursor: number, model: Model, root = ""): Completion {
  const before = text.slice(0, cursor);
  const { word, items } = completeEnd(before, model, root);
  const [rest = ""] = (word.includes("'") ? /^[\p{L}\p{N}_]*'?/u : /^[\p{L}\p{N}_]*/u).exec(text.slice(cursor)) ?? [];
  return { from: cursor - word.length, to: cursor + rest.length, items: fitting(items, word) };
}

function completeEnd(before: string, model: Model, root: string): EndCompletion {
  const { path, pieces } = readQueryText(before, root);
  const piece = pieces.at(-1);
  if (piece === undefined && !/\?[&\s]*$/u.test(before)) return completeResource(path, model);
  if (piece === undefined || before.slice(piece.end).includes("&")) return { word: "", items: OPTIONS };
  const raw = before.slice(piece.start, piece.end);
  if (!raw.includes("=")) return { word: raw, items: OPTIONS };
  const type = resolvePath(model, path)?.type;
  return type === undefined
    ? NOTHING
    : completeOption(piece.name, valueOf(before, piece), { model, type, after: [], names: columnsOf(pieces) });
}

/** The value up to the cursor, blanks at its end included. */
function valueOf(before: string, { valueStart }: OptionPiece): string {
  return before.slice(valueStart);
}

/** The names that `$compute` and `$apply` define for the other options. */
function columnsOf(pieces: readonly OptionPiece[]): readonly CompletionItem[] {
  return pieces
    .filter(({ name }) => name === "$compute" || name === "$apply")
    .flatMap(({ value }) => Array.from(value.matchAll(/\sas\s+([\p{L}_][\p{L}\p{N}_]*)/gu), ([, name = ""]) => name))
    .map((name) => item("property", name, "column of this query"));
}

function completeResource(path: string, model: Model): EndCompletion {
  const slash = path.lastIndexOf("/");
  if (slash < 0) return { word: path, items: path.includes("(") ? [] : rootItems(model) };
  const word = path.slice(slash + 1);
  const place = resolvePath(model, path.slice(0, slash));
  if (place === null || word.includes("(")) return { word, items: [] };
  const count = place.isCollection ? [item("property", "$count", "number of entities")] : [];
  return { word, items: [...(place.isCollection ? [] : memberItems(place.type)), ...count] };
}

function completeOption(name: string, value: string, place: ExpressionPlace): EndCompletion {
  switch (name) {
    case "$filter":
      return completeExpression(value, place);
    case "$orderby":
      return completeExpression(afterComma(value), { ...place, after: words("operator", "asc desc") });
    case "$compute":
      return completeExpression(afterComma(value), { ...place, after: words("operator", "as"), names: [] });
    case "$select":
      return withNames(completePath(afterComma(value), place.type, isSelectable), place.names);
    case "$expand":
      return completeExpand(value, place);
    case "$apply":
      return completeApply(value, place);
    case "$count":
      return { word: value, items: words("literal", "true false") };
    default:
      return NOTHING;
  }
}

function withNames({ word, items }: EndCompletion, names: readonly CompletionItem[]): EndCompletion {
  return { word, items: [...items, ...names] };
}

function isSelectable(member: Member): boolean {
  return member.kind === "property";
}

/** Returns the text after the last comma outside strings and parentheses. */
function afterComma(text: string): string {
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/'(?:[^']|'')*(?:'|$)|[(),]/gu)) {
    if (token === "(") depth += 1;
    else if (token === ")") depth -= 1;
    else if (token === "," && depth === 0) start = index + 1;
  }
  return text.slice(start);
}

/** Suggests navigations, and within parentheses what the nested option takes. */
function completeExpand(text: string, place: ExpressionPlace): EndCompletion {
  const nested = nestedOption(text);
  if (nested === null) return completeNavigation(afterComma(text), place.type);
  const target = typeAt(place.type, nested.path);
  if (target === null) return NOTHING;
  const equals = nested.option.indexOf("=");
  if (equals < 0) return { word: nested.option.trimStart(), items: NESTED_OPTIONS };
  const name = nested.option.slice(0, equals).trim();
  return completeOption(name, nested.option.slice(equals + 1), { ...place, type: target, names: [] });
}

/** Returns the path before the parenthesis that the text leaves open, and the last option in it; null without one. */
function nestedOption(text: string): { readonly path: string; readonly option: string } | null {
  let depth = 0;
  let start = 0;
  let path = "";
  let option = 0;
  for (const { 0: token, index } of text.matchAll(/'(?:[^']|'')*(?:'|$)|[(),;]/gu)) {
    if (token === "(") {
      depth += 1;
      if (depth > 1) continue;
      path = text.slice(start, index).trim();
      option = index + 1;
    } else if (token === ")") depth -= 1;
    else if (token === "," && depth === 0) start = index + 1;
    else if (token === ";" && depth === 1) option = index + 1;
  }
  return depth > 0 ? { path, option: text.slice(option) } : null;
}

/** Navigations, and complex properties on the way to them. */
function completeNavigation(text: string, type: StructuredType): EndCompletion {
  return completePath(
    text,
    type,
    (member) => member.kind === "navigation" || (targetOf(member)?.navigations.size ?? 0) > 0,
  );
}
