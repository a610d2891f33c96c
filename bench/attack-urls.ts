import { type Attack, many } from "./attack.ts";

/** Attacks on each part of the URL, and on the headers. */
export const LONG_ATTACKS: readonly Attack[] = ["/Cities", "/Notes", "/Slow"].flatMap((set) => {
  const text = set === "/Cities" ? "Name" : "Text";
  return [
    {
      name: `${set}: 1,000 branches of or`,
      target: `${set}?$filter=${many(1000, (index) => `Id eq ${String(-index - 1)}`, " or ")}`,
    },
    {
      name: `${set}: 99 nested parentheses`,
      target: `${set}?$filter=${"(".repeat(99)}Id eq -1${")".repeat(99)}`,
    },
    { name: `${set}: 90 times not`, target: `${set}?$filter=${"not (".repeat(90)}Id eq -1${")".repeat(90)}&$top=1` },
    {
      name: `${set}: a long in list`,
      target: `${set}?$filter=Id in (${many(4000, (index) => String(-index), ",")})`,
    },
    { name: `${set}: $skip of 10^9`, target: `${set}?$skip=1000000000&$orderby=${text}` },
    {
      name: `${set}: a long key`,
      refusal: set === "/Notes" ? "404 NotFound" : "400 InvalidKey",
      target: `${set}(${"1".repeat(14_000)})`,
    },
    {
      name: `${set}: many keys`,
      refusal: set === "/Notes" ? "404 NotFound" : "400 InvalidKey",
      target: `${set}(${many(2000, (index) => `k${String(index)}=1`, ",")})`,
    },
    { name: `${set}: 8,000 segments`, refusal: "400 InvalidUrl", target: `${set}${"/a".repeat(7000)}` },
    { name: `${set}: a long $select`, target: `${set}?$select=${many(3000, () => text, ",")}&$top=1000` },
    { name: `${set}: a long $orderby`, target: `${set}?$orderby=${many(1000, () => `tolower(${text})`, ",")}&$top=1` },
    { name: `${set}: many options`, target: `${set}?${many(3000, (index) => `o${String(index)}=1`, "&")}&$top=1` },
    { name: `${set}: encoded twice`, target: `${set}?$filter=${text} eq '${"%2525".repeat(2000)}'` },
    {
      name: `${set}: string functions within each other`,
      target: `${set}?$filter=${"concat(".repeat(60)}${text}${`,${text})`.repeat(60)} eq 'x'&$count=true`,
    },
    {
      name: `${set}: replaced texts`,
      target: `${set}?$filter=indexof(concat(${text},'${"a".repeat(4000)}'),'${"a".repeat(2000)}b') gt 0&$count=true`,
    },
    {
      name: `${set}: long numbers`,
      target: `${set}?$filter=Id mul ${"9".repeat(900)} mul ${"9".repeat(900)} mod ${"7".repeat(900)} eq 1&$count=true`,
    },
    {
      name: `${set}: a search of many words`,
      refusal: set === "/Notes" ? "400 UnsupportedQueryOption" : undefined,
      target: `${set}?$search=${many(1000, (index) => `w${String(index)}`, " OR ")}`,
    },
    {
      name: `${set}: a search of many negations`,
      refusal: set === "/Notes" ? "400 UnsupportedQueryOption" : undefined,
      target: `${set}?$search=${"NOT ".repeat(1)}${many(400, () => "a NOT b", " ")}`,
    },
  ];
});

/** Attacks on arrays and on handlers that return promises. */
export const LIST_ATTACKS: readonly Attack[] = ["/Notes", "/Slow"].flatMap((set) => [
  { name: `${set}: $levels of everything`, target: `${set}?$expand=Children($levels=max)&$orderby=Text` },
  {
    name: `${set}: expansions side by side`,
    target: `${set}?$top=1000&$expand=Children($expand=Children($expand=Children($expand=Children)))`,
  },
  {
    name: `${set}: the order of an expansion`,
    target: `${set}?$expand=Children($orderby=tolower(Text) desc;$count=true;$filter=contains(Text,'1'))&$top=1000`,
  },
  {
    name: `${set}: lambdas five deep`,
    target: `${set}?$filter=${many(5, (index) => `${index === 0 ? "" : `v${String(index - 1)}/`}Children/any(v${String(index)}:`, "")}v4/Text eq 'x'${")".repeat(5)}&$count=true`,
  },
  {
    name: `${set}: many cross joins`,
    target: `${set}?$filter=${many(20, () => "Tags/any(a:$it/Tags/any(b:a eq concat(b,'x')))", " or ")}&$count=true`,
  },
  {
    name: `${set}: everything, ordered by everything`,
    target: `${set}?$orderby=Text desc,Id desc&$top=1000&$skip=5000`,
  },
  {
    name: `${set}: a count of everything`,
    target: `${set}/$count?$filter=contains(toupper(Text),'X') or length(Text) gt 99`,
  },
]);
