import { afterAll, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { nodeDoor as door, url } from "../../service/http/doors.ts";
import { FORMS, openSales } from "./sales-model.ts";

type Next = (below: number) => number;

/** A reproducible generator of whole numbers below a limit. */
function numbers(seed: number): Next {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function one<T>(next: Next, items: readonly T[]): T {
  const found = items[next(items.length)];
  if (found === undefined) throw new Error("There is nothing to choose.");
  return found;
}

/** The names that rows have: those to group by, numbers, and collections of related entities. */
interface Names {
  readonly keys: readonly string[];
  readonly numbers: readonly string[];
  readonly collections: readonly string[];
  /** Navigations to join, with the names of their targets. */
  readonly joins: ReadonlyArray<readonly [path: string, keys: readonly string[], numbers: readonly string[]]>;
}

const SALE = { keys: ["City", "Paid", "Status", "Place/Street"], numbers: ["Units", "Amount", "Stock"] };
const ITEM = { keys: ["Name", "KindId", "Kind/Label"], numbers: ["Rate", "KindId"] };
const START: Readonly<Record<string, Names>> = {
  Sales: {
    ...SALE,
    keys: [...SALE.keys, "Item/Name"],
    collections: ["Item/Sales"],
    joins: [["Item", ITEM.keys, ITEM.numbers]],
  },
  Items: { ...ITEM, collections: ["Sales"], joins: [["Sales", SALE.keys, SALE.numbers]] },
};

/** Makes steps from the names of rows. Each returns its text and the names of the rows after it. */
function stepOf(next: Next, names: Names, level: number): readonly [text: string, names: Names] {
  const { keys, numbers: numeric, collections, joins } = names;
  const alias = `A${String(level)}${String(next(1000))}`;
  const key = one(next, keys);
  const number = one(next, numeric);
  const total = one(next, ["sum", "min", "max", "average", "countdistinct"]);
  // Paths along single navigations are summed once for each entity, which is refused.
  const summed = number.includes("/") ? `${number} mul 1` : number;
  const these = one(next, [`$these/aggregate(${summed} with ${total})`, "$these/$count"]);
  const made = [`${summed} with ${total} as ${alias}`, `$count as ${alias}`];
  if (collections.length > 0) made.push(`${one(next, collections)}/$count as ${alias}`);
  const aggregate = `aggregate(${one(next, made)})`;
  const grouped = { keys: [key], numbers: [alias], collections: [], joins: [] };
  const steps: (() => readonly [string, Names])[] = [
    () => [`filter(${number} ${one(next, ["gt", "le", "ne"])} ${String(next(3))})`, names],
    () => [`filter(${summed} ${one(next, ["ge", "lt"])} ${these})`, names],
    () => [`groupby((${key}),filter(${these} ${one(next, ["gt", "lt"])} ${String(1 + next(3))}))`, names],
    () => [`groupby((${key}),${aggregate})`, grouped],
    () => [`groupby((${key}),filter(${number} gt 0)/${aggregate})`, grouped],
    () => [`groupby((${key}),topcount(1,${summed}))`, names],
    () => [`topsum(${String(1 + next(9))},${summed})`, names],
    () => [`orderby(${number} desc,${key})/top(${String(1 + next(4))})`, names],
    () => [`compute(${summed} sub ${these} as ${alias})`, { ...names, numbers: [...numeric, alias] }],
    () => {
      const [first] = pipeline(next, names, 1, level + 1);
      return [`concat(${first},identity)/aggregate($count as ${alias})`, { ...grouped, keys: [alias] }];
    },
    () => {
      const branch = `groupby((${key}),aggregate(${summed} with max as ${alias}))`;
      return [`concat(${branch},filter(${number} ne null)/${branch})/filter(${alias} ne 1)`, grouped];
    },
  ];
  for (const [path, below, sums] of joins) {
    const behind = (list: readonly string[]): readonly string[] => list.map((name) => `${alias}/${name}`);
    const inner = one(next, ["", `,filter(${one(next, sums)} gt 0)`, `,orderby(${one(next, sums)} desc)/top(1)`]);
    steps.push(() => [
      `${one(next, ["join", "outerjoin"])}(${path} as ${alias}${inner})`,
      {
        keys: [...keys, ...behind(below)],
        numbers: [...numeric, ...behind(sums)],
        collections,
        joins: joins.filter(([each]) => each !== path),
      },
    ]);
  }
  return one(next, steps)();
}

function pipeline(next: Next, start: Names, steps: number, level: number): readonly [text: string, names: Names] {
  let names = start;
  const texts: string[] = [];
  for (let index = 0; index < steps; index += 1) {
    const [text, after] = stepOf(next, names, level);
    texts.push(text);
    names = after;
  }
  return [texts.join("/"), names];
}

const opened = await Promise.all(
  FORMS.map(async (form) => ({ form, ...(await openSales(form, { defaults: { maxApplySteps: 60 } })) })),
);
afterAll(async () => {
  await Promise.all(opened.map(({ close }) => close()));
});

test.each(Array.from({ length: caseCount(400) }, (_none, seed) => seed + 1))(
  "all forms return the same rows for pipeline %i",
  async (seed) => {
    const next = numbers(seed * 7919);
    const path = one(next, ["Sales", "Items"]);
    const names = START[path];
    if (names === undefined) throw new Error("There are no names.");
    const [steps] = pipeline(next, names, 1 + next(4), 0);
    const texts = await Promise.all(
      opened.map(async ({ service }) => {
        const { status, text } = await door.to(service)(url(`/s/${path}`, { $apply: steps, $count: "true" }));
        return `${path}?$apply=${steps} ${String(status)} ${text}`;
      }),
    );
    const [first = ""] = texts;
    expect(first).toMatch(/ (?:200|501) \{/u);
    expect(texts).toEqual(texts.map(() => first));
  },
);
