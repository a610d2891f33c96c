import type { Model, StructuredType } from "../model/model.ts";
import {
  COLLECTION,
  enumItems,
  item,
  type Items,
  literalItems,
  memberItems,
  MODES,
  operatorItems,
  OPTIONS,
  rootItems,
} from "./completion-items.ts";
import { readQueryText } from "./option-text.ts";
import { isCollection, type Member, memberAt, resolvePath, typeAt } from "./resolve-type.ts";
import { NAME } from "./syntax.ts";

/** Suggestions for a place in a text, and the range that a chosen one replaces. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  /** Those that begin with the word at the cursor come first, then those that contain it. */
  readonly items: Items;
}

/** Suggestions for the end of a text, which replace its last word. */
type End = readonly [word: string, items: Items];

/** The value of an option, or of the innermost open parentheses in it. */
interface Place {
  /** A key of `MODES`. */
  readonly mode: string;
  readonly text: string;
  /** The type whose members it names; null for an unknown one. */
  readonly type: StructuredType | null;
  /** The names that `$compute` and `$apply` define. */
  readonly columns: Items;
  /** The variables of lambdas, with the paths of their collections. */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Suggests what may stand at the cursor in the text of a query, as `readQueryText` reads it, from the model alone: sets,
 * options, properties, navigations, functions, operators, literals.
 */
export function complete(text: string, cursor: number, model: Model, root = ""): Completion {
  const [word, items] = completeEnd(text.slice(0, cursor), model, root);
  const [rest = ""] = (word.includes("'") ? /^[\p{L}\p{N}_]*'?/u : /^[\p{L}\p{N}_]*/u).exec(text.slice(cursor)) ?? [];
  const start = word.toLowerCase();
  const first = items.filter(({ insert, label }) =>
    [insert, label].some((each) => each.toLowerCase().startsWith(start)),
  );
  const others = items.filter((each) => !first.includes(each) && each.label.toLowerCase().includes(start));
  return { from: cursor - word.length, to: cursor + rest.length, items: [...first, ...others] };
}

function completeEnd(before: string, model: Model, root: string): End {
  const { path, pieces } = readQueryText(before, root);
  const piece = pieces.at(-1);
  if (piece === undefined && !/\?[&\s]*$/u.test(before)) return completeResource(path, model);
  if (piece === undefined || before.slice(piece.end).includes("&")) return ["", OPTIONS];
  const written = before.slice(piece.start, piece.end);
  if (!written.includes("=")) return [written, OPTIONS];
  const type = resolvePath(model, path)?.type;
  if (type === undefined) return ["", []];
  const columns = pieces
    .filter(({ name }) => piece.name !== "$expand" && (name === "$compute" || name === "$apply"))
    .flatMap(({ value }) => Array.from(value.matchAll(new RegExp(String.raw`\sas\s+(${NAME})`, "gu"))))
    .map(([, name = ""]) => item("property", name, "column of this query"));
  const text = before.slice(piece.valueStart);
  return completeValue({ mode: piece.name, text, type, columns, variables: new Map() }, model);
}

function completeResource(path: string, model: Model): End {
  const slash = path.lastIndexOf("/");
  const word = path.slice(slash + 1);
  if (word.includes("(")) return [word, []];
  if (slash < 0) return [word, rootItems(model)];
  const place = resolvePath(model, path.slice(0, slash));
  if (place?.isCollection === true) return [word, [item("property", "$count", "number of entities")]];
  return [word, place === null ? [] : memberItems(place.type)];
}

/** Suggests the end of a value. A sign replaces strings and closed parentheses, so that the open parentheses remain. */
function completeValue(place: Place, { enums }: Model): End {
  let text = place.text.replaceAll(/'(?:[^']|'')*'/gu, "#");
  const [string, typeName = ""] = /([\p{L}\p{N}_.]*)'.*$/su.exec(text) ?? [];
  const type = enums.get(typeName);
  if (string !== undefined) return [string, type === undefined ? [] : enumItems(type)];
  while (/\([^()]*\)/u.test(text)) text = text.replaceAll(/\([^()]*\)/gu, "#");
  // An item of a list is what follows `eq`.
  const [first = "", ...contents] = text.replace(/\sin\s*\((?:[^()]*,)?([^(),]*)$/u, " eq $1").split("(");
  return suggest(contents.reduce(enter, { ...place, text: first }));
}

/** Goes into the parentheses at the end of a place. */
function enter(place: Place, content: string): Place {
  const [path = ""] = /[\p{L}\p{N}_./$]*$/u.exec(place.text) ?? [];
  const slash = path.lastIndexOf("/");
  if (place.mode === "$expand") {
    const option = content.slice(content.lastIndexOf(";") + 1);
    const [, mode = "option of $expand", text = option] = /^\s*(\$\w+)=(.*)$/su.exec(option) ?? [];
    return { ...place, mode, text, type: place.type && typeAt(place.type, path), columns: [] };
  }
  const word = path.slice(slash + 1);
  if (MODES.get(place.mode)?.isExpression !== true) return { ...place, mode: `$${word}`, text: content };
  const [, variable, text = content] = /^\s*([\p{L}\p{N}_]+)\s*:(.*)$/su.exec(content) ?? [];
  const variables = new Map(place.variables);
  if (variable !== undefined) variables.set(variable, pathIn(place, path.slice(0, Math.max(slash, 0))));
  return { ...place, mode: "$filter", text, variables };
}

/** Suggests what may stand at the end of a place. In expressions, operands and operators alternate. */
function suggest(place: Place): End {
  const { type, text, columns, variables } = place;
  const { picks, items = [], after = [], isExpression = false } = MODES.get(place.mode) ?? {};
  const clause = text.slice(text.lastIndexOf(",") + 1).replaceAll(/\bnot\s+/gu, "");
  const before = clause.trimStart().split(/\s+/u);
  const [path = ""] = /[\p{L}\p{N}_./$@]*$/u.exec(before.pop() ?? "") ?? [];
  const [word = "", ...owners] = path.split("/").toReversed();
  const [last = "", left = ""] = before.toReversed();
  if (isExpression && before.length % 2 === 1) {
    return [word, [...operatorItems(memberIn(place, last)), ...after.flat()]];
  }
  // A number of entities has no method: only its name follows.
  if (!isExpression && before.length > 0) return [word, after[before.length + (before[0] === "$count" ? 1 : -1)] ?? []];
  if (type === null || after.flat().some(({ label }) => label === last)) return [word, []];
  if (picks === undefined) return [word, items];
  if (owners.length > 0) {
    const owner = pathIn(place, owners.toReversed().join("/"));
    const member = memberAt(type, owner);
    const isWhole = isExpression && !variables.has(owners.join("/")) && member !== null && isCollection(member);
    const target = typeAt(type, owner);
    if (isWhole || target === null) return [word, isWhole ? COLLECTION : []];
    return [word, memberItems(target, picks)];
  }
  const compared = /^(?:and|or)?$/u.test(last) ? null : memberIn(place, left);
  const names = Array.from(variables.keys(), (name) => item("variable", name, "the item"));
  return [word, [...literalItems(compared), ...names, ...columns, ...memberItems(type, picks), ...items]];
}

/** Returns a path from the type of a place, with collections instead of variables. */
function pathIn({ variables }: Place, path: string): string {
  const [first = "", ...rest] = path.split("/");
  return [variables.get(first) ?? first, ...rest].join("/");
}

function memberIn(place: Place, path: string): Member | null {
  return place.type && memberAt(place.type, pathIn(place, path));
}
