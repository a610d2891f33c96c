import { many, type Attack } from "./attack.ts";

/** Texts of a megabyte that expressions make 64 times as long, and a few that the service refuses. */

const joined = (count: number, text: string): string =>
  Array.from({ length: count - 1 }).reduce<string>((inner) => `concat(${text},${inner})`, text);
const doubled = (levels: number, text: string): string =>
  levels === 0 ? text : `concat(${doubled(levels - 1, text)},${doubled(levels - 1, text)})`;

const trims = (count: number, text: string): string => `${"trim(".repeat(count)}${text}${")".repeat(count)}`;
const lowers = (count: number): string =>
  many(count, (index) => `tolower(substring(Text,${String(index)})) eq '${String(index)}'`, " or ");

/** Attacks by computed texts. */
export const GROWTH_ATTACKS: readonly Attack[] = [
  ...["Texts", "ListedTexts"].flatMap((set) => [...growthAttacksOf(set), ...copyAttacksOf(set)]),
  ...longAttacks(),
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
    },
  ];
}

/** Functions each of which may make another copy of a long text. */
function copyAttacksOf(set: string): readonly Attack[] {
  return [
    {
      name: `${set}: a part of 64 texts`,
      target: `/${set}?$select=Id&$filter=substring(${joined(64, "Text")},1) eq 'a'`,
    },
    { name: `${set}: 64 texts trimmed`, target: `/${set}?$select=Id&$filter=length(trim(${joined(64, "Text")})) eq 5` },
    {
      name: `${set}: 64 texts trimmed, nine times`,
      target: `/${set}?$select=Id&$filter=${trims(9, joined(64, "Text"))} eq 'a'`,
    },
    {
      name: `${set}: a search for 64 texts in 64`,
      target: `/${set}?$select=Id&$filter=contains(${joined(64, "Text")},${doubled(6, "Text")})`,
    },
    {
      name: `${set}: 64 texts as the end of 64`,
      target: `/${set}?$select=Id&$filter=endswith(${joined(64, "Text")},${doubled(6, "Text")})`,
    },
    { name: `${set}: letter case of 40 parts`, target: `/${set}?$select=Id&$filter=${lowers(40)}` },
    {
      name: `${set}: an order by a part of 21 texts`,
      target: `/${set}?$select=Id&$orderby=substring(toupper(${joined(21, "Text")}),1)`,
    },
  ];
}

/** Texts of 20 MB: fewer of them are too many. */
function longAttacks(): readonly Attack[] {
  const refusal = "400 InvalidQueryOption";
  return [
    {
      name: "20 MB: 64 texts joined",
      target: `/LongTexts?$select=Id&$filter=contains(${joined(64, "Text")},'a')`,
      refusal,
    },
    { name: "20 MB: 3 texts joined", target: `/LongTexts?$select=Id&$filter=contains(${joined(3, "Text")},'a')` },
    { name: "20 MB: letter case", target: "/LongTexts?$select=Id&$filter=tolower(Text) eq 'a'" },
    { name: "20 MB: letter case of 20 parts", target: `/LongTexts?$select=Id&$filter=${lowers(20)}`, refusal },
    { name: "20 MB: an order by 3 texts", target: `/LongTexts?$select=Id&$orderby=${joined(3, "Text")}` },
  ];
}
