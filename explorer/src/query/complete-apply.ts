import { completeExpression, type ExpressionPlace } from "./complete-expression.ts";
import { completePath } from "./complete-path.ts";
import { type CompletionItem, type EndCompletion, item, words } from "./completion-item.ts";
import { isCollection } from "./resolve-type.ts";

/** An open parenthesis: the word before it, and where its last argument begins. */
interface Frame {
  readonly word: string;
  argument: number;
  start: number;
}

const STEPS: readonly CompletionItem[] = [
  item("step", "filter(…)", "only the entities that meet a condition", "filter("),
  item("step", "groupby((…),…)", "one row for each combination of values", "groupby(("),
  item("step", "aggregate(…)", "totals", "aggregate("),
  item("step", "compute(…)", "further columns", "compute("),
  item("step", "orderby(…)", "the order of the rows", "orderby("),
  item("step", "topcount(n,…)", "the rows with the greatest values", "topcount("),
  item("step", "bottomcount(n,…)", "the rows with the least values", "bottomcount("),
  item("step", "top(n)", "the first rows", "top("),
  item("step", "skip(n)", "without the first rows", "skip("),
  item("step", "search(…)", "the entities that contain words", "search("),
  item("step", "concat(…,…)", "the rows of several sequences of steps", "concat("),
  item("step", "identity", "the rows as they are"),
];

/** Suggests what may follow the text of `$apply`, or complete its last word. */
export function completeApply(before: string, place: ExpressionPlace): EndCompletion {
  const frames = openFrames(before);
  const names = Array.from(before.matchAll(/\sas\s+([\p{L}_][\p{L}\p{N}_]*)(?=[\s,)])/gu), ([, name = ""]) =>
    item("property", name, "column of this query"),
  );
  const inner: ExpressionPlace = { ...place, names };
  for (let index = frames.length - 1; index >= 0; index -= 1) {
    const { word, start, argument } = frames[index] ?? { word: "", start: 0, argument: 0 };
    const rest = before.slice(start);
    if (word === "" && frames[index - 1]?.word === "groupby") return completeProperty(rest, inner);
    switch (word) {
      case "filter":
        return completeExpression(rest, inner);
      case "compute":
        return completeExpression(rest, { ...inner, after: words("operator", "as") });
      case "orderby":
        return completeExpression(rest, { ...inner, after: words("operator", "asc desc") });
      case "aggregate":
        return completeAggregate(rest, inner);
      case "topcount":
      case "bottomcount":
        return argument === 0 ? { word: "", items: [] } : completeProperty(rest, inner);
      case "groupby":
      case "concat":
        return word === "groupby" && argument === 0
          ? { word: rest, items: [item("step", "(", "the properties")] }
          : completeStep(rest);
      case "search":
      case "top":
      case "skip":
        return { word: "", items: [] };
    }
  }
  return completeStep(before);
}

/** Returns the parentheses that the text opens and does not close. */
function openFrames(text: string): readonly Frame[] {
  const frames: Frame[] = [];
  for (const { 0: token, 1: word = "", index } of text.matchAll(/'(?:[^']|'')*(?:'|$)|([\p{L}_]*)\(|\)|,/gu)) {
    const end = index + token.length;
    const last = frames.at(-1);
    if (token.endsWith("(")) frames.push({ word, argument: 0, start: end });
    else if (token === ")") frames.pop();
    else if (token === "," && last !== undefined) {
      last.argument += 1;
      last.start = end;
    }
  }
  return frames;
}

function completeStep(text: string): EndCompletion {
  const [word = ""] = /[\p{L}_]*$/u.exec(text) ?? [];
  // A slash, or the beginning, comes before a step.
  const isStep = /(?:^|\/)\s*$/u.test(text.slice(0, text.length - word.length));
  return { word, items: isStep ? STEPS : [item("operator", "/", "the next step")] };
}

function completeProperty(text: string, { type, names }: ExpressionPlace): EndCompletion {
  const path = completePath(text, type, (member) => !isCollection(member));
  return { ...path, items: [...names, ...path.items] };
}

/** `Price with sum as Total`, or `$count as Count`. */
function completeAggregate(text: string, place: ExpressionPlace): EndCompletion {
  const [, word = ""] = /\s(\w*)$/u.exec(text) ?? [];
  const done = text.slice(0, text.length - word.length).trim();
  if (/\swith$/u.test(done)) {
    const methods = [
      item("function", "sum"),
      item("function", "average"),
      item("function", "min", "least value"),
      item("function", "max", "greatest value"),
      item("function", "countdistinct", "number of different values"),
    ];
    return { word, items: methods };
  }
  if (/\sas$/u.test(done)) return { word, items: [] };
  if (/^\$count$|\swith\s+\w+$/u.test(done)) return { word, items: words("operator", "as") };
  if (done !== "" && /\s/u.test(text.trimStart())) return { word, items: words("operator", "with") };
  const path = completeProperty(text, place);
  return { ...path, items: [...path.items, item("function", "$count", "number of entities", "$count as ")] };
}
