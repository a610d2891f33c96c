import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { ENGINES } from "./engines.ts";
import { condition } from "./thing-queries.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";
import { isUnsupported } from "./unsupported.ts";

/**
 * Laws that apply to every condition, whatever it means, so that they also find faults that all executors share.
 * @see M. Rigger, Z. Su: Finding Bugs in Database Systems via Query Partitioning
 */

const ROWS = 30;
const over = await Promise.all(
  ENGINES.map(async (engine) => ({ engine, ...(await thingServices(engine, thingRows(ROWS, 77))) })),
);
const everyId = Array.from({ length: ROWS }, (_none, index) => index + 1);

interface Answer {
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
  readonly value: ReadonlyArray<{ readonly id: number }>;
}

type Options = Readonly<Record<string, string | number | boolean>>;

async function send(service: ThingServices["memory"], target: string, prefer?: string): Promise<Answer> {
  const headers: Record<string, string> = prefer === undefined ? {} : { Prefer: prefer };
  const response = await service.fetch(new Request(target, { headers }));
  expect(response.status, `${decodeURIComponent(target)} ${await response.clone().text()}`).toBe(200);
  return (await response.json()) as Answer;
}

function targetOf(options: Options, path = ""): string {
  const pairs = Object.entries(options).map(([name, value]) => `$${name}=${encodeURIComponent(value)}`);
  return `http://service.example/Things${path}?${pairs.join("&")}`;
}

async function idsWhere(service: ThingServices["memory"], filter: string): Promise<readonly number[]> {
  const { value } = await send(service, targetOf({ filter, select: "id" }));
  return value.map(({ id }) => id);
}

/** Conditions that the binder accepts: a few of the generated ones have a literal out of range. */
const valid = condition(2).filter((text) => !/\d{16}/.test(text) && !/(home|geo|note) gt null/.test(text));

const services = over.map(({ engine, database }) => [engine.title, engine.name, database] as const);
const arrays = over.slice(0, 1).map(({ memory }) => ["arrays", "sqlite", memory] as const);
afterAll(() => Promise.all(over.map(({ close }) => close())));

describe.each([...arrays, ...services])("over %s", (_title, name, service) => {
  /** Leaves out the conditions that the database does not support. */
  const unlessRefused = async (filter: string): Promise<void> => {
    const response = await service.fetch(new Request(targetOf({ filter, top: 0, count: true })));
    fc.pre(!isUnsupported(name, `${String(response.status)} ${await response.text()}`));
  };

  test("a condition, its negation and its absence divide the set", async () => {
    const property = fc.asyncProperty(valid, async (text) => {
      await unlessRefused(text);
      const parts = [`(${text})`, `not (${text})`, `(${text}) eq null`];
      const found = await Promise.all(parts.map((part) => idsWhere(service, part)));
      expect(
        found.flat().toSorted((left, right) => left - right),
        text,
      ).toEqual(everyId);
    });
    await fc.assert(property, { numRuns: caseCount(150) });
  });

  test("every kind of request for the total returns the number of rows", async () => {
    const property = fc.asyncProperty(valid, async (filter) => {
      await unlessRefused(filter);
      const ids = await idsWhere(service, filter);
      expect(await send(service, targetOf({ filter }, "/$count"))).toBe(ids.length);
      const pages = [{ top: 0 }, { top: 3 }, { skip: 2, top: 1 }, { skip: ROWS }];
      for (const page of pages) {
        expect((await send(service, targetOf({ filter, count: true, ...page })))["@odata.count"], filter).toBe(
          ids.length,
        );
      }
    });
    await fc.assert(property, { numRuns: caseCount(60) });
  });

  test("pages contain each row once, in the order of the whole", async () => {
    const orders = fc.constantFrom(
      "name",
      "level desc",
      "price,day desc",
      "flag",
      "at desc",
      "home/city,count",
      "limit",
    );
    const property = fc.asyncProperty(orders, fc.integer({ min: 1, max: 9 }), async (orderby, size) => {
      const options = { orderby, select: "id" };
      const whole = (await send(service, targetOf(options))).value;
      const paged: Array<{ readonly id: number }> = [];
      let next: string | undefined = targetOf(options);
      while (next !== undefined) {
        const page: Answer = await send(service, next, `maxpagesize=${String(size)}`);
        paged.push(...page.value);
        next = page["@odata.nextLink"];
      }
      expect(paged).toEqual(whole);
      expect(new Set(paged.map(({ id }) => id)).size).toBe(ROWS);
    });
    await fc.assert(property, { numRuns: caseCount(30) });
  });
});
