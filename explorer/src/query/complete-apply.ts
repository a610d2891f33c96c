import { completeExpression, type ExpressionPlace } from "./complete-expression.ts";
import { completePath, type EndCompletion, item, NOTHING, table, words } from "./completion-item.ts";
import { openParts } from "./open-parentheses.ts";
import { isCollection } from "./resolve-type.ts";

const STEPS = table("step", {
  "filter(…)": "only the entities that meet a condition",
  "groupby((…),…)": "one row for each combination of values",
  "aggregate(…)": "totals",
  "compute(…)": "further columns",
  "orderby(…)": "the order of the rows",
  "topcount(n,…)": "the rows with the greatest values",
  "bottomcount(n,…)": "the rows with the least values",
  "top(n)": "the first rows",
  "skip(n)": "without the first rows",
  "search(…)": "the entities that contain words",
  "concat(…,…)": "the rows of several sequences of steps",
  identity: "the rows as they are",
});
const METHODS = table("function", {
  sum: null,
  average: null,
  min: "least value",
  max: "greatest value",
  countdistinct: "number of different values",
});

/** Suggests what may follow the text of `$apply`, or complete its last word. */
export function completeApply(before: string, place: ExpressionPlace): EndCompletion {
  const parts = openParts(before);
  for (let index = parts.length - 1; index > 0; index -= 1) {
    const { word, start, argument } = parts[index] ?? { word: "", start: 0, argument: 0 };
    const rest = before.slice(start);
    if (word === "" && parts[index - 1]?.word.endsWith("groupby") === true) return completeProperty(rest, place);
    switch (word.slice(word.lastIndexOf("/") + 1)) {
      case "filter":
        return completeExpression(rest, place);
      case "compute":
        return completeExpression(rest, { ...place, after: words("operator", "as") });
      case "orderby":
        return completeExpression(rest, { ...place, after: words("operator", "asc desc") });
      case "aggregate":
        return completeAggregate(rest, place);
      case "topcount":
      case "bottomcount":
        return argument === 0 ? NOTHING : completeProperty(rest, place);
      case "groupby":
        return argument === 0 ? { word: rest, items: [item("step", "(", "the properties")] } : completeStep(rest);
      case "concat":
        return completeStep(rest);
      case "search":
      case "top":
      case "skip":
        return NOTHING;
    }
  }
  return completeStep(before);
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
  if (/\swith$/u.test(done)) return { word, items: METHODS };
  if (/\sas$/u.test(done)) return NOTHING;
  if (/^\$count$|\swith\s+\w+$/u.test(done)) return { word, items: words("operator", "as") };
  if (done !== "" && /\s/u.test(text.trimStart())) return { word, items: words("operator", "with") };
  const path = completeProperty(text, place);
  return { ...path, items: [...path.items, item("function", "$count", "number of entities", "$count as ")] };
}
