import { sql } from "kysely";
import { edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Patience } from "../../../src/databases/connection/patient-reader.ts";
import { inReadTime } from "../../../src/databases/read/read-time.ts";
import { ReadTime } from "../../../src/language/query/reading.ts";
import { ENGINES, isSpread } from "../../engine/executors/engines.ts";

const logger = { error: () => undefined, warn: () => undefined, info: () => undefined };

const tooLong = (time: string): object => ({
  code: "QueryTimeout",
  message: `The query takes the database more than ${time}. Filter by a property with an index, request fewer rows with $top, or leave out counts, searches and orders along navigations.`,
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the time of a request in reads", () => {
  const clock = (): { readonly caller: { readonly readTime: ReadTime }; pass: (milliseconds: number) => void } => {
    vi.useFakeTimers({ toFake: ["performance"] });
    return { caller: { readTime: new ReadTime(1000) }, pass: (milliseconds) => vi.advanceTimersByTime(milliseconds) };
  };

  test("later reads get what is left, and none when nothing is", () => {
    const { caller, pass } = clock();
    const given: unknown[] = [];
    const read = (milliseconds: number) => (rest: Patience) => {
      given.push(rest.timeout);
      pass(milliseconds);
    };
    for (const milliseconds of [300, 600, 100]) inReadTime({ timeout: 1000, caller }, read(milliseconds));
    expect(given).toEqual([1000, 700, 100]);
    expect(() => inReadTime({ timeout: 1000, caller }, read(1))).toThrow("The query takes the database more than 1 s");
    inReadTime({ timeout: null, caller }, read(1));
    inReadTime({ timeout: 1000 }, read(1));
    expect(given).toEqual([1000, 700, 100, null, 1000]);
  });

  test("reads at the same time count once, and the time between reads does not count", async () => {
    const { caller, pass } = clock();
    let end = (): void => undefined;
    const promise = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = inReadTime({ timeout: 1000, caller }, () => promise);
    const second = inReadTime({ timeout: 1000, caller }, () => promise);
    pass(400);
    end();
    await first;
    await second;
    pass(5000);
    expect(inReadTime({ timeout: 1000, caller }, ({ timeout }) => timeout)).toBe(600);
  });

  test("a failed read counts, and a later one that takes too long names the whole limit", () => {
    const { caller, pass } = clock();
    const failing = (): never => {
      pass(250);
      throw new Error("lost");
    };
    expect(() => inReadTime({ timeout: 1000, caller }, failing)).toThrow("lost");
    const late = ({ timeout }: Patience): unknown => caller.readTime.leftOf((timeout ?? 0) - 750);
    expect(() => inReadTime({ timeout: 1000, caller }, late)).toThrow("The query takes the database more than 1 s");
  });
});

async function get(service: ODataService, target: string): Promise<unknown> {
  const response = await service.fetch(new Request(`http://service.example/${target}`));
  return [response.status, await response.json()];
}

const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
const THRICE = "$apply=concat(aggregate($count as A),aggregate($count as B),aggregate($count as C))";

describe.each(ENGINES.filter(({ name, title }) => name !== "sqlite" && title !== "PGlite" && !isSpread()))(
  "over $title",
  ({ name, open }) => {
    test("statements that are short are too long together, but not in the parts of a batch", async () => {
      const { db, close } = await open();
      await sql`create table items (id integer primary key, name varchar(20) not null)`.execute(db);
      await sql`insert into items values (1, 'first')`.execute(db);
      const sleep = name === "postgres" ? "(select pg_sleep(1.5)) as s" : "(select sleep(1.5)) as s";
      await sql.raw(`create view slow as select i.* from items i, ${sleep}`).execute(db);
      const service = odataService({
        entitySets: [sqlEntitySet(Item, { db, table: "slow", name: "Slow", operations: ["read"], applyEnabled: true })],
        defaults: { queryTimeout: 4000 },
        schemaCheck: false,
        batch: { json: true },
        logger,
      });
      await service.ready();
      expect(await get(service, `Slow?${THRICE}`)).toEqual([503, { error: tooLong("4 s") }]);
      const requests = ["1", "2", "3"].map((id) => ({ id, method: "GET", url: "Slow?$filter=Id eq 1&$select=Id" }));
      const response = await service.fetch(
        new Request("http://service.example/$batch", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ requests }),
        }),
      );
      const { responses } = (await response.json()) as { readonly responses: readonly { readonly status: number }[] };
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      await close();
    });
  },
);

test("the turns of a filter over a list count", async () => {
  const rows = Array.from({ length: 200_000 }, (_, id) => ({ id, name: `name ${String(id)}` }));
  const service = odataService({
    entitySets: [entitySet(Item, { name: "Items", getAll: () => rows })],
    defaults: { queryTimeout: 1 },
    logger,
  });
  const filter = Array.from({ length: 20 }, (_, index) => `contains(toupper(Name),'x${String(index)}')`).join(" or ");
  expect(await get(service, `Items?$filter=${filter}`)).toEqual([503, { error: tooLong("0.001 s") }]);
  expect(await get(service, "Items?$top=1&$select=Id")).toEqual([
    200,
    { "@odata.context": "http://service.example/$metadata#Items(Id)", value: [{ Id: 0 }] },
  ]);
});
