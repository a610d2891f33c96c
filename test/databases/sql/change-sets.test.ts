import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { MULTIPART, multipart, received, type ReceivedPart, type SentPart } from "../../service/http/batch-model.ts";
import type { Service } from "../../service/http/doors.ts";
import { countRows, createOrderTables, emptyTables, orderService, ORIGIN, passingHooks } from "./writes-model.ts";

const TABLES = ["customers", "orders", "order_lines", "tags", "order_tags"];

/** A graph of related entities, each with an operation. */
const GRAPH: readonly SentPart[] = [
  { request: "POST Customers", id: "c", body: { Id: 1, Name: "Ann" } },
  { request: "POST Orders", id: "o", body: { Number: "A1" } },
  { request: "PUT $o/Customer/$ref", body: { "@odata.id": "$c" } },
  { request: "POST $o/Lines", id: "l", body: { Position: 1, Text: "one" } },
  { request: "PATCH $l", body: { Text: "One" } },
  { request: "POST Tags", id: "t", body: { Name: "red" } },
  { request: "POST $o/Tags/$ref", body: { "@odata.id": "$t" } },
];

const VARIANTS = ENGINES.flatMap((engine) => [
  { title: engine.title, engine, isHooked: false },
  { title: `${engine.title}, with hooks`, engine, isHooked: true },
]);

describe.each(VARIANTS)("change sets over tables of $title", ({ engine, isHooked }) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let service: Service;
  let committed = 0;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await createOrderTables(db, engine);
    const hooks = isHooked ? passingHooks(() => void (committed += 1)) : {};
    service = orderService(db, { errors: [] }, hooks);
  });
  beforeEach(async () => {
    await emptyTables(db);
    // The test before may have left work for after its last commit.
    await service.drain();
    committed = 0;
  });
  afterAll(async () => {
    await opened.close();
  });

  async function send(operations: readonly SentPart[]): Promise<ReceivedPart | ReceivedPart[] | undefined> {
    const request = { method: "POST", headers: MULTIPART, body: multipart([operations]) };
    const response = await service.fetch(new Request(`${ORIGIN}/$batch`, request));
    return received(response.headers.get("content-type") ?? undefined, await response.text())[0];
  }

  async function counts(): Promise<readonly number[]> {
    const found: number[] = [];
    for (const table of TABLES) found.push(await countRows(db, table));
    return found;
  }

  test("write and link a graph, whose later operations see the earlier ones", async () => {
    const responses = await send(GRAPH);
    expect(Array.isArray(responses) && responses.map(({ status }) => status), JSON.stringify(responses)).toEqual([
      201, 201, 204, 201, 200, 201, 204,
    ]);
    expect(await counts()).toEqual([1, 1, 1, 1, 1]);
    await service.drain();
    // A link in a table of links changes no row.
    expect(committed).toBe(isHooked ? GRAPH.length - 1 : 0);
    const read = await service.fetch(new Request(`${ORIGIN}/Orders?$expand=Customer,Lines,Tags`));
    expect(await read.json()).toMatchObject({
      value: [{ Customer: { Name: "Ann" }, Lines: [{ Text: "One" }], Tags: [{ Name: "red" }] }],
    });
  });

  test.each<readonly [string, SentPart, number]>([
    ["a duplicate", { request: "POST Customers", body: { Id: 1, Name: "Bob" } }, 409],
    ["a foreign key", { request: "POST Orders", body: { Number: "A2", CustomerId: 77 } }, 409],
    ["a check constraint", { request: "POST $o/Lines", body: { Position: 2, Text: "x", Quantity: 0 } }, 400],
    ["a missing entity", { request: "PATCH Customers(5)", body: { Name: "x" } }, 404],
    ["a precondition", { request: "DELETE $c", headers: { "If-Match": '"x"' } }, 412],
    ["an invalid value", { request: "PATCH $c", body: { Name: 1 } }, 400],
  ])("are undone whole after %s", async (_title, last, status) => {
    const response = await send([...GRAPH, last]);
    expect(response).toMatchObject({ status });
    expect(await counts()).toEqual([0, 0, 0, 0, 0]);
    await service.drain();
    expect(committed).toBe(0);
    expect(Array.isArray(await send(GRAPH))).toBe(true);
  });

  test("run one after another or at once with the same result", async () => {
    const numbers = Array.from({ length: 12 }, (_none, index) => index + 1);
    const responses = await Promise.all(
      numbers.map((id) =>
        send([
          { request: "POST Customers", id: "c", body: { Id: id, Name: `C${String(id)}` } },
          { request: "POST Orders", body: { Number: `N${String(id)}`, CustomerId: id % 3 === 0 ? 99 : id } },
        ]),
      ),
    );
    expect(responses.map((each) => (Array.isArray(each) ? 201 : each?.status))).toEqual(
      numbers.map((id) => (id % 3 === 0 ? 409 : 201)),
    );
    expect(await counts()).toEqual([8, 8, 0, 0, 0]);
    const { rows } = await sql`select id from orders where customer_id is null`.execute(db);
    expect(rows).toEqual([]);
  });
});
