import type { Model } from "../model/model.ts";
import { completeApply } from "./complete-apply.ts";
import { completeExpression, type ExpressionPlace } from "./complete-expression.ts";
import {
  type Completion,
  type CompletionItem,
  completePath,
  type EndCompletion,
  NOTHING,
  fitting,
  item,
  memberItems,
  rootItems,
  words,
} from "./completion-item.ts";
import { afterComma, openParts } from "./open-parentheses.ts";
import { type OptionPiece, readQueryText } from "./option-text.ts";
import { resolvePath, targetOf, typeAt } from "./resolve-type.ts";

const OPTIONS = Object.entries({
  $filter: "only the entities that meet a condition",
  $orderby: "the order of the entities",
  $select: "only these properties",
  $expand: "related entities, too",
  $top: "at most so many",
  $skip: "without the first",
  $count: "the number of all that meet the condition",
  $search: "the entities that contain words",
  $apply: "groups and totals",
  $compute: "further columns",
}).map(([name, text]) => item("option", name, text, name === "$count" ? "$count=true" : `${name}=`));
const NESTED_OPTIONS: readonly CompletionItem[] = [
  ...OPTIONS.filter(({ label }) => label !== "$apply"),
  item("option", "$levels", "how deep a navigation to the same type is followed", "$levels="),
];

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
    : completeOption(piece.name, before.slice(piece.valueStart), { model, type, after: [], names: columnsOf(pieces) });
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
    case "$select": {
      const { word, items } = completePath(afterComma(value), place.type, ({ kind }) => kind === "property");
      return { word, items: [...items, ...place.names] };
    }
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

/** Suggests navigations, and within parentheses what the nested option takes. */
function completeExpand(text: string, place: ExpressionPlace): EndCompletion {
  const [, nested] = openParts(text);
  if (nested === undefined) {
    // Complex properties are on the way to navigations.
    return completePath(
      afterComma(text),
      place.type,
      (member) => member.kind === "navigation" || (targetOf(member)?.navigations.size ?? 0) > 0,
    );
  }
  const target = typeAt(place.type, nested.word);
  if (target === null) return NOTHING;
  const option = text.slice(nested.option);
  const equals = option.indexOf("=");
  if (equals < 0) return { word: option.trimStart(), items: NESTED_OPTIONS };
  return completeOption(option.slice(0, equals).trim(), option.slice(equals + 1), {
    ...place,
    type: target,
    names: [],
  });
}
