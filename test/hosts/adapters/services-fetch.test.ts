import { ConfigurationError, entitySet, odataService, servicesFetch } from "odatakit";
import { describe, expect, test } from "vitest";
import { contextOf, Order, orderService } from "./hosts.ts";

const ORIGIN = "http://service.example";

describe("servicesFetch", () => {
  const [v1, v2] = ["v1", "v2"].map((name) => orderService({ name, prefix: `/api/${name}` }));
  if (v1 === undefined || v2 === undefined) throw new Error("There are two services.");

  test("passes each request to the service of its path; any other path is 404 with the envelope", async () => {
    const handle = servicesFetch([v1.service, v2.service]);
    for (const path of ["/api/v1", "/api/v2"]) {
      expect(await contextOf(await handle(new Request(`${ORIGIN}${path}`)))).toBe(`${ORIGIN}${path}/$metadata`);
    }
    const nowhere = await handle(new Request(`${ORIGIN}/api/v3`));
    expect([nowhere.status, nowhere.headers.get("odata-version"), await nowhere.json()]).toEqual([
      404,
      "4.0",
      {
        error: {
          code: "NotFound",
          message: expect.stringContaining("The services are mounted at: /api/v1, /api/v2"),
        },
      },
    ]);
  });

  test("takes one service, too", async () => {
    expect((await servicesFetch(v1.service)(new Request(`${ORIGIN}/api/v1`))).status).toBe(200);
  });

  test.each([
    ["equal prefixes", [v1.service, orderService({ name: "v3", prefix: "/api/v1" }).service], "same prefix"],
    ["equal names", [v1.service, orderService({ name: "v1", prefix: "/v" }).service], 'named "v1"'],
    ["an empty list", [], "empty"],
    ["another value", [{}], "A service cannot be"],
  ])("refuses %s", (_what, services, message) => {
    const faults = expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining(message) })]);
    let thrown: unknown;
    try {
      servicesFetch(services as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigurationError);
    expect(thrown).toMatchObject({ faults });
  });

  test("its second argument is ctx.host, in operations of a batch, too", async () => {
    const handle = servicesFetch([v1.service, v2.service]);
    const environment = { DATABASE: "d1" };
    v1.contexts.length = 0;
    await handle(new Request(`${ORIGIN}/api/v1/Orders`), environment);
    const batch = new Request(`${ORIGIN}/api/v1/$batch`, {
      method: "POST",
      headers: { "Content-Type": "multipart/mixed; boundary=b" },
      body: "--b\r\nContent-Type: application/http\r\n\r\nGET Orders HTTP/1.1\r\n\r\n\r\n--b--",
    });
    await (await handle(batch, environment)).text();
    expect(v1.contexts.map(({ host, request }) => host === environment && request.host === host)).toEqual([true, true]);
    const request = new Request(`${ORIGIN}/api/v1/Orders`);
    await handle(request);
    expect(v1.contexts.at(-1)?.host).toBe(request);
  });

  test("a response that breaks off is logged by its service", async () => {
    const logged: unknown[] = [];
    const error = (_message: string, fields?: unknown): void => void logged.push(fields);
    const orders = entitySet(Order, {
      maxTop: null,
      getAll: () =>
        Array.from({ length: 5000 }, (_none, id) => ({
          id: BigInt(id),
          get name() {
            if (id === 4999) throw new Error("broken row");
            return "a";
          },
          price: null,
        })),
    });
    const service = odataService({ entitySets: [orders], logger: { error, warn: error, info: error } });
    const response = await servicesFetch([service])(new Request(`${ORIGIN}/Orders`));
    await expect(response.text()).rejects.toThrow();
    expect(logged).toEqual([expect.objectContaining({ err: expect.objectContaining({ message: "broken row" }) })]);
  });
});
