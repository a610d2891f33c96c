import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { arraySource, authenticated, entitySet, odataService } from "odatakit";
import { serve } from "odatakit/node";
import { afterEach, describe, expect, test } from "vitest";
import { Item, type ItemOptions, ITEMS, noFailures } from "./model.ts";

type Running = Awaited<ReturnType<typeof serve>>;
const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));
const running: Running[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** Pages of this size hold all items of a large response. */
const defaults = { maxPageSize: 50_000 };

async function start(options: Partial<ItemOptions>, prefix = "/s"): Promise<Running> {
  const entitySets = [entitySet(Item, options as ItemOptions)];
  const service = odataService({ prefix, entitySets, defaults, logger: noFailures });
  const server = await serve(service, { port: 0 });
  running.push(server);
  return server;
}

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on("error", reject);
  });
}

async function read(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns a promise and the function that settles it. */
function gate<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const MANY = Array.from({ length: 50_000 }, (_, index) => ({
  ...ITEMS[0]!,
  id: index + 1,
  name: `Item ${String(index)} ${"x".repeat(50)}`,
}));

describe("serve", () => {
  test("with port 0 the system chooses the port; url leads to the service", async () => {
    const server = await start({ getAll: () => ITEMS });
    expect(server.port).toBeGreaterThan(0);
    expect(server.url).toBe(`http://localhost:${String(server.port)}`);
    const response = await fetch(`${server.url}/s/Items?$top=0`);
    expect(response.headers.get("odata-version")).toBe("4.0");
    expect(await response.json()).toEqual({ "@odata.context": `${server.url}/s/$metadata#Items`, value: [] });
  });

  test("host is where it listens", async () => {
    const service = odataService({ entitySets: [], logger: noFailures });
    for (const [host, name] of [
      ["127.0.0.1", "127.0.0.1"],
      ["0.0.0.0", "localhost"],
      ...(hasIpv6 ? [["::1", "[::1]"] as const] : []),
    ] as const) {
      const server = await serve(service, { port: 0, host });
      running.push(server);
      expect(server.url).toBe(`http://${name}:${String(server.port)}`);
      expect((await fetch(server.url)).status).toBe(200);
    }
  });

  test("rejects a host that is not an address of this machine with the error of the system", async () => {
    const service = odataService({ entitySets: [], logger: noFailures });
    // An address that is kept for documents. @see RFC 5737
    await expect(serve(service, { port: 0, host: "192.0.2.1" })).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
  });

  test("several services, each at its prefix", async () => {
    const one = odataService({
      name: "one",
      entitySets: [entitySet(Item, { getAll: () => ITEMS })],
      logger: noFailures,
    });
    const two = odataService({ name: "two", entitySets: [], logger: noFailures });
    const server = await serve([one, two], { port: 0 });
    running.push(server);
    expect(await (await fetch(`${server.url}/one/Items/$count`)).text()).toBe("7");
    expect((await fetch(`${server.url}/two/`)).status).toBe(200);
    expect((await fetch(`${server.url}/two/Items`)).status).toBe(404);
  });

  test("a busy port is a message that says so, and names it", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const { port } = blocker.address() as { port: number };
    const service = odataService({ entitySets: [], logger: noFailures });
    await expect(serve(service, { port, host: "127.0.0.1" })).rejects.toThrow(
      new RegExp(`${String(port)}.*in use`, "u"),
    );
    blocker.close();
  });

  test("close lets requests under way end, takes no new ones, and closes idle connections", async () => {
    const [entered, released] = [gate(), gate()];
    const server = await start({
      getAll: async () => {
        entered.resolve();
        await released.promise;
        return ITEMS;
      },
    });
    // A connection that is kept open and idle must not hold the server.
    await (await fetch(`${server.url}/s`)).text();
    const answer = open(`${server.url}/s/Items/$count`);
    await entered.promise;
    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await pause(30);
    expect(closed).toBe(false);
    await expect(open(`${server.url}/s`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    released.resolve();
    expect(await read(await answer)).toBe("7");
    await closing;
    running.length = 0;
  });

  test("closing twice is harmless", async () => {
    const server = await start({ getAll: () => ITEMS });
    await Promise.all([server.close(), server.close()]);
    await server.close();
    running.length = 0;
  });
});

describe("an unread body", () => {
  test("does not hold the answer, nor what comes after it", async () => {
    const server = await start({ getAll: () => ITEMS });
    const body = "x".repeat(3_000_000);
    for (let round = 0; round < 3; round++) {
      const answer = await fetch(`${server.url}/s/Items`, { method: "POST", body });
      expect([answer.status, answer.headers.get("odata-version")]).toEqual([405, "4.0"]);
      await answer.text();
      expect(await (await fetch(`${server.url}/s/Items/$count`)).text()).toBe("7");
    }
  });
});

describe("invalid HTTP", () => {
  const raw = (port: number, bytes: string) =>
    new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(port, "localhost", () => socket.write(Buffer.from(bytes, "latin1")));
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      socket.on("error", () => {}).on("close", () => resolve(text));
    });
  const get11 = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;

  const LINE = /request line such as GET/;
  const URL = /HTTP\. Begin the URL with a slash, and percent-encode all its characters that are not ASCII\.$/;
  const HEADER = /each header as Name: value/;
  const post = (header: string) => `POST /s/Items HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;

  test.each([
    ["zeros", "\0\0\0\r\n\r\n", 400, LINE],
    ["no target", "GET\r\n\r\n", 400, LINE],
    ["a method that there is not", "GOT / HTTP/1.1\r\n\r\n", 400, LINE],
    ["a protocol that there is not", "GET / HTTP/9.9\r\n\r\n", 400, LINE],
    ["blanks in the target", get11("/s/Items?$filter=Id eq 1"), 400, LINE],
    ["bytes that are not ASCII", get11("/s/Items('\u00ff')"), 400, URL],
    ["a target without a slash", get11("s/Items"), 400, URL],
    ["a target without a path", get11("?$top=1"), 400, URL],
    ["a header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400, HEADER],
    ["a header with a blank in its name", "GET / HTTP/1.1\r\nHost: x\r\na b: y\r\n\r\n", 400, HEADER],
    ["a length that is none", post("Content-Length: ten"), 400, /Content-Length with the number of bytes/],
    ["headers without end", get11(`/s/Items?x=${"a".repeat(40_000)}`), 431, /too large/],
  ])("%s: an envelope, and the end of the connection", async (_, bytes, status, message) => {
    const server = await start({ getAll: () => ITEMS });
    const [head = "", body = ""] = (await raw(server.port, bytes)).split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `, "u"));
    expect(head.match(/^OData-Version: 4\.0$/gmu)).toHaveLength(1);
    expect(head).toMatch(/^Content-Language: en$/mu);
    expect(JSON.parse(body)).toEqual({ error: { code: expect.any(String), message: expect.stringMatching(message) } });
    expect(await (await fetch(`${server.url}/s/Items/$count`)).text()).toBe("7");
  });
});

test("headers named like members of objects are headers", async () => {
  const seen: string[] = [];
  const service = odataService({
    entitySets: [entitySet(Item, { getAll: () => ITEMS })],
    authenticate: ({ headers }) => {
      seen.push(...["__proto__", "constructor", "x-a"].map((name) => String(headers.get(name))));
      return { id: "ada" };
    },
    authorization: authenticated(),
    logger: noFailures,
  });
  const server = await serve(service, { port: 0 });
  running.push(server);
  const socket = connect(server.port, "localhost");
  socket.write(
    "GET /Items/$count HTTP/1.1\r\nHost: h\r\n__proto__: 1\r\nconstructor: 2\r\nX-A: 3\r\nx-a: 4\r\nConnection: close\r\n\r\n",
  );
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n7$/u);
  expect(seen).toEqual(["1", "2", "3, 4"]);
});

describe("a large response", () => {
  const options = { maxTop: null, queryable: () => arraySource(Item, MANY) };

  test("waits for a slow reader, while others are answered, and arrives whole", async () => {
    const server = await start(options);
    const message = await open(`${server.url}/s/Items`);
    expect(message.statusCode).toBe(200);
    await once(message, "readable");
    expect(await (await fetch(`${server.url}/s/Items/$count`)).text()).toBe("50000");
    expect(message.complete).toBe(false);
    const body = JSON.parse(await read(message)) as { value: Array<{ Id: number }> };
    expect(body.value).toHaveLength(50_000);
    expect(body.value.at(-1)?.Id).toBe(50_000);
  });

  test("of a client that disconnects does not block the server", async () => {
    const server = await start(options);
    for (let round = 0; round < 3; round++) {
      const message = await open(`${server.url}/s/Items`);
      await once(message, "readable");
      message.destroy();
    }
    await pause(20);
    expect(await (await fetch(`${server.url}/s/Items/$count`)).text()).toBe("50000");
    await server.close();
    running.length = 0;
  });

  test("arrives whole through fetch too", async () => {
    const service = odataService({
      prefix: "/s",
      entitySets: [entitySet(Item, options)],
      defaults,
      logger: noFailures,
    });
    const response = await service.fetch(new Request("http://service.example/s/Items"));
    const body = (await response.json()) as { value: unknown[] };
    expect([response.status, body.value.length]).toEqual([200, 50_000]);
  });

  test("that is not read is given up through fetch", async () => {
    const service = odataService({ prefix: "/s", entitySets: [entitySet(Item, options)], logger: noFailures });
    const response = await service.fetch(new Request("http://service.example/s/Items"));
    await response.body?.cancel();
    expect((await service.fetch(new Request("http://service.example/s/Items/$count"))).status).toBe(200);
  });
});

describe("the signal of a request", () => {
  test("is aborted when the client of a node server disconnects", async () => {
    const [entered, aborted] = [gate<AbortSignal>(), gate()];
    const server = await start({
      getAll: async ({ signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        entered.resolve(signal);
        await aborted.promise;
        return ITEMS;
      },
    });
    const request = get(`${server.url}/s/Items`, { agent: false }).on("error", () => {});
    const signal = await entered.promise;
    expect(signal.aborted).toBe(false);
    request.destroy();
    await aborted.promise;
    expect(signal.aborted).toBe(true);
  });

  test("is not aborted by a complete response", async () => {
    const entered = gate<AbortSignal>();
    const server = await start({
      getAll: ({ signal }) => {
        entered.resolve(signal);
        return ITEMS;
      },
    });
    await (await fetch(`${server.url}/s/Items`)).text();
    expect((await entered.promise).aborted).toBe(false);
  });

  test("is that of a Fetch request", async () => {
    const seen: AbortSignal[] = [];
    const set = entitySet(Item, {
      getAll: ({ signal }) => {
        seen.push(signal);
        return ITEMS;
      },
    });
    const service = odataService({ prefix: "/s", entitySets: [set], logger: noFailures });
    const controller = new AbortController();
    await service.fetch(new Request("http://service.example/s/Items", { signal: controller.signal }));
    expect(seen[0]?.aborted).toBe(false);
    controller.abort();
    expect(seen[0]?.aborted).toBe(true);
  });
});
