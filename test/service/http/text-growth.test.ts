import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { escaped, knotService } from "./limits.ts";

/** A text that expressions compute has at most 64 times the length of a stored one. No service can raise this limit. */

const sum = (count: number, text = "name"): string =>
  Array.from({ length: count - 1 }).reduce<string>((inner) => `concat(${inner},${text})`, text);
/** The same with as many texts on both sides. */
const doubled = (levels: number, text: string): string =>
  levels === 0 ? text : `concat(${doubled(levels - 1, text)},${doubled(levels - 1, text)})`;
const lower = (times: number, text: string): string => `${"tolower(".repeat(times)}${text}${")".repeat(times)}`;

const WITHIN: Readonly<Record<string, string>> = {
  "64 texts": `$filter=length(${sum(64)}) gt 5`,
  "64 literals": `$filter=length(${sum(64, "'a'")}) gt 5`,
  "64 texts in pairs": `$orderby=${doubled(6, "name")}`,
  "three changes of letter case": `$filter=${lower(3, "name")} eq 'a'`,
  "lower case of 21 texts": `$filter=tolower(${sum(21)}) eq 'a'`,
  "parts of 64 texts": `$filter=trim(substring(${sum(64)},1,2)) eq 'a'`,
  "64 texts on each side": `$filter=${sum(64)} eq ${sum(64)}`,
  "64 texts in each of two options": `$filter=length(${sum(64)}) gt 5&$orderby=${sum(64)}`,
  "a search of 40 columns": `$filter=${Array.from({ length: 40 }, () => "contains(tolower(name),tolower('A'))").join(" or ")}`,
  "a text and its length many times": `$filter=${lower(2, "name")} eq substring(name,length(${sum(64)}))`,
};

/** The function at fault, its position and the factor. */
const BEYOND: Readonly<
  Record<string, readonly [query: string, name: string, position: number, factor: number, option?: string]>
> = {
  "65 texts": [`$filter=length(${sum(65)}) gt 5`, "concat", 7, 65],
  "65 literals": [`$filter=length(${sum(65, "'a'")}) gt 5`, "concat", 7, 65],
  "65 texts and literals of which one is null": [`$filter=length(concat(${sum(64)},null)) eq 5`, "concat", 7, 65],
  "128 texts in pairs": [`$filter=${doubled(7, "name")} eq 'a'`, "concat", 0, 128],
  "four changes of letter case": [`$filter=${lower(4, "name")} eq 'a'`, "tolower", 0, 81],
  "upper case of lower case of 8 texts": [`$filter=toupper(tolower(${sum(8)})) eq 'a'`, "toupper", 0, 72],
  "lower case of a part of 22 texts": [`$filter=tolower(trim(substring(${sum(22)},1,2))) eq 'a'`, "tolower", 0, 66],
  "an order": [`$orderby=id,${sum(65)} desc`, "concat", 3, 65, "$orderby"],
  "a list": [`$filter=${sum(65)} in ('a','b')`, "concat", 0, 65],
  "items of any": [`$filter=tags/any(t:${sum(65, "t")} eq 'a')`, "concat", 11, 65],
  "related entities": [`$filter=children/all(c:${sum(65, "c/name")} eq 'a')`, "concat", 15, 65],
  "a path": [`$filter=length(${sum(65, "parent/name")}) eq 1`, "concat", 7, 65],
  "an expansion": [`$expand=children($filter=length(${sum(65)}) eq 1)`, "concat", 24, 65, "$expand"],
  "the order of an expansion": [`$expand=children($orderby=${sum(65)})`, "concat", 18, 65, "$expand"],
};

/** Requests whose texts may be too long together: the option, the position of the text at fault and the sum. */
const BEYOND_TOGETHER: Readonly<
  Record<string, readonly [query: string, option: string, position: number, growth: number]>
> = {
  "43 comparisons of 3 texts": [
    `$filter=${Array.from({ length: 43 }, () => `length(${sum(3)}) eq 1`).join(" or ")}`,
    "$filter",
    1981,
    129,
  ],
  "a filter and two orders": [
    `$filter=length(${sum(64)}) eq 1&$orderby=${sum(64)},concat(name,'a')`,
    "$orderby",
    824,
    130,
  ],
  "a filter and a lower case": [
    `$filter=${sum(64)} eq 'a' or tolower(${sum(2)}) eq 'a' or tolower(${sum(21)}) eq 'a'`,
    "$filter",
    871,
    133,
  ],
  "an expansion": [
    `$filter=${sum(64)} eq ${sum(64)}&$expand=children($filter=concat(name,'a') eq 'b')`,
    "$expand",
    17,
    130,
  ],
};

eachDoor((door) => {
  const { service, work } = knotService({ maxUrlLength: null });
  const send = door.to(service);

  describe.each(["Knots", "Rows"])("%s", (set) => {
    test.each(Object.entries(WITHIN))("computes %s", async (_name, query) => {
      const { status, text } = await send(`/s/${set}?${escaped(query)}`);
      expect(status, text).toBe(200);
    });

    test.each(Object.entries(BEYOND))("refuses %s before anything is read", async (_name, [query, ...fault]) => {
      const [name, position, factor, option = "$filter"] = fault;
      work.calls = 0;
      const answer = await send(`/s/${set}?${escaped(query)}`);
      expectError(answer, {
        status: 400,
        code: "InvalidQueryOption",
        message: `${option} at position ${String(position)}: '${name}' may make a text ${String(factor)} times as long as a stored one: at most 64 times is allowed. Combine fewer texts: 'concat' adds the lengths of its texts, 'tolower' and 'toupper' count three times.`,
        target: option,
      });
      expect(work.calls).toBe(0);
    });

    test.each(Object.entries(BEYOND_TOGETHER))(
      "refuses %s together",
      async (_name, [query, option, position, growth]) => {
        work.calls = 0;
        const answer = await send(`/s/${set}?${escaped(query)}`);
        expectError(answer, {
          status: 400,
          code: "InvalidQueryOption",
          message: `${option} at position ${String(position)}: The texts that 'concat' makes may together be ${String(growth)} times as long as a stored one: at most 128 times is allowed in one request. Combine fewer texts.`,
          target: option,
        });
        expect(work.calls).toBe(0);
      },
    );

    test.each([
      `${set}/$count?$filter=length(${sum(65)}) eq 1`,
      `${set}(1)?$expand=children($filter=length(${sum(65)}) eq 1)`,
      `${set}?$filter=@a eq 'a'&@a=${sum(65)}`,
      `${set}?$filter=length(@a) eq 1&@a=concat(@b,@b)&@b=${sum(33)}`,
    ])("refuses it on every route: %s", async (target) => {
      const { status, json } = await send(`/s/${escaped(target)}`);
      expect([status, json.error.code]).toEqual([400, "InvalidQueryOption"]);
      expect(json.error.message).toMatch(/'concat' may make a text 6[56] times as long as a stored one/u);
    });
  });
});
