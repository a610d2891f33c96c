import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError, edm, entitySet, entityType, odataService, reloadable, type ODataService } from "odatakit";
import { toNodeHandler } from "odatakit/node";
import { openApiDocument } from "odatakit/openapi";
import { expect, test } from "vitest";

const Thing = entityType("Thing", { id: edm.int32().key(), name: edm.string() });

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function serviceOf(name: string, wait: Promise<void> = Promise.resolve(), set: string = "Things"): ODataService {
  return odataService({
    name,
    prefix: "/odata",
    entitySets: [
      entitySet(Thing, {
        name: set,
        getAll: async () => {
          await wait;
          return [{ id: 1, name }];
        },
      }),
    ],
  });
}

const URL_OF_THINGS = "http://localhost/odata/Things";

async function nameFrom(response: Response | Promise<Response>): Promise<string | undefined> {
  const { value } = (await (await response).json()) as { readonly value: ReadonlyArray<{ readonly Name: string }> };
  return value[0]?.Name;
}

test("requests that began end on the old service, and it closes after them", async () => {
  const { opened, open } = gate();
  const closed = gate();
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    closed.open();
  };
  const service = reloadable(serviceOf("one", opened));
  const early = service.fetch(new Request(URL_OF_THINGS));
  await service.replace(serviceOf("two"), { close });
  expect(await nameFrom(service.fetch(new Request(URL_OF_THINGS)))).toBe("two");
  expect([service.name, isClosed]).toEqual(["two", false]);
  open();
  expect(await nameFrom(early)).toBe("one");
  await closed.opened;
});

test("an old service without requests closes at once, and a failing close is logged", async () => {
  const errors = gate();
  const service = reloadable(serviceOf("one"));
  const next = odataService({
    prefix: "/odata",
    entitySets: [entitySet(Thing, { getAll: () => [] })],
    logger: { error: errors.open, warn: () => undefined, info: () => undefined },
  });
  await service.replace(next, { close: () => Promise.reject(new Error("no")) });
  await errors.opened;
});

test("a response in chunks keeps the old service open to its last chunk, or until it is abandoned", async () => {
  for (const isAbandoned of [false, true]) {
    const done = gate();
    let isClosed = false;
    const old: ODataService = {
      ...serviceOf("old"),
      handle: () => ({ status: 200, headers: {}, body: ["a", "b"] }),
    };
    const service = reloadable(old);
    const { body } = await service.fetch(new Request(URL_OF_THINGS));
    const reader = body?.getReader();
    await reader?.read();
    await service.replace(serviceOf("new"), {
      close: () => {
        isClosed = true;
        done.open();
      },
    });
    expect(isClosed).toBe(false);
    if (isAbandoned) await reader?.cancel();
    else while ((await reader?.read())?.done === false);
    await done.opened;
  }
});

test("a service that is not ready, or has another prefix, does not replace", async () => {
  const service = reloadable(serviceOf("one"));
  const broken: ODataService = { ...serviceOf("two"), ready: () => Promise.reject(new Error("no database")) };
  await expect(service.replace(broken)).rejects.toThrow("no database");
  const elsewhere = odataService({ prefix: "/other", entitySets: [] });
  await expect(service.replace(elsewhere)).rejects.toThrow(ConfigurationError);
  expect(await nameFrom(service.fetch(new Request(URL_OF_THINGS)))).toBe("one");
  await Promise.all([service.replace(serviceOf("two")), service.replace(serviceOf("three"))]);
  expect(service.name).toBe("three");
  await expect(service.ready()).resolves.toBeUndefined();
});

test("hosts, $metadata and OpenAPI follow the current service", async () => {
  const service = reloadable(serviceOf("one"));
  const first = service.model;
  const server = createServer(toNodeHandler(service)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  expect(await nameFrom(fetch(`${origin}/odata/Things`))).toBe("one");
  await service.replace(serviceOf("two", Promise.resolve(), "Others"));
  expect((await fetch(`${origin}/odata/Things`)).status).toBe(404);
  expect(await nameFrom(fetch(`${origin}/odata/Others`))).toBe("two");
  expect(await (await fetch(`${origin}/odata/$metadata`)).text()).toContain('EntitySet Name="Others"');
  expect(Object.keys(openApiDocument([service]).paths)).toContain("/odata/Others");
  expect(service.model).not.toBe(first);
  expect([service.prefix, service.group]).toEqual(["/odata", undefined]);
  expect(service.logger).toBeDefined();
  server.close();
  await once(server, "close");
});
