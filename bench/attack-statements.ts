import { type Attack, many } from "./attack.ts";

const DEEP = "Country/Cities/any(a:a/Country/Cities/any(b:b/Country/Cities/any(c:c/Name eq concat(a/Name,b/Name))))";
const MEGABYTES_29 = 29_000_000;

/** Attacks by statements, by lists, and by bodies. */
export const STATEMENT_ATTACKS: readonly Attack[] = [
  { name: "an order by a count along a to-one path", target: "/Cities?$orderby=Country/Cities/$count&$top=1" },
  {
    name: "the same, twice",
    target: "/Cities?$orderby=Country/Cities/$count,Country/Name&$filter=Country/Cities/$count gt Id&$count=true",
  },
  {
    name: "a search for 200 words",
    target: `/Cities?$search=${many(200, (index) => `w${String(index)}`, " ")}&$top=1`,
  },
  {
    name: "a search for one of 200 words",
    target: `/Cities?$search=${many(200, (index) => `w${String(index)}`, " OR ")}&$top=1`,
  },
  {
    name: "190 functions per row",
    target: `/Cities?$filter=${many(190, (index) => `contains(tolower(Name),'x${String(index)}')`, " or ")}&$top=1`,
  },
  {
    name: "a condition with 200 operators",
    target: `/Cities?$filter=${many(200, (index) => `Population eq ${String(200_000 + index)}`, " or ")}&$count=true`,
  },
  {
    name: "arithmetic",
    target: `/Cities?$filter=${many(40, (index) => `(Population mul ${String(index)} add Id) mod 7 eq 9`, " or ")}&$top=1`,
  },
  { name: "any within any within any", target: `/Cities?$filter=${DEEP}&$top=1` },
  {
    name: "all within any",
    target: "/Countries?$filter=Cities/any(a:a/Country/Cities/all(b:b/Name ne concat(a/Name,'x')))&$count=true",
  },
  {
    name: "a cross join through $it",
    target: "/Cities?$filter=Country/Cities/any(a:a/Name eq concat($it/Name,a/Name))&$count=true",
  },
  {
    name: "many of them",
    target: `/Cities?$filter=${many(30, () => "Country/Cities/any(a:a/Name eq concat($it/Name,a/Name))", " or ")}&$count=true`,
  },
  {
    name: "a count of everything filtered",
    target: "/Cities/$count?$filter=endswith(Name,'xyz') and indexof(tolower(Name),'q') gt 3",
  },
  {
    name: "an in list",
    target: `/Cities?$filter=Name in (${many(900, (index) => `'n${String(index)}'`, ",")})&$top=1`,
  },
  { name: "an expansion of everything", target: "/Countries?$expand=Cities($expand=Country($expand=Cities))&$top=100" },
  {
    name: "an expansion with counts",
    target: "/Cities?$expand=Country($expand=Cities($count=true;$top=1;$orderby=Name desc))&$top=1000",
  },
  { name: "a deep offset", target: "/Cities?$skip=33990&$orderby=Name desc" },
  { name: "an array: order of everything", target: "/Notes?$orderby=tolower(Text) desc,Id&$top=1" },
  {
    name: "an array: 190 functions per element",
    target: `/Notes?$filter=${many(190, (index) => `contains(tolower(Text),'x${String(index)}')`, " or ")}`,
  },
  {
    name: "an array: any within any",
    target: "/Notes?$filter=Tags/any(a:$it/Tags/any(b:$it/Tags/any(c:concat(a,b) eq concat(c,'x'))))",
  },
  {
    name: "an array: a cross join",
    target: "/Notes?$filter=Children/any(a:a/Children/any(b:b/Text eq concat(a/Text,$it/Text)))&$count=true",
  },
  { name: "an array: order by a count", target: "/Notes?$orderby=Children/$count desc&$top=1" },
  { name: "an array: $levels", target: "/Notes?$expand=Children($levels=max)&$top=1000" },
  {
    name: "a body of 29 MB, one string",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Tags":[],"Text":"${"x".repeat(MEGABYTES_29)}"}`,
  },
  {
    name: "a body of 29 MB, escapes",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Tags":[],"Text":"${String.raw`\u0041`.repeat(MEGABYTES_29 / 6)}"}`,
  },
  {
    name: "a body of 29 MB, items",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"","Tags":[${'"x",'.repeat(MEGABYTES_29 / 4 - 10)}"x"]}`,
  },
  {
    name: "a body of 29 MB, blanks",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"","Tags":[]${" ".repeat(MEGABYTES_29)}}`,
  },
  {
    name: "a body of 29 MB, digits",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":${"1".repeat(MEGABYTES_29)}}`,
  },
  { name: "a body of 29 MB, nested", method: "POST", target: "/Notes", body: () => "[".repeat(MEGABYTES_29) },
  {
    name: "a body of 29 MB, names",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"","Tags":[]${many(2_000_000, (index) => `,"n${String(index)}":1`, "")}}`,
  },
  {
    name: "a body of 29 MB, one name",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"","Tags":[],"${"n".repeat(MEGABYTES_29)}":1}`,
  },
  {
    name: "a body of 29 MB, one member twice",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"${"x".repeat(MEGABYTES_29)}","Id":1}`,
  },
  {
    name: "a body of 29 MB, emoji",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Tags":[],"Text":"${"😀".repeat(MEGABYTES_29 / 4)}"}`,
  },
  {
    name: "a body of 29 MB, line breaks",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Tags":[],"Text":"${String.raw`\n`.repeat(MEGABYTES_29 / 2)}"}`,
  },
  {
    name: "a body of 100,000 items",
    method: "POST",
    target: "/Notes",
    body: () =>
      `{"Id":1,"Text":"","Tags":[${many(99_000, (index) => `"tag ${String(index)} ${"x".repeat(250)}"`, ",")}]}`,
  },
  {
    name: "a body of 30,000 nested entities",
    method: "POST",
    target: "/Notes",
    body: () =>
      `{"Id":1,"Text":"","Tags":[],"Children":[${many(30_000, (index) => `{"Id":${String(index)},"Text":"x"}`, ",")}]}`,
  },
  {
    name: "a body of digits for a Decimal",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"","Tags":[],"Price":${"7".repeat(MEGABYTES_29)}}`,
  },
  {
    name: "a body of 29 MB, octets",
    method: "POST",
    target: "/Notes",
    body: () => `{"Id":1,"Text":"","Tags":[],"Bytes":"${"AAAA".repeat(MEGABYTES_29 / 4)}"}`,
  },
];
