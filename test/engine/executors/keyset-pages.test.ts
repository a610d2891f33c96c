import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzCount } from "../../cases.ts";
import { ENGINES } from "./engines.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";

type Service = ThingServices["memory"];

const ORIGIN = "http://service.example";
const RUNS = fuzzCount(150);
const ROWS = 40;
const SECRET = "of forty rows none is lost, and none comes twice";

/** Values of every type that can be ordered, nullable and not, and values computed from them. */
const PATHS =
  "id name code small count big ratio limit price cost rate flag active uuid token bytes day time at second local epoch span level " +
  "rank color home/city home/number home/geo/latitude home/geo/name note/text note/count note/price note/at note/done";
const TERMS: readonly string[] = [
  ...PATHS.split(" "),
  "length(name)",
  "tolower(name)",
  "concat(name,code)",
  "price mul 2",
  "price add cost",
  "ratio add limit",
  "limit sub 0.1",
  "-count",
  "year(at)",
  "count gt 3",
  "flag eq true",
  "not (name eq null)",
  "level eq Test.Level'Low'",
  "color has Test.Color'Red'",
  "count in (1,2,77)",
  "count gt 3 and flag",
  "'x'",
];
/** Orders whose pages use offsets. */
const OTHER_TERMS: readonly string[] = ["tags/$count", "tags/any(t:t eq 'a')", "amounts/$count"];

const FILTERS: readonly (string | undefined)[] = [
  undefined,
  "count gt 0",
  "name ne null or flag",
  "contains(code,'a')",
  "tags/any(t:t ne null)",
];

const terms = fc.uniqueArray(
  fc.record({
    term: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...TERMS) },
      { weight: 1, arbitrary: fc.constantFrom(...OTHER_TERMS) },
    ),
    direction: fc.constantFrom("", " asc", " desc"),
  }),
  { minLength: 0, maxLength: 4, selector: ({ term }) => term },
);

const walk = fc.record({
  terms,
  filter: fc.constantFrom(...FILTERS),
  size: fc.integer({ min: 1, max: 9 }),
  skip: fc.constantFrom(0, 0, 0, 3),
  count: fc.boolean(),
});

async function read(service: Service, target: string, size?: number): Promise<Readonly<Record<string, unknown>>> {
  const headers = size === undefined ? {} : { Prefer: `maxpagesize=${String(size)}` };
  const response = await service.fetch(new Request(target, { headers }));
  const text = await response.text();
  expect(response.status, `${decodeURIComponent(target)} ${text}`).toBe(200);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Returns the ids of all pages from a target on, by following the links. */
async function idsOfPages(
  service: Service,
  target: string,
  size: number,
  total: number | undefined,
): Promise<number[]> {
  const ids: number[] = [];
  let next: string | undefined = target;
  for (let page = 0; next !== undefined; page += 1) {
    expect(page, decodeURIComponent(target)).toBeLessThan(ROWS + 2);
    const body = await read(service, next, size);
    const value = body["value"] as readonly { readonly id: number }[];
    ids.push(...value.map(({ id }) => id));
    expect(body["@odata.count"], decodeURIComponent(next)).toBe(total);
    next = body["@odata.nextLink"] as string | undefined;
    if (next !== undefined) {
      expect(value).toHaveLength(size);
      expect(next).toContain("$skiptoken=");
      expect(next).not.toContain("$skip=");
    }
  }
  return ids;
}

test.each(ENGINES)(
  "the pages of a set with keyset paging are the set, in its order, each row once: $title",
  async (engine) => {
    const rows = thingRows(ROWS, 3);
    const { memory, database, close } = await thingServices(engine, rows, {
      defaults: { paging: "keyset" },
      secret: SECRET,
    });
    const property = fc.asyncProperty(walk, async ({ terms: items, filter, size, skip, count }) => {
      const orderBy = items.map(({ term, direction }) => term + direction).join(",");
      const options = [
        ...(orderBy === "" ? [] : [`$orderby=${encodeURIComponent(orderBy)}`]),
        ...(filter === undefined ? [] : [`$filter=${encodeURIComponent(filter)}`]),
        "$select=id",
      ];
      const target = `${ORIGIN}/Things?${options.join("&")}`;
      const all = await read(memory, target);
      const expected = (all["value"] as readonly { readonly id: number }[]).map(({ id }) => id);
      const paged = [target, ...(skip > 0 ? [`$skip=${String(skip)}`] : []), ...(count ? ["$count=true"] : [])].join(
        "&",
      );
      for (const service of [memory, database]) {
        const total = count ? expected.length : undefined;
        expect(await idsOfPages(service, paged, size, total), decodeURIComponent(paged)).toEqual(expected.slice(skip));
      }
    });
    await fc.assert(property, { numRuns: RUNS });
    await close();
  },
);
