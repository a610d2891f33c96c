import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { orderId, type Running, STORES, stopAt } from "./set-values-model.ts";

const FIRST = "2026-03-04T05:06:07.891Z";
const SECOND = "2026-03-05T06:07:08.912Z";
const CREATED = { CreatedAt: FIRST, UpdatedAt: "2026-03-04T05:06:07Z" };
const ETAG = expect.stringMatching(/^".+"$/) as string;
const SECONDS_LATER = "2026-03-05T06:07:08Z";
const DAY_LATER = "2026-03-05";

/** The tenant and the user of most requests. */
const ANN = "ann of one";
const BOB = "bob of one";

describe.each(STORES)("values that the server sets, over $title", ({ start, isTable }) => {
  let running: Running;

  beforeAll(async () => {
    running = await start();
  });
  beforeEach(async () => {
    await running.reset();
    stopAt(FIRST);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    await running.close();
  });

  async function send(
    request: string,
    body?: unknown,
    { user = ANN, headers = {} }: { readonly user?: string | null; readonly headers?: Record<string, string> } = {},
  ): Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }> {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const response = await running.service.fetch(
      new Request(`http://shop.example/${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(user === null ? {} : { "x-user": user }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? null : (JSON.parse(text) as unknown),
      headers: response.headers,
    };
  }

  /** All stored entities of a set, ignored properties included, in the order of their keys. */
  async function stored(set: string): Promise<readonly Record<string, unknown>[]> {
    const { body } = await send("POST stored", { set });
    return JSON.parse(body as string) as Record<string, unknown>[];
  }

  async function change(given: object): Promise<string> {
    const { body } = await send("POST change", { key: null, trusted: false, set: "Orders", ...given });
    return body as string;
  }

  const ORDER = {
    id: orderId(1),
    tenant: "one",
    title: "a",
    createdBy: "ann",
    createdAt: FIRST,
    updatedAt: "2026-03-04T05:06:07Z",
    day: null,
    customerId: null,
  };

  test("POST sets them, also ignored ones, and ignores those of the body", async () => {
    const sent = { Title: "a", Id: orderId(9), CreatedBy: "eve", CreatedAt: SECOND, UpdatedAt: null, Day: 5 };
    const { status, body, headers } = await send("POST Orders", sent);
    expect([status, headers.get("location"), headers.get("etag")]).toEqual([
      201,
      `http://shop.example/Orders(${orderId(1)})`,
      ETAG,
    ]);
    expect(body).toEqual({
      "@odata.context": "http://shop.example/$metadata#Orders/$entity",
      "@odata.id": `http://shop.example/Orders(${orderId(1)})`,
      "@odata.etag": headers.get("etag"),
      Id: orderId(1),
      Title: "a",
      CreatedBy: "ann",
      ...CREATED,
      Day: null,
      CustomerId: null,
    });
    expect(await stored("Orders")).toEqual([ORDER]);
    expect((await send("POST Orders", { Title: "a", Tenant: "two" })).status).toBe(400);
  });

  test("row rules judge them, so that a user of another tenant sees nothing", async () => {
    await send("POST Orders", { Title: "a" });
    const path = `Orders(${orderId(1)})`;
    expect((await send(`GET ${path}`)).status).toBe(200);
    expect((await send(`GET ${path}`, undefined, { user: "eve of two" })).status).toBe(404);
    expect((await send(`PATCH ${path}`, { Title: "b" }, { user: "eve of two" })).status).toBe(404);
    expect(await stored("Orders")).toEqual([ORDER]);
  });

  test("foreign keys are judged with them, so that no entity refers to one of another tenant", async () => {
    await send("POST Customers", { Id: 1, Name: "c" }, { user: "eve of two" });
    await send("POST Orders", { Title: "a" });
    const conflict = {
      error: {
        code: "Conflict",
        message: "This value refers to an entity that does not exist. Create the entity first, or use another value.",
        target: "CustomerId",
      },
    };
    for (const [request, body] of [
      ["POST Orders", { Title: "b", CustomerId: 1 }],
      [`PATCH Orders(${orderId(1)})`, { CustomerId: 1 }],
      [`PUT Orders(${orderId(1)})`, { Title: "a", CustomerId: 1 }],
    ] as const) {
      const { status, body: answer } = await send(request, body);
      expect([request, status, answer]).toEqual([request, 409, conflict]);
    }
    expect(await stored("Orders")).toEqual([ORDER]);
    expect((await send("POST Orders", { Title: "b", CustomerId: 1 }, { user: "eve of two" })).status).toBe(201);
  });

  test("an anonymous request for whose user a function asks is 401", async () => {
    const { status, body } = await send("POST Orders", { Title: "a" }, { user: null });
    expect(status).toBe(401);
    expect(body).toEqual({
      error: {
        code: "Unauthorized",
        message: "This request requires authentication. Send credentials with the request.",
      },
    });
    expect(running.failures).toEqual([]);
  });

  test("PATCH sets those with `update`, and keeps the others", async () => {
    await send("POST Orders", { Title: "a" });
    vi.setSystemTime(SECOND);
    const { status, body } = await send(`PATCH Orders(${orderId(1)})`, { Title: "b", UpdatedAt: FIRST }, { user: BOB });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      Title: "b",
      CreatedBy: "ann",
      CreatedAt: FIRST,
      UpdatedAt: SECONDS_LATER,
      Day: DAY_LATER,
    });
    expect(await stored("Orders")).toEqual([{ ...ORDER, title: "b", updatedAt: SECONDS_LATER, day: DAY_LATER }]);
  });

  test.each([
    ["nothing", {}],
    ["only properties that the server sets", { UpdatedAt: FIRST, CreatedBy: "eve" }],
  ])("PATCH with %s changes nothing", async (_what, sent) => {
    await send("POST Orders", { Title: "a" });
    vi.setSystemTime(SECOND);
    const { status, body } = await send(`PATCH Orders(${orderId(1)})`, sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ Title: "a", ...CREATED, Day: null });
    expect(await stored("Orders")).toEqual([ORDER]);
  });

  test("PUT sets those with `update`, and keeps the others", async () => {
    await send("POST Orders", { Title: "a" });
    vi.setSystemTime(SECOND);
    const { status, body } = await send(`PUT Orders(${orderId(1)})`, { Title: "b" }, { user: BOB });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      Title: "b",
      CreatedBy: "ann",
      CreatedAt: FIRST,
      UpdatedAt: SECONDS_LATER,
      Day: DAY_LATER,
    });
    expect(await stored("Orders")).toEqual([{ ...ORDER, title: "b", updatedAt: SECONDS_LATER, day: DAY_LATER }]);
  });

  test("PUT, PATCH and DELETE of a property set those with `update`, which they cannot write", async () => {
    await send("POST Customers", { Id: 1, Name: "c" });
    await send("POST Orders", { Title: "a", CustomerId: 1 });
    const path = `Orders(${orderId(1)})`;
    vi.setSystemTime(SECOND);
    expect((await send(`PUT ${path}/Title`, { value: "b" })).status).toBe(204);
    expect(await stored("Orders")).toMatchObject([{ title: "b", updatedAt: SECONDS_LATER }]);
    vi.setSystemTime(FIRST);
    expect((await send(`DELETE ${path}/CustomerId`)).status).toBe(204);
    expect(await stored("Orders")).toMatchObject([{ customerId: null, updatedAt: CREATED.UpdatedAt }]);
    const { status, body } = await send(`PUT ${path}/CreatedBy`, { value: "eve" });
    expect([status, body]).toEqual([
      400,
      {
        error: {
          code: "NotSupported",
          message: "'CreatedBy' is computed by the service and cannot be written.",
          target: "CreatedBy",
        },
      },
    ]);
  });

  test("PUT that creates sets those of a new entity", async () => {
    await send("POST Orders", { Title: "a" });
    const { status, body } = await send("PUT Lines(5)", { Quantity: 2, OrderId: orderId(1), ChangedBy: "eve" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ Id: 5, Quantity: 2, ChangedBy: "ann" });
    const line = { id: 5, orderId: orderId(1), tenant: "one", quantity: 2, changedBy: "ann", changer: null };
    expect(await stored("Lines")).toEqual([line]);
    expect((await send("PUT Lines(5)", { Quantity: 3, OrderId: orderId(1) }, { user: BOB })).status).toBe(200);
    expect(await stored("Lines")).toEqual([{ ...line, quantity: 3, changedBy: "bob", changer: "bob" }]);
    expect((await send("PATCH Lines(5)", { Quantity: 4 })).status).toBe(200);
    expect(await stored("Lines")).toEqual([{ ...line, quantity: 4, changer: "ann" }]);
  });

  test("POST along a navigation sets them", async () => {
    await send("POST Orders", { Title: "a" });
    const { status, body } = await send(`POST Orders(${orderId(1)})/Lines`, { Id: 1, Quantity: 2, ChangedBy: "eve" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ Id: 1, OrderId: orderId(1), Quantity: 2, ChangedBy: "ann" });
    expect(await stored("Lines")).toEqual([
      { id: 1, orderId: orderId(1), tenant: "one", quantity: 2, changedBy: "ann", changer: null },
    ]);
  });

  test("deep insert sets those of every entity, each by its own set", async () => {
    const lines = [
      { Id: 1, Quantity: 2, ChangedBy: "eve" },
      { Id: 2, Quantity: 3 },
    ];
    const { status, body } = await send("POST Orders", { Title: "a", Lines: lines });
    expect(status).toBe(201);
    expect(body).toMatchObject({ CreatedBy: "ann", Lines: [{ ChangedBy: "ann" }, { ChangedBy: "ann" }] });
    const line = { orderId: orderId(1), tenant: "one", changedBy: "ann", changer: null };
    expect(await stored("Lines")).toEqual([
      { ...line, id: 1, quantity: 2 },
      { ...line, id: 2, quantity: 3 },
    ]);
  });

  test("all writes of a change set have one instant, and each other operation of a batch has its own", async () => {
    const post = (id: string, group?: string) => {
      return { id, method: "POST", url: "Orders", atomicityGroup: group, body: { Title: id } };
    };
    // The clock moves on with each reading.
    let looks = 0;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => new Date(FIRST).getTime() + 60_000 * (looks += 1));
    const { status, body } = await send("POST $batch", {
      requests: [post("1", "g"), post("2", "g"), post("3"), post("4")],
    });
    clock.mockRestore();
    expect([status, (body as { responses: Array<{ status: number }> }).responses.map((each) => each.status)]).toEqual([
      200,
      [201, 201, 201, 201],
    ]);
    const [first, second, third, fourth] = (await stored("Orders")).map(({ createdAt }) => createdAt);
    expect(second).toBe(first);
    expect(new Set([first, third, fourth]).size).toBe(3);
  });

  test("ctx.sets refuses them", async () => {
    await send("POST Orders", { Title: "a" });
    expect(await change({ values: JSON.stringify({ title: "b", createdBy: "eve" }) })).toBe(
      "TypeError: ctx.sets(Orders).create: `createdBy` is computed by the service and cannot be written. Omit it.",
    );
    expect(await change({ key: orderId(1), values: JSON.stringify({ updatedAt: FIRST }) })).toBe(
      "TypeError: ctx.sets(Orders).patch: `updatedAt` is computed by the service and cannot be written. Omit it.",
    );
    expect(JSON.parse(await change({ values: JSON.stringify({ title: "b" }) }))).toEqual({
      ...ORDER,
      id: orderId(2),
      title: "b",
    });
  });

  test("a trusted call of ctx.sets may give them", async () => {
    const given = { id: orderId(7), title: "b", tenant: "two", createdBy: "eve", createdAt: SECOND };
    const made = await change({
      trusted: true,
      values: JSON.stringify({ ...given, lines: [{ id: 3, quantity: 1, tenant: "two" }] }),
    });
    expect(JSON.parse(made)).toMatchObject(given);
    expect(await stored("Orders")).toEqual([{ ...ORDER, ...given }]);
    expect(await stored("Lines")).toMatchObject([{ id: 3, tenant: "two", changedBy: "ann" }]);
    vi.setSystemTime(SECOND);
    const key = orderId(7);
    expect(
      JSON.parse(await change({ trusted: true, key, values: JSON.stringify({ tenant: "one", day: "2026-01-01" }) })),
    ).toMatchObject({
      tenant: "one",
    });
    expect(await stored("Orders")).toMatchObject([
      { tenant: "one", createdBy: "eve", day: "2026-01-01", updatedAt: SECONDS_LATER },
    ]);
    expect(await change({ trusted: true, key, values: JSON.stringify({ createdBy: "x" }) })).toBe(
      "TypeError: ctx.sets(Orders).patch: `createdBy` is immutable and cannot be written. Omit it.",
    );
    expect(await change({ trusted: true, values: JSON.stringify({ title: "b", createdAt: "soon" }) })).toBe(
      "TypeError: ctx.sets(Orders).create: `createdAt` must be a value of Edm.DateTimeOffset.",
    );
  });

  test("$metadata marks them as computed", async () => {
    const response = await running.service.fetch(new Request("http://shop.example/$metadata"));
    const properties = (await response.text()).split('<Property Name="').slice(1);
    const computed = properties.filter((each) => each.includes("Core.V1.Computed"));
    expect(computed.map((each) => each.slice(0, each.indexOf('"')))).toEqual([
      "Id",
      "CreatedBy",
      "CreatedAt",
      "UpdatedAt",
      "Day",
      "ChangedBy",
    ]);
  });

  describe.runIf(isTable)("links", () => {
    beforeEach(async () => {
      await send("POST Orders", { Title: "a" });
      await send("POST Lines", { Id: 1, Quantity: 2 });
    });

    const link = { "@odata.id": `http://shop.example/Orders(${orderId(1)})` };
    const line = { id: 1, orderId: orderId(1), tenant: "one", quantity: 2, changedBy: "bob", changer: "bob" };

    test("of a single-valued navigation set those of the row with the foreign key", async () => {
      expect((await send("PUT Lines(1)/Order/$ref", link, { user: BOB })).status).toBe(204);
      expect(await stored("Lines")).toEqual([line]);
      expect((await send("DELETE Lines(1)/Order/$ref")).status).toBe(204);
      expect(await stored("Lines")).toEqual([{ ...line, orderId: null, changedBy: "ann", changer: "ann" }]);
      expect(await stored("Orders")).toEqual([ORDER]);
    });

    test("of a collection set those of the related row", async () => {
      const path = `Orders(${orderId(1)})/Lines/$ref`;
      const related = { "@odata.id": "http://shop.example/Lines(1)" };
      expect((await send(`POST ${path}`, related, { user: BOB })).status).toBe(204);
      expect(await stored("Lines")).toEqual([line]);
      expect((await send(`DELETE ${path}?$id=Lines(1)`)).status).toBe(204);
      expect(await stored("Lines")).toEqual([{ ...line, orderId: null, changedBy: "ann", changer: "ann" }]);
    });

    test("keep a part of the foreign key that the server sets", async () => {
      await send("POST Customers", { Id: 1, Name: "c" });
      vi.setSystemTime(SECOND);
      const path = `Orders(${orderId(1)})/Customer/$ref`;
      const { status, body } = await send(`PUT ${path}`, { "@odata.id": "http://shop.example/Customers(1)" });
      expect([status, body]).toEqual([204, null]);
      expect(await stored("Orders")).toMatchObject([{ tenant: "one", customerId: 1, updatedAt: SECONDS_LATER }]);
      expect((await send(`DELETE ${path}`)).status).toBe(204);
      expect(await stored("Orders")).toMatchObject([{ tenant: "one", customerId: null }]);
    });
  });
});
