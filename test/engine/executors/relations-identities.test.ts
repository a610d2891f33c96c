import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { ENGINES, type Engine, type Running } from "./relations-engines.ts";
import { GRAPH, type SetGraph } from "./relations-graph.ts";
import { memoryService } from "./relations-memory.ts";
import { condition, expandOf, orderByOf } from "./relations-queries.ts";
import { relationRows } from "./relations-rows.ts";

/**
 * Facts that hold for every condition on related entities: they also reveal a fault that all engines share.
 */

const ARRAYS: Engine = (data, shared) =>
  Promise.resolve({ service: memoryService(data, "batches", shared), end: () => Promise.resolve() });
const data = relationRows(4242);
const RUNS = caseCount(60);

/** A placeholder for the related entity in the conditions: no literal contains it. */
const RELATED = "related";

type Entity = Readonly<Record<string, unknown>>;

interface Page {
  readonly "@odata.nextLink"?: string;
  readonly value: readonly Entity[];
}

const graphs: ReadonlyArray<readonly [set: string, graph: SetGraph]> = Object.entries(GRAPH);
const toMany = graphs.flatMap(([set, graph]) =>
  Object.entries(graph.toMany).map(([name, target]) => ({ set, name, target })),
);
const toOne = graphs.flatMap(([set, graph]) =>
  Object.entries(graph.toOne).map(([name, target]) => ({ set, name, target })),
);

/** A navigation, and a condition on its related entities. */
const conditionAlong = (navigations: typeof toMany): fc.Arbitrary<{ set: string; name: string; on: string }> =>
  fc
    .constantFrom(...navigations)
    .chain(({ set, name, target }) =>
      condition([{ prefix: `${RELATED}/`, set: target }], 1).map((on) => ({ set, name, on })),
    );

const keyOf = (set: string): string => GRAPH[set]?.key.join(",") ?? "";

describe.each([["arrays, with one handler call for many parents", ARRAYS] as const, ...ENGINES])(
  "over %s",
  (_name, start) => {
    let running: Running | undefined;
    beforeAll(async () => {
      running = await start(data, {});
    });
    afterAll(() => running?.end());

    async function send(target: string, pageSize?: number): Promise<Page> {
      const headers: Record<string, string> =
        pageSize === undefined ? {} : { Prefer: `maxpagesize=${String(pageSize)}` };
      if (running === undefined) throw new Error("There is no service.");
      const response = await running.service.fetch(new Request(target, { headers }));
      expect(response.status, `${decodeURIComponent(target)} ${await response.clone().text()}`).toBe(200);
      return (await response.json()) as Page;
    }

    /** The entities of a set by key. */
    async function keysWhere(set: string, filter: string): Promise<readonly string[]> {
      const target = `http://h/${set}?$select=${keyOf(set)}&$filter=${encodeURIComponent(filter)}`;
      return (await send(target)).value.map((entity) => JSON.stringify(entity));
    }

    /** The expanded entities, by the key of the parent. */
    async function expanded(
      set: string,
      name: string,
      options: string,
    ): Promise<ReadonlyArray<readonly [string, unknown]>> {
      const expand = options === "" ? name : `${name}(${options})`;
      const { value } = await send(`http://h/${set}?$select=${keyOf(set)}&$expand=${encodeURIComponent(expand)}`);
      return value.map(({ [name]: related, ...key }) => [JSON.stringify(key), related] as const);
    }

    const size = (related: unknown): number => (Array.isArray(related) ? related.length : -1);

    test("any is whether an expansion with that filter is not empty, all whether it leaves nothing out", async () => {
      const property = fc.asyncProperty(conditionAlong(toMany), async ({ set, name, on }) => {
        const own = on.replaceAll(`${RELATED}/`, "");
        const [some, every, matching, whole] = await Promise.all([
          keysWhere(set, `${name}/any(${RELATED}:${on})`),
          keysWhere(set, `${name}/all(${RELATED}:${on})`),
          expanded(set, name, `$filter=${own}`),
          expanded(set, name, ""),
        ]);
        expect(some, `${set}/${name} ${on}`).toEqual(
          matching.filter(([, related]) => size(related) > 0).map(([key]) => key),
        );
        const complete = matching.filter(([, related], index) => size(related) === size(whole[index]?.[1]));
        expect(every, `${set}/${name} ${on}`).toEqual(complete.map(([key]) => key));
      });
      await fc.assert(property, { numRuns: RUNS, seed: 7 });
    });

    test("a condition along a path is one on the entity that the path leads to", async () => {
      const property = fc.asyncProperty(conditionAlong(toOne), async ({ set, name, on }) => {
        const [found, matching] = await Promise.all([
          keysWhere(set, `${name} ne null and (${on.replaceAll(RELATED, name)})`),
          expanded(set, name, `$filter=${on.replaceAll(`${RELATED}/`, "")}`),
        ]);
        expect(found, `${set}/${name} ${on}`).toEqual(
          matching.filter(([, related]) => related !== null).map(([key]) => key),
        );
      });
      await fc.assert(property, { numRuns: RUNS, seed: 8 });
    });

    test.each(toMany)("$set: $name/$count is how many the expansion brings", async ({ set, name }) => {
      const whole = await expanded(set, name, "");
      for (const count of [0, 1, 2, 3]) {
        const expected = whole.filter(([, related]) => size(related) === count).map(([key]) => key);
        expect(await keysWhere(set, `${name}/$count eq ${String(count)}`)).toEqual(expected);
      }
    });

    test("a condition, its negation and its absence part the set", async () => {
      const queries = fc
        .constantFrom(...Object.keys(GRAPH))
        .chain((set) => condition([{ prefix: "", set }], 2).map((on) => ({ set, on })));
      const property = fc.asyncProperty(queries, async ({ set, on }) => {
        const parts = await Promise.all(
          [`(${on})`, `not (${on})`, `(${on}) eq null`].map((part) => keysWhere(set, part)),
        );
        const every = await keysWhere(set, "true");
        expect(parts.flat().toSorted(), on).toEqual(every.toSorted());
      });
      await fc.assert(property, { numRuns: RUNS, seed: 9 });
    });

    test("pages hold each entity once, in the order of the whole, with what belongs to it", async () => {
      const queries = fc.constantFrom(...Object.keys(GRAPH)).chain((set) =>
        fc.record({
          set: fc.constant(set),
          orderby: orderByOf(set),
          expand: expandOf(set, 0),
          pageSize: fc.integer({ min: 1, max: 4 }),
        }),
      );
      const property = fc.asyncProperty(queries, async ({ set, orderby, expand, pageSize }) => {
        const target = `http://h/${set}?$orderby=${encodeURIComponent(orderby)}&$expand=${encodeURIComponent(expand)}`;
        const whole = (await send(target)).value;
        const paged: Entity[] = [];
        for (let next: string | undefined = target; next !== undefined;) {
          const page: Page = await send(next, pageSize);
          paged.push(...page.value);
          next = page["@odata.nextLink"];
        }
        expect(paged, `${set} ${orderby}`).toEqual(whole);
      });
      await fc.assert(property, { numRuns: RUNS, seed: 10 });
    });
  },
);
