import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, type HeaderTable, nodeDoor, type Send } from "../http/doors.ts";
import { PLACES, type Running } from "./step-model.ts";

const ROOT = "http://service.example/odata";
const ANN: HeaderTable = { authorization: "1" };
const BEN: HeaderTable = { authorization: "2" };
const JSON_BODY: HeaderTable = { "content-type": "application/json" };

const NOT_FOUND = [404, "NotFound"];

function codeOf({ status, json }: Answer): readonly unknown[] {
  return [status, json?.error?.code];
}

const context = (fragment: string) => ({ "@odata.context": `${ROOT}/$metadata#${fragment}` });
const idOf = (path: string) => ({ "@odata.id": `${ROOT}/${path}` });

describe.each(PLACES)("paths along navigations in $title", ({ start }) => {
  let running: Running;
  let send: Send;
  beforeEach(async () => {
    running = await start();
    send = nodeDoor.to(running.service);
  });
  afterEach(() => running.close());
  const get = (path: string, headers: HeaderTable = ANN): Promise<Answer> => send(`/odata/${path}`, headers);
  const sends = (method: string, path: string, body?: object, headers: HeaderTable = ANN): Promise<Answer> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return send(`/odata/${path}`, { ...headers, ...(text === undefined ? {} : JSON_BODY) }, method, text);
  };

  test("a property behind a single-valued navigation is that of the entity", async () => {
    const name = await get("Orders(10)/Customer/Name");
    expect([name.status, name.json]).toEqual([200, { ...context("Customers(1)/Name"), value: "Ann" }]);
    expect(name.headers["cache-control"]).toBe("no-store");
    expect((await get("Orders(10)/Customer/Name/$value")).text).toBe("Ann");
    expect((await get("Orders(10)/Customer/Nick")).status).toBe(204);
    expect((await get("Orders(10)/Customer/Home")).json).toEqual({ ...context("Customers(1)/Home"), City: "Rome" });
    expect((await get("Orders(10)/Customer/Home/City/$value")).text).toBe("Rome");
    expect((await send("/odata/Orders(10)/Customer/Name", ANN, "HEAD")).status).toBe(200);
  });

  test("so are its navigations, with their options", async () => {
    const orders = await get("Orders(10)/Customer/Orders?$select=Title&$orderby=Title&$count=true");
    expect(orders.json).toMatchObject({
      ...context("Orders(Title)"),
      "@odata.count": 2,
      value: [{ Title: "milk" }, { Title: "tea" }],
    });
    expect((await get("Orders(10)/Customer/Orders/$count?$filter=Title%20eq%20'tea'")).text).toBe("1");
    expect((await get("Orders(10)/Customer/Orders/$ref?$top=1")).json.value).toEqual([idOf("Orders(10)")]);
    expect((await get("Orders(10)/Customer/Orders(11)")).json).toMatchObject({ ...context("Orders/$entity"), Id: 11 });
    expect(codeOf(await get("Orders(10)/Customer/Orders(12)"))).toEqual(NOT_FOUND);
    expect((await get("Orders(10)/Customer/Orders?$apply=aggregate($count%20as%20N)")).json.value).toMatchObject([
      { N: 2 },
    ]);
    const page = await get("Orders(10)/Customer/Orders", { ...ANN, prefer: "odata.maxpagesize=1" });
    const next: string = page.json["@odata.nextLink"];
    expect(next).toContain(`${ROOT}/Orders(10)/Customer/Orders?`);
    expect((await get(next.slice(`${ROOT}/`.length))).json.value).toMatchObject([{ Id: 11 }]);
  });

  test("an entity of a collection is addressed by its key, whose implied values may be absent", async () => {
    const line = await get("Orders(10)/Lines(OrderId=10,Number=2)");
    expect(line.json).toMatchObject({ ...context("Lines/$entity"), OrderId: 10, Number: 2, Qty: 6 });
    for (const key of ["2", "Number=2", "Number=2,OrderId=10", "@n"]) {
      expect((await get(`Orders(10)/Lines(${key})${key === "@n" ? "?@n=2" : ""}`)).json, key).toEqual(line.json);
    }
    expect((await get("Orders(10)/Lines(2)/Qty/$value")).text).toBe("6");
    expect((await get("Orders(10)/Lines(2)/Order/Title/$value")).text).toBe("tea");
    expect((await get("Orders(10)/Lines(2)/$ref")).json).toEqual({
      ...context("$ref"),
      ...idOf("Lines(OrderId=10,Number=2)"),
    });
    for (const key of ["3", "OrderId=11,Number=1", "7"]) {
      expect(codeOf(await get(`Orders(10)/Lines(${key})/Qty`)), key).toEqual(NOT_FOUND);
    }
    expect(codeOf(await get("Orders(10)/Lines('x')/Qty"))).toEqual([400, "InvalidKey"]);
    expect(codeOf(await get("Orders(10)/Lines(1,2)/Qty"))).toEqual([400, "InvalidKey"]);
    expect(codeOf(await get("Lines(2)/Qty"))).toEqual([400, "InvalidKey"]);
  });

  test("nothing leads past an entity that the user does not see", async () => {
    expect(codeOf(await get("Orders(14)/Customer/Name"))).toEqual(NOT_FOUND);
    expect((await get("Orders(14)/Customer/Name/$value", BEN)).text).toBe("hidden from 1");
    expect(codeOf(await get("Orders(15)/Customer/Name"))).toEqual(NOT_FOUND);
    expect(codeOf(await get("Orders(15)/Lines(1)/Qty"))).toEqual(NOT_FOUND);
    expect((await get("Orders(15)/Lines(1)/Qty/$value", BEN)).text).toBe("8");
    expect(codeOf(await get("Orders(13)/Customer/Name"))).toEqual(NOT_FOUND);
    expect(codeOf(await get("Orders(99)/Customer/Name"))).toEqual(NOT_FOUND);
    expect(codeOf(await sends("PATCH", "Orders(15)/Lines(1)", { Qty: 1 }))).toEqual(NOT_FOUND);
    expect(codeOf(await get("Orders(10)/Customer/Name", {}))).toEqual([401, "Unauthorized"]);
    expect(codeOf(await get("Orders('x')/Customer/Name"))).toEqual([400, "InvalidKey"]);
  });

  test("several steps lead as far as $expand", async () => {
    expect((await get("Orders(10)/Customer/Orders(11)/Lines(1)/Qty/$value")).text).toBe("7");
    expect(codeOf(await get("Orders(10)/Customer/Orders(11)/Customer/Orders(11)/Title"))).toEqual([
      400,
      "InvalidQueryOption",
    ]);
    const long = `Orders(10)${"/Customer/Orders(11)".repeat(20)}/Title`;
    expect(codeOf(await get(long))).toEqual([400, "InvalidQueryOption"]);
  });

  test("a singleton is a beginning", async () => {
    expect((await get("Me/Orders(10)/Title/$value")).text).toBe("tea");
    expect((await get("Me/Orders(10)/Lines(1)/Qty/$value")).text).toBe("5");
    expect(codeOf(await get("Me/Orders(12)/Title"))).toEqual(NOT_FOUND);
    expect(codeOf(await get("Me/Orders(10)/Title", {}))).toEqual([401, "Unauthorized"]);
  });

  test("writes change the entity of a collection, under its preconditions", async () => {
    const before = await get("Orders(10)/Lines(2)");
    const etag = String(before.headers["etag"]);
    expect(etag).toBe((await get("Lines(OrderId=10,Number=2)")).headers["etag"]);
    const stale = await sends("PATCH", "Orders(10)/Lines(2)", { Qty: 60 }, { ...ANN, "if-match": '"x"' });
    expect(codeOf(stale)).toEqual([412, "PreconditionFailed"]);
    const patched = await sends("PATCH", "Orders(10)/Lines(2)", { Qty: 60 }, { ...ANN, "if-match": etag });
    expect([patched.status, patched.json]).toEqual([
      200,
      {
        ...context("Lines/$entity"),
        "@odata.id": `${ROOT}/Lines(OrderId=10,Number=2)`,
        "@odata.etag": patched.headers["etag"],
        OrderId: 10,
        Number: 2,
        Qty: 60,
      },
    ]);
    expect((await sends("PUT", "Orders(10)/Lines(2)", { Qty: 61 })).json).toMatchObject({ Number: 2, Qty: 61 });
    expect((await get("Lines(OrderId=10,Number=2)")).json).toMatchObject({ Qty: 61 });
    expect(codeOf(await sends("PATCH", "Orders(10)/Lines(7)", { Qty: 1 }))).toEqual(NOT_FOUND);
    expect(codeOf(await sends("PUT", "Orders(10)/Lines(7)", { Qty: 1 }))).toEqual(NOT_FOUND);
    const missing = await sends("PATCH", "Orders(10)/Lines(7)", { Qty: 1 }, { ...ANN, "if-match": "*" });
    expect(codeOf(missing)).toEqual([412, "PreconditionFailed"]);
    expect((await sends("DELETE", "Orders(10)/Lines(2)")).status).toBe(204);
    expect(codeOf(await get("Lines(OrderId=10,Number=2)"))).toEqual(NOT_FOUND);
    const put = await sends("POST", "Orders(10)/Lines(1)", {});
    expect([put.status, put.headers["allow"]]).toEqual([405, "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"]);
    const customer = await sends("PATCH", "Orders(10)/Customer", { Name: "x" });
    expect([customer.status, customer.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("writes change properties, and create related entities", async () => {
    const etag = String((await get("Orders(10)/Customer/Name")).headers["etag"]);
    const put = await sends("PUT", "Orders(10)/Customer/Nick", { value: "A" }, { ...ANN, "if-match": etag });
    expect(put.status).toBe(204);
    expect((await get("Customers(1)/Nick/$value")).text).toBe("A");
    const again = await sends("PUT", "Orders(10)/Customer/Nick", { value: "B" }, { ...ANN, "if-match": etag });
    expect(codeOf(again)).toEqual([412, "PreconditionFailed"]);
    const created = await sends("POST", "Orders(10)/Customer/Orders", { Id: 20, Title: "rice" });
    expect([created.status, created.headers["location"]]).toEqual([201, `${ROOT}/Orders(20)`]);
    expect((await get("Orders(20)")).json).toMatchObject({ CustomerId: 1, Title: "rice" });
  });

  test("the ETag of a changing path is that of one entity", async () => {
    const etag = String((await get("Orders(10)/Customer/Name")).headers["etag"]);
    const same = { ...ANN, "if-none-match": etag };
    // Behind a navigation, no response is 304.
    expect((await get("Orders(10)/Customer/Name", same)).status).toBe(200);
    expect((await sends("PATCH", "Orders(10)", { CustomerId: 2 })).status).toBe(200);
    const other = await sends("PUT", "Orders(10)/Customer/Nick", { value: "A" }, { ...ANN, "if-match": etag });
    expect(codeOf(other)).toEqual([412, "PreconditionFailed"]);
    expect((await get("Customers(2)/Nick/$value")).text).toBe("B");
  });

  test("operations are called for the entity", async () => {
    expect((await get("Orders(10)/Customer/greet(word='hi')")).json).toEqual({
      ...context("Edm.String"),
      value: "hi 1",
    });
    expect((await get("Orders(12)/Customer/Shop.greet?word='hi'")).json).toMatchObject({ value: "hi 2" });
    expect((await sends("POST", "Orders(10)/Customer/Shop.rename", { name: "Anna" })).status).toBe(204);
    expect((await get("Customers(1)/Name/$value")).text).toBe("Anna");
    expect(codeOf(await sends("POST", "Orders(14)/Customer/rename", { name: "x" }))).toEqual(NOT_FOUND);
  });

  test("batches refer to entities before a step, and write behind it", async () => {
    const requests = [
      { id: "1", method: "GET", url: "Orders(10)?$select=Id" },
      { id: "2", method: "GET", url: "$1/Customer/Name", dependsOn: ["1"] },
      { id: "3", method: "GET", url: "$1/Lines(2)/Qty/$value", dependsOn: ["1"] },
      {
        id: "4",
        atomicityGroup: "g",
        method: "PATCH",
        url: "Lines(OrderId=10,Number=2)",
        body: { Qty: 9 },
        headers: JSON_BODY,
      },
      {
        id: "5",
        atomicityGroup: "g",
        method: "PATCH",
        url: "Orders(10)/Lines(1)",
        body: { Qty: 8 },
        headers: JSON_BODY,
      },
    ];
    const isMemory = running.isMemory === true;
    const sent = isMemory ? requests.slice(0, 3) : requests;
    const answer = await sends("POST", "$batch", { requests: sent });
    expect(answer.json.responses).toMatchObject(
      [
        { status: 200, body: { Id: 10 } },
        { status: 200, body: { value: "Ann" } },
        { status: 200, body: "6" },
        { status: 200, body: { Qty: 9 } },
        { status: 200, body: { Number: 1, Qty: 8 } },
      ].slice(0, sent.length),
    );
  });

  test.each([
    "Orders(10)/Customer/Nothing",
    "Orders(10)/Customer(1)/Name",
    "Orders(10)/Lines/Qty",
    "Orders(10)/Customer/$count",
    "Orders(10)/Customer/$ref/Name",
    "Orders(10)/Nothing/Name",
    "Orders(10)/Lines(2)/Nothing",
  ])("%s is 404", async (path) => {
    expect(codeOf(await get(path))).toEqual(NOT_FOUND);
  });
});

test("the profile of the specification has none of these paths", async () => {
  const [memory] = PLACES;
  const running = await memory!.start({ profile: "specification" });
  const send = nodeDoor.to(running.service);
  for (const path of ["Orders(10)/Customer/Name", "Orders(10)/Lines(OrderId=10,Number=2)/Qty"]) {
    expect(codeOf(await send(`/odata/${path}`, ANN)), path).toEqual(NOT_FOUND);
  }
  const key = "/odata/Orders(10)/Lines(OrderId=10,Number=2)";
  expect(codeOf(await send("/odata/Orders(10)/Lines(2)", ANN))).toEqual([400, "InvalidKey"]);
  expect((await send(key, ANN)).status).toBe(200);
  const patch = await send(key, { ...ANN, ...JSON_BODY }, "PATCH", "{}");
  expect([patch.status, patch.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("steps are limited by maxExpandDepth", async () => {
  const [memory] = PLACES;
  const running = await memory!.start({ defaults: { maxExpandDepth: 1 } });
  const send = nodeDoor.to(running.service);
  expect((await send("/odata/Orders(10)/Customer/Name/$value", ANN)).text).toBe("Ann");
  expect((await send("/odata/Orders(10)/Customer/Orders(11)", ANN)).status).toBe(200);
  expect(codeOf(await send("/odata/Orders(10)/Customer/Orders(11)/Title", ANN))).toEqual([400, "InvalidQueryOption"]);
});
