import { describe, expect, test } from "vitest";
import { eachDoor } from "./doors.ts";
import {
  bytesKept,
  escaped,
  expectViolation,
  knotService,
  million,
  nested,
  NO_LIMITS,
  type Violation,
  watched,
} from "./limits.ts";

const filter = (text: string): string => `$filter=${escaped(text)}`;
const floods = (text: string): string => `$filter=${text}`;
const deep = (target: string): Violation => ({ target, limit: /deeper than 100 levels/u });
const TOKENS: Violation = { target: "$filter", limit: /more than 48000 tokens/u };
const NODES: Violation = { target: "$filter", limit: /more than 1000 operators, names and values/u };
const CHAINED: Violation = { target: "$filter", limit: /chains or nests more than 100 operations/u };

/** Queries beyond a limit that no setting removes: the depth of a tree. */
const DEPTHS: Readonly<Record<string, readonly [query: string, violation: Violation]>> = {
  parentheses: [floods(million("(")), deep("$filter")],
  "balanced parentheses": [floods(`${"(".repeat(500_000)}true${")".repeat(500_000)}`), deep("$filter")],
  not: [floods(`${million("not ")}true`), deep("$filter")],
  "not with parentheses": [floods(million("not(")), deep("$filter")],
  signs: [floods(`${million("- ")}id`), deep("$filter")],
  "calls of functions": [floods(million("length(")), deep("$filter")],
  "calls that end": [floods(`length(${million("concat(name,")}name${")".repeat(83_334)})%20gt%201`), deep("$filter")],
  "lambda operators over values": [floods(million("tags/any(t:")), deep("$filter")],
  "lambda operators over entities": [floods(million("children/any(c:c/")), deep("$filter")],
  "lists within lists": [floods(`id%20in%20${million("(")}`), deep("$filter")],
  "arrays of JSON": [`$filter=id%20in%20@a&@a=${million("[")}`, deep("@a")],
  "objects of JSON": [`$filter=id%20eq%20@a&@a=${million('{"a":')}`, deep("@a")],
  "aliases of aliases": [
    `$filter=id%20eq%20@a0&${Array.from({ length: 20_000 }, (_none, index) => `@a${index}=@a${index + 1}`).join("&")}`,
    deep("@a100"),
  ],
  "expressions of an order": [`$orderby=${million("(")}`, deep("$orderby")],
  "parentheses of a search": [`$search=${million("(")}`, deep("$search")],
  expansions: [`$expand=${million("children($expand=")}`, deep("$expand")],
  "filters of expansions": [`$expand=children($filter=${million("(")})`, deep("$expand")],
};

/** Queries beyond the limits that a service sets. */
const LENGTHS: Readonly<Record<string, readonly [query: string, violation: Violation]>> = {
  "a chain of or": [floods(`id%20eq%201${million(" or id eq 1")}`), TOKENS],
  "a chain of or and and": [floods(`id%20eq%201${million(" or id eq 1 and id eq 2")}`), TOKENS],
  "a chain of or with few tokens": [filter(`id eq 1${" or id eq 1".repeat(400)}`), NODES],
  "a sum": [floods(`id${million(" add id")}%20eq%201`), TOKENS],
  "a sum with few tokens": [filter(`id${" add id".repeat(150)} eq 1`), CHAINED],
  "comparisons of comparisons": [floods(`${million("true eq ")}true`), TOKENS],
  "a path": [floods(`${million("inner/")}x%20eq%201`), TOKENS],
  "a path along navigations": [floods(`${million("parent/")}id%20eq%201`), TOKENS],
  "paths along many navigations": [
    filter(nested((inner) => `parent/${inner}`, "id", 90) + " eq 1"),
    { target: "$filter", limit: /at most 50 different navigations/u },
  ],
  "a list of a hundred thousand": [floods(`id%20in%20(1${",1".repeat(100_000)})`), TOKENS],
  "a list of JSON of a hundred thousand": [floods(`id%20in%20[1${",1".repeat(100_000)}]`), TOKENS],
  "a list in an alias": [`$filter=id%20in%20@a&@a=[1${",1".repeat(100_000)}]`, { ...TOKENS, target: "@a" }],
  "a list that is one too long": [
    filter(`id in (${"1,".repeat(1000)}1)`),
    { target: "$filter", limit: /the list has more than 1000 items/u },
  ],
  "many lists": [floods(`id%20in%20(1)${million(" or id in (1,2,3)")}`), TOKENS],
  "lambda operators one level too deep": [
    filter("tags/any(a:tags/any(b:tags/any(c:tags/any(d:d eq a))))"),
    { target: "$filter", limit: /nested deeper than 3 levels/u },
  ],
  "a hundred thousand terms of an order": [`$orderby=id${",id".repeat(100_000)}`, { ...TOKENS, target: "$orderby" }],
  "eleven terms of an order": [
    `$orderby=id${",id".repeat(10)}`,
    { target: "$orderby", limit: /more than 10 expressions to order by/u },
  ],
  "a search for many words": [
    `$search=a${million(" a")}`,
    { target: "$search", limit: /the search has more than 1000 parts/u },
  ],
  "a search with many operators": [
    `$search=a${million(" OR a")}`,
    { target: "$search", limit: /the search has more than 1000 parts/u },
  ],
  "a selection of many": [`$select=id${",id".repeat(300_000)}`, { ...TOKENS, target: "$select" }],
  "a selected path": [`$select=${million("inner/")}x`, { ...TOKENS, target: "$select" }],
  "a selected path of few tokens": [
    `$select=${"inner/".repeat(150)}x`,
    { target: "$select", limit: /A path may have at most 100 segments/u },
  ],
  "aliases that double": [
    `$filter=id%20eq%20@a0&${Array.from({ length: 40 }, (_none, index) => `@a${index}=@a${index + 1}%20add%20@a${index + 1}`).join("&")}&@a40=1`,
    { target: "@a40", limit: /more than 48000 tokens/u },
  ],
};

/** Values and strings of a million characters: they succeed, or fail as invalid values. */
const VALUES: Readonly<Record<string, string>> = {
  "a string": filter(`name eq '`) + `${million("a")}'`,
  "quotes in a string": filter(`name eq '`) + `${million("''")}'`,
  "a string that does not end": filter(`name eq '`) + million("a"),
  digits: filter("id eq ") + million("9"),
  "digits of a decimal": filter("price add ") + `${million("9")}.5%20gt%201`,
  "digits of a fraction": filter("price div 0.") + `${million("1")}%20gt%201`,
  "digits of an exponent": filter("price eq 1e") + million("9"),
  "digits of a duration": filter("at add duration'P") + `${million("9")}D'%20gt%202024-01-01T00:00:00Z`,
  "digits of a year": filter("at gt ") + `${million("9")}-01-01T00:00:00Z`,
  "digits of a second": filter("at gt 2024-01-01T00:00:00.") + `${million("9")}Z`,
  "digits of a Guid": filter("id eq ") + `${million("0")}-0000-0000-0000-000000000000`,
  "a name": filter("") + `${million("a")}%20eq%201`,
  "a name beyond ASCII": filter("") + `${"%C3%A4".repeat(300_000)}%20eq%201`,
  "a qualified name": filter("") + `${million("a.")}b'c'%20eq%201`,
  "an argument": filter("contains(name,'") + `${million("a")}')`,
  blanks: filter("id eq") + million(" ") + "1",
  "plus signs": `$filter=id%20eq${"+".repeat(1_000_000)}1`,
  "percent signs": `$filter=${"%25".repeat(333_333)}`,
  "percent signs in a string": filter("name eq '") + `${"%2525".repeat(200_000)}'`,
  "percent signs that are none": `$filter=${"%zz".repeat(333_333)}`,
  commas: `$orderby=${million(",")}`,
  "commas of a selection": `$select=${million(",")}`,
  "a phrase": `$search=%22${million("a")}%22`,
  "quotes of phrases": `$search=${million('"')}`,
  "NOT and NOT": `$search=${million("NOT ")}a`,
  "custom options": "a=1&".repeat(250_000),
  "names of custom options": Array.from({ length: 100_000 }, (_none, index) => `c${String(index)}=1`).join("&"),
  "unused aliases": Array.from({ length: 100_000 }, (_none, index) => `@a${String(index)}=1`).join("&"),
  ampersands: "&".repeat(1_000_000),
  "equals signs": "=".repeat(1_000_000),
};

/** Requests that only services without limits accept: the work grows with the request, and ends. */
const UNLIMITED: Readonly<Record<string, string>> = {
  "a chain of or": filter(Array.from({ length: 20_000 }, (_none, index) => `id eq ${String(index)}`).join(" or ")),
  "a chain of or without values": filter(Array.from({ length: 20_000 }, () => "name eq null").join(" or ")),
  "a chain of and": filter(Array.from({ length: 20_000 }, () => "name ne null").join(" and ")),
  "a chain of calls": filter(Array.from({ length: 5000 }, () => "contains(name,'x')").join(" or ")),
  "a chain of lambda operators": filter(Array.from({ length: 2000 }, () => "tags/any(t:t eq 'x')").join(" or ")),
  "lambda operators within each other": filter(nested((inner) => `tags/any(t:t eq 'x' and ${inner})`, "true", 45)),
  "a list": filter(`id in (${Array.from({ length: 100_000 }, (_none, index) => String(index)).join(",")})`),
  "a list of nulls": filter(`id in (${"null,".repeat(50_000)}1)`),
  "an order of one term": `$orderby=id${",id".repeat(20_000)}`,
  "an order of many terms": `$orderby=${Array.from({ length: 5000 }, (_none, index) => `id%20add%20${String(index)}`).join(",")}`,
  "a selection": `$select=id${",id".repeat(100_000)}`,
  "a search": `$search=a${" OR a".replaceAll(" ", "%20").repeat(20_000)}`,
};

/** Functions within functions, as deep as permitted: their translation must not double from level to level. */
const NESTINGS: Readonly<
  Record<string, readonly [wrap: (inner: string) => string, seed: string, end: string, most?: number]>
> = {
  round: [(inner) => `round(${inner})`, "price", " gt 1"],
  floor: [(inner) => `floor(${inner})`, "price", " gt 1"],
  substring: [(inner) => `substring(${inner},1)`, "name", " eq 'a'"],
  "substring with a length": [(inner) => `substring(${inner},1,length(name))`, "name", " eq 'a'"],
  "substring by length": [(inner) => `substring(name,length(${inner}))`, "name", " eq 'a'"],
  // More would multiply the length of the text by more than 64.
  tolower: [(inner) => `tolower(${inner})`, "name", " eq 'a'", 3],
  trim: [(inner) => `trim(${inner})`, "name", " eq 'a'"],
  concat: [(inner) => `concat(${inner},name)`, "name", " eq 'a'"],
  mod: [(inner) => `(${inner}) mod 3`, "id", " eq 1"],
  "mod of decimals": [(inner) => `(${inner}) mod price`, "price", " eq 1"],
  "div on the right": [(inner) => `id div (${inner})`, "id", " eq 1"],
  "mul of decimals": [(inner) => `(${inner}) mul price`, "price", " eq 1"],
  minus: [(inner) => `-(${inner})`, "id", " eq 1"],
  not: [(inner) => `not (${inner})`, "name gt 'a'", ""],
  "eq of conditions": [(inner) => `(${inner}) eq (name eq null)`, "(name eq 'a')", ""],
  "ne of conditions": [(inner) => `(name gt 'a') ne (${inner})`, "(name eq 'a')", ""],
  "gt of conditions": [(inner) => `(${inner}) gt false`, "(name eq 'a')", ""],
  "in of conditions": [(inner) => `(${inner}) in (true,false)`, "(name eq 'a')", ""],
  "and and or": [(inner) => `(name eq 'a' or ((name ne null) and ${inner}))`, "name gt 'a'", ""],
  "a moment and durations": [(inner) => `(${inner}) add duration'PT1S'`, "at", " gt 2024-01-01T00:00:00Z"],
};

const SETS = ["Knots", "Rows"] as const;

eachDoor((door) => {
  // Otherwise the length of the URL would be rejected first.
  const limited = knotService({ maxUrlLength: null });
  const send = door.to(limited.service);

  describe.each(SETS)("%s: a limit is met before anything is read", (set) => {
    test.each(Object.entries({ ...DEPTHS, ...LENGTHS }))("%s", async (_name, [query, violation]) => {
      limited.work.calls = 0;
      expectViolation(await watched(() => send(`/s/${set}?${query}`)), violation, limited.work);
    });
  });

  test("a URL that is longer than the limit, before anything of it is read", async () => {
    const { service, work } = knotService(undefined);
    for (const target of [
      `/s/Knots?${filter("(".repeat(16_400))}`,
      `/s/${"(".repeat(16_400)}`,
      `/s/Knots?${"a".repeat(16_400)}`,
    ]) {
      const answer = await door.to(service)(target);
      expect(answer.status).toBe(400);
      expect(answer.json.error.code).toBe("InvalidQueryOption");
      expect(answer.json.error.message).toMatch(/but the limit is 16384\. Split the request/u);
      expect(work.calls).toBe(0);
    }
  });
});

describe.each(SETS)("%s: values of a million characters", (set) => {
  const limited = knotService({ maxUrlLength: null });
  const open = knotService(NO_LIMITS);

  test.each(Object.entries(VALUES))("%s", async (_name, query) => {
    for (const { service } of [limited, open]) {
      const response = await watched(() => service.fetch(new Request(`http://service.example/s/${set}?${query}`)));
      const text = await response.text();
      expect([200, 400], text.slice(0, 500)).toContain(response.status);
      if (response.status !== 400) continue;
      const { error } = JSON.parse(text) as { readonly error: Readonly<Record<string, string>> };
      expect(error["target"]).toMatch(/^[$@]/u);
      expect(text.length).toBeLessThan(1500);
    }
  });
});

describe.each(SETS)("%s: without limits", (set) => {
  const open = knotService(NO_LIMITS);
  const fetch = async (query: string): Promise<readonly [status: number, text: string]> => {
    const response = await watched(() => open.service.fetch(new Request(`http://service.example/s/${set}?${query}`)));
    return [response.status, await response.text()];
  };

  test.each(Object.entries(DEPTHS))("the depth is limited: %s", async (_name, [query]) => {
    open.work.calls = 0;
    const [status, text] = await fetch(query);
    expect(text).toMatch(/deeper than 100 levels: /u);
    expect([status, open.work.calls]).toEqual([400, 0]);
  });

  test.each(Object.entries(UNLIMITED))("it is answered, or more than the database takes: %s", async (_name, query) => {
    const [status, text] = await fetch(query);
    if (set === "Knots") return expect(status, text.slice(0, 500)).toBe(200);
    expect([200, 400], text.slice(0, 500)).toContain(status);
    if (status === 400) {
      expect(text).toMatch(/one (?:SQL )?statement.*(?:(?:ask for|Request) less at once|shorten it)/u);
    }
  });

  test.each(Object.entries(NESTINGS))("%s", async (_name, [wrap, seed, end, most = 48]) => {
    for (const times of [5, 24, 48]) {
      const [status, text] = await fetch(filter(nested(wrap, seed, Math.min(times, most)) + end));
      expect(status, text.slice(0, 500)).toBe(200);
    }
  });
});

test("nothing of what was refused or answered is kept but shapes, up to a bound", async () => {
  const { service } = knotService({ maxUrlLength: null });
  const read = async (query: string): Promise<void> => {
    await (await service.fetch(new Request(`http://service.example/s/Knots?${query}`))).text();
  };
  // Loads and compiles modules first.
  await read(filter("id eq 1 or name eq 'a'"));
  const before = bytesKept();
  for (let count = 0; count < 150; count += 1) {
    // As many shapes, each with long values, of about a thousand nodes.
    await read(filter(`name eq '${"a".repeat(50_000)}'${` or id eq ${String(count)}`.repeat(150 + count)}`));
    await read(filter(`name${String(count)}${"a".repeat(50_000)} eq 1`));
    await read(`c${String(count)}=${"a".repeat(50_000)}`);
  }
  expect(bytesKept() - before).toBeLessThan(60_000_000);
});

eachDoor((door) => {
  test("maxNodeCount counts neither parentheses nor the items of lists", async () => {
    const send = door.to(knotService({ maxNodeCount: 12 }).service);
    expect((await send(`/s/Knots?${filter(`${"(".repeat(20)}id eq 1${")".repeat(20)}`)}`)).status).toBe(200);
    expect((await send(`/s/Knots?${filter(`id in (${"1,".repeat(20)}1)`)}`)).status).toBe(200);
    const { status, json } = await send(`/s/Knots?${filter("id eq 1 or id eq 2 or id eq 3 or id eq 4")}`);
    expect([status, json.error.target]).toEqual([400, "$filter"]);
    expect(json.error.message).toMatch(/more than 12 operators, names and values/u);
  });
});
