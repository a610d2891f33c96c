import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { DISTRIBUTED } from "../distributed/distributed-engines.ts";
import { countRows, createOrderTables, emptyTables, faultOf, orderService, sendTo, type Send } from "./writes-model.ts";

const TABLES = ["customers", "profiles", "orders", "order_lines", "tags", "order_tags"];

const GRAPH = {
  Number: "A1",
  Customer: { Id: 1, Name: "Ann", Profile: { Id: 9, Motto: "on" } },
  Lines: [
    { Position: 1, Text: "one" },
    { Position: 2, Text: "two", Quantity: 5 },
  ],
  Tags: [{ Name: "red" }, { Name: "new" }],
};

describe.each([...ENGINES, ...DISTRIBUTED])("deep insert into tables of $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let send: Send;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await createOrderTables(db, engine);
    send = sendTo(orderService(db));
  });
  beforeEach(async () => {
    await emptyTables(db);
  });
  afterAll(async () => {
    await opened.close();
  });

  async function counts(): Promise<readonly number[]> {
    const found: number[] = [];
    for (const table of TABLES) found.push(await countRows(db, table));
    return found;
  }

  test("passes keys in both directions and through links, and returns the graph", async () => {
    const { status, json, text } = await send("POST", "Orders", GRAPH);
    expect(status, text).toBe(201);
    expect(json).toMatchObject({
      CustomerId: 1,
      Version: 1,
      Customer: { Id: 1, Name: "Ann", Profile: { Id: 9, Motto: "on" } },
      Lines: [
        { OrderId: json.Id, Position: 1, Text: "one", Quantity: 1 },
        { OrderId: json.Id, Position: 2, Text: "two", Quantity: 5 },
      ],
      Tags: [{ Name: "red" }, { Name: "new" }],
    });
    expect(text).not.toContain("customerId");
    expect(await counts()).toEqual([1, 1, 1, 2, 2, 2]);
    const path = `Orders(${String(json.Id)})?$expand=Customer($expand=Profile),Lines($orderby=Position),Tags($orderby=Name desc)`;
    const read = (await send("GET", path)).json;
    expect(read.Lines).toEqual(json.Lines);
    expect(read.Customer).toMatchObject({ Id: 1, Profile: { Id: 9, Motto: "on" } });
    expect(read.Tags).toMatchObject([{ Name: "red" }, { Name: "new" }]);
    expect((await send("POST", "Orders", { Number: "A2", Lines: [], Tags: [] })).json).toMatchObject({
      Lines: [],
      Tags: [],
    });
  });

  test("works from the other side: orders within a customer, lines within orders", async () => {
    const { status, json, text } = await send("POST", "Customers", {
      Id: 3,
      Name: "Cid",
      Orders: [{ Number: "B1", Lines: [{ Position: 1, Text: "x" }] }, { Number: "B2" }],
    });
    expect(status, text).toBe(201);
    expect(json.Orders).toMatchObject([{ CustomerId: 3, Lines: [{ OrderId: json.Orders[0].Id }] }, { CustomerId: 3 }]);
    expect(await counts()).toEqual([1, 0, 2, 1, 0, 0]);
  });

  test.each<readonly [string, object, readonly unknown[]]>([
    ["the customer", { Customer: { Id: 7, Name: "Taken" } }, [409, "Conflict"]],
    [
      "the profile of the customer",
      { Customer: { Id: 1, Name: "Ann", Profile: { Id: 8, Motto: "x" } } },
      [409, "Conflict"],
    ],
    ["the order itself", { Number: "T7" }, [409, "Conflict"]],
    ["the last line", { Lines: [...GRAPH.Lines, { Position: 2, Text: "again" }] }, [409, "Conflict"]],
    [
      "a rule for a line",
      { Lines: [...GRAPH.Lines, { Position: 3, Text: "none", Quantity: 0 }] },
      [400, "InvalidBody"],
    ],
    ["a tag", { Tags: [...GRAPH.Tags, { Name: "taken" }] }, [409, "Conflict"]],
  ])("a failure of %s leaves nothing", async (_name, change, fault) => {
    await send("POST", "Customers", {
      Id: 7,
      Name: "Taken",
      Profile: { Id: 8, Motto: "m" },
      Orders: [{ Number: "T7" }],
    });
    await send("POST", "Tags", { Name: "taken" });
    const before = await counts();
    const answer = await send("POST", "Orders", { ...GRAPH, ...change });
    expect(faultOf(answer).slice(0, 2)).toEqual(fault);
    expect(await counts()).toEqual(before);
  });

  test("the target of a conflict is the path to it", async () => {
    await send("POST", "Orders", GRAPH);
    const answer = await send("POST", "Customers", { Id: 2, Name: "B", Orders: [{ Number: "A2" }, { Number: "A1" }] });
    expect(faultOf(answer)).toEqual([409, "Conflict", "Orders/1/Number"]);
  });

  test("rejects entities that their set may not create, and stores the whole graph with return=minimal", async () => {
    const minimal = await send("POST", "Orders", GRAPH, { Prefer: "return=minimal" });
    expect(minimal.status).toBe(204);
    expect(await counts()).toEqual([1, 1, 1, 2, 2, 2]);
    const { rows } = await sql<{
      n: unknown;
    }>`select count(*) as n from order_lines l join orders o on o.id = l.order_id`.execute(db);
    expect(Number(rows[0]?.n)).toBe(2);
  });

  test("concurrent inserts of graphs do not disturb each other", async () => {
    const graphs = Array.from({ length: 20 }, (_none, index) => ({
      Number: `C${String(index)}`,
      Lines: [
        { Position: 1, Text: `${String(index)}/1` },
        { Position: 2, Text: `${String(index)}/2` },
      ],
    }));
    const answers = await Promise.all(graphs.map((graph) => send("POST", "Orders", graph)));
    expect(answers.map(({ status }) => status)).toEqual(graphs.map(() => 201));
    for (const { json } of answers) {
      const index = String(json.Number).slice(1);
      expect(json.Lines).toMatchObject([
        { OrderId: json.Id, Text: `${index}/1` },
        { OrderId: json.Id, Text: `${index}/2` },
      ]);
    }
    expect(await counts()).toEqual([0, 0, 20, 40, 0, 0]);
  });
});
