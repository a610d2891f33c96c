import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzCount, PROPERTY_SETTINGS } from "../../cases.ts";
import { ENGINES } from "./engines.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";
import { isUnsupported, mayDiffer } from "./unsupported.ts";

type Service = ThingServices["memory"];

const ORIGIN = "http://service.example";
const RUNS = fuzzCount(60);
const ROWS = 40;
const SECRET = "of forty groups none is lost, and none comes twice";
const { seed } = PROPERTY_SETTINGS;

/** Values of every type by which rows are grouped: null, equal in several forms, not in the order of their cells. */
const KEYS: readonly string[] = (
  "id name code small count big ratio limit price cost rate flag active uuid token bytes day time at second local epoch span level " +
  "rank color home/city note/text C"
).split(" ");
const COMPUTED: readonly string[] = [
  "length(name)",
  "year(at)",
  "price mul 2",
  "tolower(name)",
  "count gt 3",
  "-ratio",
  "level",
];
const AFTER: readonly string[] = ["", "/filter(N gt 1)", "/filter(S ne null)/filter(N lt 9)"];

const walk = fc.record({
  keys: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 }),
  computed: fc.constantFrom(...COMPUTED),
  after: fc.constantFrom("", "", ...AFTER),
  order: fc.array(
    fc.record({ at: fc.nat(3), direction: fc.constantFrom("", " desc"), shape: fc.constantFrom("", "", "N") }),
    {
      maxLength: 3,
    },
  ),
  size: fc.integer({ min: 1, max: 9 }),
  skip: fc.constantFrom(0, 0, 0, 3),
  count: fc.boolean(),
});

/** The path and options of a read of groups. */
function targetOf({ keys, computed, after, order }: typeof walk extends fc.Arbitrary<infer T> ? T : never): string {
  const terms = order.map(({ at, direction, shape }) => (shape || (keys[at % keys.length] ?? "")) + direction);
  const distinct = [...new Map(terms.map((term) => [term.split(" ")[0], term])).values()];
  const apply = `compute(${computed} as C)/groupby((${keys.join(",")}),aggregate($count as N,count with sum as S))${after}`;
  const orderBy = distinct.length === 0 ? "" : `&$orderby=${encodeURIComponent(distinct.join(","))}`;
  return `${ORIGIN}/Things?$apply=${encodeURIComponent(apply)}${orderBy}`;
}

async function read(service: Service, target: string, size?: number): Promise<readonly [status: number, text: string]> {
  const headers = size === undefined ? {} : { Prefer: `maxpagesize=${String(size)}` };
  const response = await service.fetch(new Request(target, { headers }));
  return [response.status, await response.text()];
}

interface Body {
  readonly value: readonly unknown[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
}

async function pagesOf(service: Service, target: string, size: number, total: number | undefined): Promise<unknown[]> {
  const rows: unknown[] = [];
  let next: string | undefined = target;
  for (let page = 0; next !== undefined; page += 1) {
    expect(page, decodeURIComponent(target)).toBeLessThan(ROWS + 2);
    const [status, text] = await read(service, next, size);
    expect([status, status === 200 ? "" : text], decodeURIComponent(next)).toEqual([200, ""]);
    const body = JSON.parse(text) as Body;
    expect(body["@odata.count"], decodeURIComponent(next)).toBe(total);
    rows.push(...body.value);
    next = body["@odata.nextLink"];
    if (next !== undefined) expect(body.value).toHaveLength(size);
  }
  return rows;
}

const cases = ENGINES.flatMap((engine) => (["keyset", "offset"] as const).map((paging) => ({ engine, paging })));

test.each(cases)(
  "the pages of groups are the groups, in their order, each once: $engine.title, by $paging",
  { timeout: 300_000 },
  async ({ engine, paging }) => {
    const settings = { defaults: { paging, applyEnabled: true, computeEnabled: true }, secret: SECRET } as const;
    const { memory, database, close } = await thingServices(engine, thingRows(ROWS, 5), settings);
    let answered = 0;
    const property = fc.asyncProperty(walk, async (given) => {
      const { size, skip, count } = given;
      const target = targetOf(given);
      const [status, whole] = await read(database, target);
      if (isUnsupported(engine.name, `${String(status)} ${whole}`)) return;
      expect([status, whole.slice(0, 300)], decodeURIComponent(target)).toEqual([200, expect.any(String)]);
      const { value } = JSON.parse(whole) as Body;
      if (!mayDiffer(engine.name, decodeURIComponent(target))) {
        expect(JSON.parse((await read(memory, target))[1]), decodeURIComponent(target)).toEqual(JSON.parse(whole));
      }
      answered += 1;
      const options = `${skip > 0 ? `&$skip=${String(skip)}` : ""}${count ? "&$count=true" : ""}`;
      const pages = await pagesOf(database, target + options, size, count ? value.length : undefined);
      expect(pages, decodeURIComponent(target + options)).toEqual(value.slice(skip));
    });
    await fc.assert(property, { numRuns: RUNS, ...(seed === undefined ? {} : { seed }) });
    expect(answered / RUNS).toBeGreaterThan(0.7);
    await close();
  },
);
