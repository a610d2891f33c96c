import { showValue, shownAs } from "../format/show-value.ts";
import type { Zone } from "../format/zone.ts";
import type { Property, StructuredType } from "../model/model.ts";
import {
  type FilterCondition,
  type FilterGroup,
  type FilterLambda,
  type FilterNode,
  filterOf,
  NO_FILTER,
} from "./filter-tree.ts";
import { literalText } from "./literals.ts";
import { operatorFor, operatorsFor } from "./operators.ts";
import { memberAt } from "./resolve-type.ts";

type Choices<Choice> = readonly (readonly [text: string, choice: Choice])[];

/** The names of groups for people. */
export const GROUPS: Choices<Pick<FilterGroup, "operator" | "isNegated">> = [
  ["All of these", { operator: "and", isNegated: false }],
  ["Any of these", { operator: "or", isNegated: false }],
  ["Not all of these", { operator: "and", isNegated: true }],
  ["None of these", { operator: "or", isNegated: true }],
];

/** The names of quantifiers for people. */
export const QUANTIFIERS: Choices<Pick<FilterLambda, "quantifier" | "isNegated">> = [
  ["at least one", { quantifier: "any", isNegated: false }],
  ["none", { quantifier: "any", isNegated: true }],
  ["each", { quantifier: "all", isNegated: false }],
  ["not each", { quantifier: "all", isNegated: true }],
];

/** Returns the name of a group or a quantifier. */
export function choiceText<Choice extends object>(choices: Choices<Choice>, chosen: Choice): string {
  const isChosen = (choice: Choice): boolean =>
    Object.entries(choice).every(([key, value]) => member(chosen, key) === value);
  return choices.find(([, choice]) => isChosen(choice))?.[0] ?? "";
}

function member(of: object, name: string): unknown {
  return Object.entries(of).find(([key]) => key === name)?.[1];
}

/** Says a condition as the form shows it; what the form cannot read is "Condition: …" with its text. */
export function wordsOf(node: FilterNode, type: StructuredType, zone?: Zone): string {
  const fallback = (): string => `Condition: ${node.kind === "text" ? node.text : filterOf([node])}`;
  switch (node.kind) {
    case "text":
      return fallback();
    case "condition":
      return conditionWords(node, node.path, memberAt(type, node.path)?.property, type, zone) ?? fallback();
    case "lambda": {
      const { path, condition } = node;
      const quantifier = choiceText(QUANTIFIERS, { quantifier: node.quantifier, isNegated: node.isNegated });
      if (condition === null) return `${path}: ${quantifier}`;
      const item = condition.path === "" ? path : `${path}/${condition.path}`;
      const found = memberAt(type, item)?.property;
      const words = conditionWords(condition, item, found && { ...found, isCollection: false }, null, zone);
      return words === null ? fallback() : `${quantifier} ${words}`;
    }
    case "group": {
      const shared = foundText(node);
      if (shared !== null) return `${listOf(shared.paths)} contains “${shared.text}” in any case`;
      return `${choiceText(GROUPS, { operator: node.operator, isNegated: node.isNegated })}: ${node.items.map((each) => wordsOf(each, type, zone)).join("; ")}`;
    }
  }
}

function conditionWords(
  condition: FilterCondition,
  name: string,
  property: Property | undefined,
  owner: StructuredType | null,
  zone: Zone | undefined,
): string | null {
  const operator = property === undefined ? null : operatorFor(condition, operatorsFor(property));
  if (property === undefined || operator === null) return null;
  if (operator.values === "none") return `${name} ${operator.label}`;
  const { type } = property;
  const isText = type.kind === "primitive" && type.name === "Edm.String";
  const values = condition.values.map((literal) => {
    const shown = shownAs(owner, name, literalText(literal), type);
    if (literal === "null") return "empty";
    return isText ? `“${literalText(literal)}”` : showValue(shown.value, shown.type, undefined, zone && { zone }).text;
  });
  return `${name} ${operator.label} ${values.join(", ")}${condition.isLowered ? " in any case" : ""}`;
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}

/** Returns the text that any of some properties must contain, or be; null for other groups. */
export function foundText(node: FilterNode): { readonly text: string; readonly paths: readonly string[] } | null {
  if (node.kind === "condition") return foundText({ ...NO_FILTER, operator: "or", items: [node] });
  if (node.kind !== "group" || node.operator !== "or" || node.isNegated) return null;
  const texts = new Set<string>();
  const paths = node.items.flatMap((item): readonly string[] => {
    if (item.kind !== "condition" || item.isNegated) return [];
    const { path, operator, isLowered, values } = item;
    const isFound = (operator === "contains" && isLowered) || operator === "eq";
    if (isFound) texts.add(literalText(values[0] ?? ""));
    return isFound ? [path] : [];
  });
  const isSearch = node.items.some((item) => item.kind === "condition" && item.operator === "contains");
  const [text] = texts;
  return text === undefined || texts.size > 1 || paths.length < node.items.length || !isSearch ? null : { text, paths };
}
