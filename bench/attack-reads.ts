import { type Attack, many } from "./attack.ts";

const MEGABYTES_25 = 25_000_000;
const TAGS = many(1500, (index) => `"tag ${String(index)}"`, ",");

/** Attacks by reads of many items, of long values, and with long options and headers. */
export const READ_ATTACKS: readonly Attack[] = [
  { name: "any within any of one entity", target: "/Wides?$filter=Tags/any(a:$it/Numbers/any(b:b lt 0))" },
  {
    name: "any within any, both used",
    target: "/Wides?$filter=Tags/any(a:$it/Tags/any(b:a eq concat(b,'x')))&$top=1",
  },
  {
    name: "any within any within any",
    target:
      "/Wides?$filter=Numbers/any(a:a lt 300 and $it/Numbers/any(b:b lt 200 and $it/Numbers/any(c:c eq a add b add 500000)))",
  },
  {
    name: "any of 100,000 items, 90 functions",
    target: `/Wides?$filter=Tags/any(a:${many(90, (index) => `contains(tolower(a),'x${String(index)}')`, " or ")})`,
  },
  { name: "all within not any", target: "/Wides?$filter=not Tags/any(a:not $it/Numbers/all(b:b ge 0))&$count=true" },
  { name: "an order by any within any", target: "/Wides?$orderby=Tags/any(a:$it/Numbers/any(b:b eq -1)),Id" },
  {
    name: "a later order by any within any",
    target: "/Wides?$orderby=length(tolower(Text)),Tags/any(a:$it/Numbers/any(b:b eq -1)),Id",
  },
  {
    name: "any within any of related entities",
    target: "/Wides?$filter=Parts/any(a:$it/Parts/any(b:b/Text eq concat(a/Text,'x')))&$count=true",
  },
  { name: "items of 300,000 tags", target: "/Wides", longest: 1_200_000 },
  { name: "a property of 100,000 tags", refusal: "404 NotFound", target: "/Wides(1)/Tags" },
  { name: "a deep expansion", target: "/Wides?$top=3&$select=Id&$expand=Parts($select=Id;$expand=Parts($select=Id))" },
  { name: "a deep expansion by $levels", target: "/Wides?$top=1&$select=Id&$expand=Parts($levels=3;$select=Id)" },
  {
    name: "an expansion of one entity",
    target: "/Parts(10)?$expand=Parts($expand=Parts($expand=Parts($expand=Parts)))",
  },
  { name: "1,000 long texts", target: "/Long?$top=1000" },
  { name: "a text of 25 MB", target: "/Long(1)", longest: MEGABYTES_25 },
  { name: "a property of 25 MB", target: "/Long(1)/Text", longest: MEGABYTES_25 },
  { name: "a raw property of 25 MB", target: "/Long(1)/Text/$value", longest: MEGABYTES_25 },
  { name: "conditions on 1,000 long texts", target: "/Long?$filter=contains(tolower(Text),'lone')&$count=true" },
  { name: "an order by 1,000 long texts", target: "/Long?$orderby=concat(toupper(Text),'x') desc&$top=1" },
  { name: "a long text as key", refusal: "400 InvalidKey", target: `/Things('${"''".repeat(7000)}')` },
  { name: "a function with 1,500 items", target: `/tagged?tags=[${TAGS}]` },
  { name: "a function with an alias", target: `/tagged(tags=@p)?@p=[${TAGS}]` },
  {
    name: "a function with nested arrays",
    refusal: "400 InvalidQueryOption",
    target: `/tagged?tags=${"[".repeat(14_000)}`,
  },
  { name: "an in list of an alias", target: `/Notes?$filter=Text in @p&@p=[${TAGS}]&$count=true` },
  {
    name: "many in lists",
    target: `/Notes?$filter=${many(90, (index) => `not (Text in ('a','b','c${String(index)}'))`, " and ")}&$count=true`,
  },
  { name: "a long $select of complex values", target: `/Things(1)?$select=${many(1200, () => "Place/Name", ",")}` },
  {
    name: "a $select of 3,000 names",
    refusal: "400 InvalidQueryOption",
    target: `/Things(1)?$select=${many(2000, (index) => `n${String(index)}`, ",")}`,
  },
  {
    name: "an $expand of 2,000 items",
    refusal: "400 InvalidQueryOption",
    target: `/Notes?$expand=${many(1500, () => "Children", ",")}`,
  },
  { name: "nested options of expansions", target: `/Notes?$top=1&$expand=${"Children($expand=".repeat(500)}` },
  { name: "$levels of 10^9", target: "/Notes?$top=1000&$expand=Children($levels=1000000000)" },
  {
    name: "$levels within $levels",
    target: "/Notes?$expand=Children($levels=5;$expand=Children($levels=5))&$top=1000",
  },
  { name: "a search of nested parentheses", target: `/Cities?$search=${"(".repeat(3000)}a${")".repeat(3000)}` },
  { name: "a search of a long phrase", target: `/Cities?$search="${"a ".repeat(6000)}"&$count=true` },
  {
    name: "10,000 tags in If-None-Match",
    target: "/Things(1)",
    headers: { "If-None-Match": many(10_000, (index) => `"${String(index)}"`, ",") },
  },
  {
    name: "a Prefer of 16 KB",
    target: "/Cities?$top=1",
    headers: { Prefer: `return=representation;a="${'\\"'.repeat(7900)}"` },
  },
  { name: "a Prefer of semicolons", target: "/Cities?$top=1", headers: { Prefer: ";,=".repeat(5300) } },
  {
    name: "an Accept of parameters",
    target: "/Cities?$top=1",
    headers: { Accept: `application/json${";odata.metadata=full".repeat(800)}` },
  },
  {
    name: "a Content-Type of parameters",
    method: "POST",
    target: "/Notes",
    headers: { "Content-Type": `application/json${';a="b\\"c"'.repeat(1600)}` },
    body: () => '{"Id":1,"Text":"","Tags":[]}',
  },
  { name: "a URL of percent signs", refusal: "400 InvalidKey", target: `/Cities(${"%".repeat(5000)})` },
  { name: "a condition of quotes", target: `/Notes?$filter=Text eq '${"''".repeat(7000)}'` },
  {
    name: "a condition of numbers",
    target: `/Notes?$filter=${many(180, (index) => `Id add ${"1".repeat(30)}.${String(index)} gt 5`, " and ")}&$count=true`,
  },
];
