import { isText, showValue, shownAs } from "../format/show-value.ts";
import type { Zone } from "../format/zone.ts";
import type { StructuredType } from "../model/model.ts";
import { type FilterCondition, type FilterNode, filterOf } from "./filter-tree.ts";
import { literalText } from "./literals.ts";
import { operatorFor, operatorsFor } from "./operators.ts";
import { memberAt } from "./resolve-type.ts";

/** The names of groups and quantifiers for people, and where they are negated. */
const NAMES = {
  and: ["All of these", "Not all of these"],
  or: ["Any of these", "None of these"],
  any: ["at least one", "none"],
  all: ["each", "not each"],
} as const;

/** Returns the name of a group, or of a quantifier. */
export function nameOf(word: keyof typeof NAMES, isNegated: boolean): string {
  return NAMES[word][isNegated ? 1 : 0];
}

/** Says a condition as the form shows it; what the form cannot read is "Condition: …" with its text. */
export function wordsOf(node: FilterNode, type: StructuredType, zone?: Zone): string {
  const fallback = `Condition: ${filterOf([node])}`;
  switch (node.kind) {
    case "text":
      return fallback;
    case "condition":
      return conditionWords(node, node.path, type, zone) ?? fallback;
    case "lambda": {
      const { path, condition } = node;
      const quantifier = nameOf(node.quantifier, node.isNegated);
      if (condition === null) return `${path}: ${quantifier}`;
      const item = condition.path === "" ? path : `${path}/${condition.path}`;
      const words = conditionWords(condition, item, type, zone);
      return words === null ? fallback : `${quantifier} ${words}`;
    }
    case "group": {
      const shared = foundText(node);
      if (shared !== null) return `${shared.paths.join(" or ")} contains “${shared.text}” in any case`;
      return `${nameOf(node.operator, node.isNegated)}: ${node.items.map((each) => wordsOf(each, type, zone)).join("; ")}`;
    }
  }
}

function conditionWords(condition: FilterCondition, name: string, owner: StructuredType, zone?: Zone): string | null {
  const property = memberAt(owner, name)?.property;
  const operators = property === undefined ? [] : operatorsFor({ ...property, isCollection: false });
  const operator = operatorFor(condition, operators);
  if (property === undefined || operator === null) return null;
  if (operator.values === "none") return `${name} ${operator.label}`;
  const { type } = property;
  const values = condition.values.map((literal) => {
    const shown = shownAs(owner, name, literalText(literal), type);
    if (literal === "null") return "null";
    if (literal === "''") return "empty text";
    return isText(type)
      ? `“${literalText(literal)}”`
      : showValue(shown.value, shown.type, undefined, zone && { zone }).text;
  });
  return `${name} ${operator.label} ${values.join(", ")}${condition.isLowered ? " in any case" : ""}`;
}

/** Returns the text that any of some properties must contain; null for other conditions. */
export function foundText(node: FilterNode): { readonly text: string; readonly paths: readonly string[] } | null {
  const items = node.kind === "group" && node.operator === "or" && !node.isNegated ? node.items : [node];
  const found = items.flatMap((item) => (item.kind === "condition" && !item.isNegated ? [item] : []));
  const [text, ...others] = new Set(found.map(({ values }) => literalText(values[0] ?? "")));
  const isSearch =
    found.length === items.length && found.every(({ operator, isLowered }) => operator === "contains" && isLowered);
  return text === undefined || others.length > 0 || !isSearch ? null : { text, paths: found.map(({ path }) => path) };
}
