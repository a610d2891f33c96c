import { many, type Attack } from "./attack.ts";

/** Texts of a megabyte that expressions make 64 times as long, and a few that the service refuses. */

const joined = (count: number, text: string): string =>
  Array.from({ length: count - 1 }).reduce<string>((inner) => `concat(${text},${inner})`, text);
const doubled = (levels: number, text: string): string =>
  levels === 0 ? text : `concat(${doubled(levels - 1, text)},${doubled(levels - 1, text)})`;

/** Attacks by computed texts. */
export const GROWTH_ATTACKS: readonly Attack[] = [
  ...["Texts", "ListedTexts"].flatMap(growthAttacksOf),
  {
    name: "ManyListedTexts: an order of 60 rows by 64 texts",
    target: `/ManyListedTexts?$select=Id&$orderby=${joined(64, "Text")}`,
    refusal: "400 InvalidQueryOption",
  },
];

function growthAttacksOf(set: string): readonly Attack[] {
  return [
    { name: `${set}: 64 texts joined`, target: `/${set}?$select=Id&$filter=length(${joined(64, "Text")}) eq 5` },
    {
      name: `${set}: 64 texts joined in pairs`,
      target: `/${set}?$select=Id&$filter=length(${doubled(6, "Text")}) eq 5`,
    },
    {
      name: `${set}: an order by 64 texts`,
      target: `/${set}?$select=Id&$orderby=${joined(64, "Text")} desc`,
      refusal: set === "ListedTexts" ? "400 InvalidQueryOption" : undefined,
    },
    {
      name: `${set}: 64 texts on each side`,
      target: `/${set}?$select=Id&$filter=${joined(64, "Text")} eq ${doubled(6, "Text")}`,
    },
    {
      name: `${set}: 64 lengths of 2 texts`,
      target: `/${set}?$select=Id&$filter=${many(64, (index) => `length(concat(Text,Text)) eq ${String(index)}`, " or ")}`,
    },
    {
      name: `${set}: 100 lengths of 3 texts`,
      target: `/${set}?$select=Id&$filter=${many(100, (index) => `length(${joined(3, "Text")}) eq ${String(index)}`, " or ")}`,
      refusal: "400 InvalidQueryOption",
    },
    {
      name: `${set}: letter case of 7 texts`,
      target: `/${set}?$select=Id&$filter=toupper(tolower(${joined(7, "Text")})) eq 'a'`,
    },
    {
      name: `${set}: letter case of 21 texts`,
      target: `/${set}?$select=Id&$filter=length(tolower(${joined(21, "Text")})) eq 5`,
    },
    {
      name: `${set}: 90 texts joined`,
      target: `/${set}?$select=Id&$filter=length(${joined(90, "Text")}) eq 5`,
      refusal: "400 InvalidQueryOption",
    },
    {
      name: `${set}: letter case, four times`,
      target: `/${set}?$select=Id&$filter=toupper(tolower(toupper(tolower(Text)))) eq 'a'`,
      refusal: "400 InvalidQueryOption",
    },
  ];
}
