import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { DISTRIBUTED } from "../distributed/distributed-engines.ts";
import {
  countRows,
  createOrderTables,
  emptyTables,
  faultOf,
  ORIGIN,
  orderService,
  sendTo,
  type Send,
} from "./writes-model.ts";

describe.each([...ENGINES, ...DISTRIBUTED])("links between rows of $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let send: Send;
  let order: string;
  let other: string;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    await createOrderTables(db, engine);
    send = sendTo(orderService(db));
  });
  beforeEach(async () => {
    await emptyTables(db);
    await send("POST", "Customers", { Id: 1, Name: "Ann" });
    await send("POST", "Customers", { Id: 2, Name: "Bob" });
    await send("POST", "Tags", { Name: "it's" });
    order = `Orders(${String((await send("POST", "Orders", { Number: "A1" })).json.Id)})`;
    other = `Orders(${String((await send("POST", "Orders", { Number: "A2", Lines: [{ Position: 1, Text: "t" }] })).json.Id)})`;
  });
  afterAll(async () => {
    await opened.close();
  });

  const id = (path: string): object => ({ "@odata.id": path });

  async function related(path: string): Promise<readonly string[]> {
    const { json } = await send("GET", `${path}/$ref`);
    const references = json.value as ReadonlyArray<{ readonly "@odata.id": string }>;
    return references.map((each) => each["@odata.id"].slice(ORIGIN.length + 1));
  }

  test("sets, changes and removes a single-valued link, and counts each write", async () => {
    expect((await send("PUT", `${order}/Customer/$ref`, id("Customers(1)"))).status).toBe(204);
    expect((await send("GET", order)).json).toMatchObject({ CustomerId: 1, Version: 2 });
    expect((await send("PUT", `${order}/Customer/$ref`, id(`${ORIGIN}/Customers(Id=2)`))).status).toBe(204);
    expect((await send("GET", `${order}/Customer`)).json).toMatchObject({ Id: 2 });
    expect((await send("DELETE", `${order}/Customer/$ref`)).status).toBe(204);
    expect((await send("DELETE", `${order}/Customer/$ref`)).status).toBe(204);
    expect((await send("GET", order)).json).toMatchObject({ CustomerId: null, Version: 4 });
  });

  test("writes a single-valued link that the other table stores", async () => {
    await send("POST", "Profiles", { Id: 8, Motto: "a" });
    await send("POST", "Profiles", { Id: 9, Motto: "b" });
    expect((await send("PUT", "Customers(1)/Profile/$ref", id("Profiles(8)"))).status).toBe(204);
    expect((await send("PUT", "Customers(1)/Profile/$ref", id("Profiles(8)"))).status).toBe(204);
    expect((await send("PUT", "Customers(1)/Profile/$ref", id("Profiles(9)"))).status).toBe(204);
    expect((await send("GET", "Customers(1)/Profile")).json).toMatchObject({ Id: 9 });
    expect((await send("DELETE", "Customers(1)/Profile/$ref")).status).toBe(204);
    expect((await send("GET", "Customers(1)/Profile")).status).not.toBe(200);
  });

  test("a reference that begins with ./ or ../ is relative to the URL of the request", async () => {
    expect((await send("POST", "Customers(1)/Orders/$ref", id(`../../${order}`))).status).toBe(204);
    expect(await related("Customers(1)/Orders")).toEqual([order]);
    expect((await send("DELETE", `Customers(1)/Orders/$ref?$id=../../${order}`)).status).toBe(204);
    expect(await related("Customers(1)/Orders")).toEqual([]);
    expect((await send("PUT", `${order}/Customer/$ref`, id("./../../Customers(2)"))).status).toBe(204);
    expect((await send("GET", `${order}/Customer`)).json).toMatchObject({ Id: 2 });
    const inBody = await send("PUT", `${order}/Customer/$ref`, id("../Customers(1)"));
    expect(faultOf(inBody)).toEqual([400, "InvalidBody", "@odata.id"]);
    const inUrl = await send("DELETE", `Customers(2)/Orders/$ref?$id=../${order}`);
    expect(faultOf(inUrl)).toEqual([400, "InvalidQueryOption", "$id"]);
    expect(await related("Customers(2)/Orders")).toEqual([order]);
  });

  test("adds and removes links of a collection along `on`", async () => {
    expect((await send("POST", "Customers(1)/Orders/$ref", id(order))).status).toBe(204);
    expect((await send("POST", "Customers(1)/Orders/$ref", id(`/${other}`))).status).toBe(204);
    expect(await related("Customers(1)/Orders")).toEqual([order, other]);
    expect((await send("DELETE", `Customers(1)/Orders/$ref?$id=${encodeURIComponent(order)}`)).status).toBe(204);
    expect(await related("Customers(1)/Orders")).toEqual([other]);
    expect(faultOf(await send("DELETE", `Customers(1)/Orders/$ref?$id=${order}`))).toEqual([404, "NotFound", "$id"]);
    expect(faultOf(await send("DELETE", `Customers(2)/Orders/$ref?$id=${other}`))).toEqual([404, "NotFound", "$id"]);
  });

  test("adds links through a link table once each, and removes them", async () => {
    const tag = "Tags('it''s')";
    expect((await send("POST", `${order}/Tags/$ref`, id(tag))).status).toBe(204);
    expect((await send("POST", `${order}/Tags/$ref`, id(tag))).status).toBe(204);
    expect(await countRows(db, "order_tags")).toBe(1);
    await send("POST", "Tags", { Name: "b" });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send("POST", `${order}/Tags/$ref`, id("Tags('b')"))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect((await send("DELETE", `${order}/Tags/$ref?$id=Tags('b')`)).status).toBe(204);
    expect(await countRows(db, "order_tags")).toBe(1);
    expect((await send("GET", `${order}/Tags`)).json.value).toMatchObject([{ Name: "it's" }]);
    expect(faultOf(await send("DELETE", `${other}/Tags/$ref?$id=${encodeURIComponent(tag)}`))).toEqual([
      404,
      "NotFound",
      "$id",
    ]);
    expect((await send("DELETE", `${order}/Tags/$ref?$id=${encodeURIComponent(tag)}`)).status).toBe(204);
    expect(await countRows(db, "order_tags")).toBe(0);
    expect(await countRows(db, "tags")).toBe(2);
  });

  test("rejects removing a link whose foreign key is never null", async () => {
    const [line] = await related(`${other}/Lines`);
    expect(faultOf(await send("DELETE", `${other}/Lines/$ref?$id=${line ?? ""}`))).toEqual([
      400,
      "NullNotAllowed",
      "OrderId",
    ]);
    expect((await send("POST", `${order}/Lines/$ref`, id(line ?? ""))).status).toBe(204);
    expect(await related(`${order}/Lines`)).toEqual([line]);
  });

  test.each([
    ["of another set", "Tags('x')"],
    ["of a set", "Customers"],
    ["of a property", "Customers(1)/Name"],
    ["of no key", "Customers(x)"],
    ["of an unknown set", "Nobody(1)"],
    ["elsewhere", "http://elsewhere.example/Customers(1)"],
    ["of another scheme", "https://service.example/Customers(1)"],
    ["without a scheme", "//service.example/Customers(1)"],
    ["with a query", "Customers(1)?$select=Id"],
    ["upwards", "../Customers(1)"],
    ["malformed", "Customers(%zz)"],
    ["of SQL", "Customers(1);drop table customers"],
  ])("a reference %s returns 400", async (_name, path) => {
    expect(faultOf(await send("PUT", `${order}/Customer/$ref`, id(path)))).toEqual([400, "InvalidBody", "@odata.id"]);
    expect((await send("GET", order)).json).toMatchObject({ CustomerId: null, Version: 1 });
  });

  test("returns 404 for a reference to a missing entity, and writes nothing", async () => {
    const absent = [404, "NotFound", "@odata.id"];
    expect(faultOf(await send("PUT", `${order}/Customer/$ref`, id("Customers(99)")))).toEqual(absent);
    expect(faultOf(await send("POST", "Customers(1)/Orders/$ref", id("Orders(424242)")))).toEqual(absent);
    expect(faultOf(await send("POST", `${order}/Tags/$ref`, id("Tags('none')")))).toEqual(absent);
    expect((await send("GET", order)).json).toMatchObject({ CustomerId: null, Version: 1 });
    expect(await countRows(db, "order_tags")).toBe(0);
  });

  test("returns 400 with a target for an invalid $id", async () => {
    expect(faultOf(await send("DELETE", `Customers(1)/Orders/$ref?$id=Tags('x')`))).toEqual([
      400,
      "InvalidQueryOption",
      "$id",
    ]);
  });

  test("requires the parent, whose ETag guards the links", async () => {
    expect(faultOf(await send("PUT", "Orders(424242)/Customer/$ref", id("Customers(1)")))).toEqual([
      404,
      "NotFound",
      undefined,
    ]);
    expect(faultOf(await send("POST", "Customers(99)/Orders/$ref", id(order)))).toEqual([404, "NotFound", undefined]);
    const etag = (await send("GET", order)).headers.get("etag") ?? "";
    expect((await send("PUT", `${order}/Customer/$ref`, id("Customers(1)"), { "If-Match": etag })).status).toBe(204);
    const late = await send("PUT", `${order}/Customer/$ref`, id("Customers(2)"), { "If-Match": etag });
    expect(faultOf(late)).toEqual([412, "PreconditionFailed", undefined]);
    expect((await send("GET", order)).json).toMatchObject({ CustomerId: 1, Version: 2 });
  });

  test("lets exactly one of two writers with the same ETag succeed", async () => {
    for (let round = 0; round < 50; round += 1) {
      const headers = { "If-Match": (await send("GET", order)).headers.get("etag") ?? "" };
      const answers = await Promise.all(
        [1, 2].map((customer) => send("PUT", `${order}/Customer/$ref`, id(`Customers(${String(customer)})`), headers)),
      );
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([204, 412]);
    }
  });

  test("creates related entities along `on` if the parent exists", async () => {
    const { status, json, headers } = await send("POST", `${order}/Lines`, { Position: 1, Text: "new" });
    expect(status).toBe(201);
    expect(json).toMatchObject({ Position: 1, Text: "new", Quantity: 1 });
    expect(`Orders(${String(json.OrderId)})`).toBe(order);
    expect(headers.get("location")).toBe(`${ORIGIN}/Lines(${String(json.Id)})`);
    expect((await send("GET", `Lines(${String(json.Id)})`)).json).toMatchObject({ Text: "new" });
    expect(faultOf(await send("POST", "Orders(424242)/Lines", { Position: 1, Text: "new" }))[0]).toBe(404);
    expect(faultOf(await send("POST", `${order}/Lines`, { Position: 1, Text: "again" })).slice(0, 2)).toEqual([
      409,
      "Conflict",
    ]);
    const stale = await send("POST", `${order}/Lines`, { Position: 2, Text: "new" }, { "If-Match": '"gone"' });
    expect(faultOf(stale)).toEqual([412, "PreconditionFailed", undefined]);
    expect(await related(`${order}/Lines`)).toHaveLength(1);
  });
});
