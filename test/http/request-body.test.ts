import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { ODataError } from "../../src/base/errors/odata-error.ts";
import { fromIncomingMessage } from "../../src/hosts/adapters/node-request.ts";
import { fromFetchRequest } from "../../src/http/fetch-request.ts";
import type { ODataRequest } from "../../src/http/odata-request.ts";
import { BodyBuffer, parseBody, readJsonBody, checkContentHeaders } from "../../src/http/read-json-body.ts";

const ENCODER = new TextEncoder();

type Body = string | ReadableStream<Uint8Array> | null;

function fetchRequest(body: Body, headers: Record<string, string> = {}): ODataRequest {
  // Streams are sent half-duplex, by an option that not every runtime declares.
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers,
    duplex: "half",
    ...(body === null ? {} : { body }),
  };
  return fromFetchRequest(new Request("http://service.example/Set", init));
}

function stream(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(ENCODER.encode(chunk));
      controller.close();
    },
  });
}

function fault(run: () => unknown): ODataError {
  try {
    run();
  } catch (error) {
    if (error instanceof ODataError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

async function rejection(run: () => unknown): Promise<ODataError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof ODataError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("checkContentHeaders", () => {
  const check = (headers: Record<string, string>, maxBytes: number | null = 10, body: Body = stream("{}")) =>
    checkContentHeaders(fetchRequest(body, headers), maxBytes);

  test.each([
    ["application/json", false],
    ["Application/JSON", false],
    ["application/json;charset=utf-8", false],
    ['application/json; charset="UTF-8"', false],
    ["application/json;odata.metadata=minimal;odata=verbose", false],
    ["application/json;IEEE754Compatible=true", true],
    ["application/json;odata.metadata=full; ieee754compatible=TRUE ;charset=utf8", true],
    ["application/json;IEEE754Compatible=false", false],
  ])("%s", (type, ieee754Compatible) => {
    expect(check({ "content-type": type })).toEqual({ ieee754Compatible });
  });

  test.each([
    "text/plain",
    "application/xml",
    "application/jsonx",
    "application/*",
    "application/json, text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json;charset=iso-8859-1",
    "application/json;charset=utf-16",
    ";",
  ])("rejects %s", (type) => {
    expect(fault(() => check({ "content-type": type }))).toMatchObject({
      status: 415,
      code: "UnsupportedMediaType",
      target: "Content-Type",
    });
    expect(fault(() => check({ "content-type": type }, 10, null))).toMatchObject({ status: 415 });
  });

  test("requires a type for a body only", () => {
    expect(fault(() => check({}))).toMatchObject({ status: 415, target: "Content-Type" });
    expect(check({}, 10, null)).toEqual({ ieee754Compatible: false });
  });

  test.each(["gzip", "br", "deflate", "identity, gzip", "unknown"])("rejects Content-Encoding: %s", (coding) => {
    const headers = { "content-type": "application/json", "content-encoding": coding };
    expect(fault(() => check(headers))).toMatchObject({
      status: 415,
      target: "Content-Encoding",
      headers: { "Accept-Encoding": "identity" },
    });
  });

  test("accepts Content-Encoding: identity", () => {
    const headers = { "content-type": "application/json", "content-encoding": "Identity" };
    expect(check(headers)).toEqual({ ieee754Compatible: false });
  });

  test("rejects a Content-Length above the limit before it checks the type", () => {
    const headers = { "content-type": "text/plain", "content-length": "11" };
    expect(fault(() => check(headers))).toMatchObject({ status: 413, code: "PayloadTooLarge" });
    expect(fault(() => check({ ...headers, "content-length": "10" }))).toMatchObject({ status: 415 });
    expect(fault(() => check(headers, null))).toMatchObject({ status: 415 });
    expect(fault(() => check({ ...headers, "content-length": "99999999999999999999" }, null))).toMatchObject({
      status: 413,
    });
  });
});

describe("BodyBuffer", () => {
  test("gathers any chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 12 }), (chunks) => {
        const buffer = new BodyBuffer(null, undefined);
        const copies = chunks.map((chunk) => chunk.slice());
        for (const chunk of chunks) buffer.add(chunk);
        expect(Buffer.compare(buffer.end(), Buffer.concat(copies))).toBe(0);
        expect(chunks).toEqual(copies);
      }),
      { numRuns: 50 },
    );
  });

  const sized = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 16_000, max: 70_000 }));

  test("gathers small and large chunks in any order, and continues after the end", () => {
    fc.assert(
      fc.property(fc.array(sized, { maxLength: 40, size: "max" }), sized, (lengths, pad) => {
        // A chunk may be a part of a larger memory.
        const chunks = lengths.map((length, index) => new Uint8Array(length + pad).fill(index + 1).subarray(0, length));
        const buffer = new BodyBuffer(null, undefined);
        const half = Math.floor(chunks.length / 2);
        for (const chunk of chunks.slice(0, half)) buffer.add(chunk);
        expect(Buffer.compare(buffer.end(), Buffer.concat(chunks.slice(0, half)))).toBe(0);
        for (const chunk of chunks.slice(half)) buffer.add(chunk);
        expect(Buffer.compare(buffer.end(), Buffer.concat(chunks))).toBe(0);
        expect(buffer.end()).toBe(buffer.end());
      }),
      { numRuns: 50 },
    );
  });

  test("copies each byte of a long body at most twice", () => {
    const set = vi.spyOn(Uint8Array.prototype, "set");
    const copied = (): number => set.mock.calls.reduce((sum, [from]) => sum + from.length, 0);
    const small = new BodyBuffer(null, undefined);
    for (let index = 0; index < 300_000; index += 1) small.add(Uint8Array.of(index));
    expect(small.end()).toHaveLength(300_000);
    expect(copied()).toBeLessThanOrEqual(2 * 300_000);
    set.mockClear();
    const large = new BodyBuffer(null, undefined);
    for (let index = 0; index < 64; index += 1) large.add(new Uint8Array(65_536));
    expect(copied()).toBe(0);
    expect(large.end()).toHaveLength(64 * 65_536);
    expect(copied()).toBe(64 * 65_536);
    set.mockRestore();
  });

  test("accepts bytes up to the limit, and not one more", () => {
    const buffer = new BodyBuffer(5, undefined);
    buffer.add(ENCODER.encode("ab"));
    buffer.add(ENCODER.encode("cde"));
    expect(new TextDecoder().decode(buffer.end())).toBe("abcde");
    expect(fault(() => buffer.add(ENCODER.encode("f")))).toMatchObject({ status: 413 });
  });

  test("rejects a body that is shorter than announced", () => {
    const buffer = new BodyBuffer(null, 3);
    buffer.add(ENCODER.encode("ab"));
    expect(fault(() => buffer.end())).toMatchObject({ status: 400, code: "InvalidBody" });
    buffer.add(ENCODER.encode("c"));
    expect(buffer.end()).toHaveLength(3);
  });
});

describe("parseBody", () => {
  test.each(["", " ", "\r\n\t", "\ufeff", "\ufeff "])("%j is empty", (text) => {
    const error = fault(() => parseBody(ENCODER.encode(text), 64));
    expect(error).toMatchObject({ status: 400, code: "InvalidBody", target: undefined });
    expect(error.message).toContain("empty");
  });

  test("accepts one byte order mark, but not two", () => {
    expect(parseBody(ENCODER.encode("\ufeff[1]"), 64)).toEqual([1]);
    expect(fault(() => parseBody(ENCODER.encode("\ufeff\ufeff[1]"), 64))).toMatchObject({ code: "InvalidBody" });
  });

  test.each([
    [[0x22, 0xff, 0x22]],
    [[0x22, 0xc3, 0x22]],
    [[0x22, 0xc0, 0xaf, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0xff, 0xfe, 0x7b, 0, 0x7d, 0]],
  ])("%j is not UTF-8", (bytes) => {
    expect(fault(() => parseBody(Uint8Array.from(bytes), 64))).toMatchObject({ status: 400, code: "InvalidBody" });
    // The error leaves the decoder unchanged.
    expect(parseBody(ENCODER.encode('"ä"'), 64)).toBe("ä");
  });

  test("syntax errors state their position", () => {
    const error = fault(() => parseBody(ENCODER.encode('{"a":tru}'), 64));
    expect(error).toMatchObject({ status: 400, code: "InvalidBody", target: undefined });
    expect(error.message).toBe(
      'The body cannot be read. Unexpected "tru": expected a value at line 1, column 6 (position 5).',
    );
    expect(fault(() => parseBody(ENCODER.encode('{"a":{"b":1,"b":1}}'), 64))).toMatchObject({ target: "a/b" });
    expect(fault(() => parseBody(ENCODER.encode("[[1]]"), 1)).message).toContain("deeper than 1 levels");
  });
});

describe("parseBody of a large body", () => {
  const LARGE = 12_000_000;

  test.each([
    ["ASCII", "x".repeat(LARGE)],
    ["characters of two bytes", `x${"ü".repeat(LARGE / 2)}`],
    ["characters of three bytes", `xx${"日".repeat(LARGE / 3)}`],
    ["characters of four bytes", `x${"😀".repeat(LARGE / 4)}`],
  ])("reads %s", (_name, text) => {
    expect(parseBody(ENCODER.encode(JSON.stringify({ text })), 64)).toEqual({ text });
  });

  test.each([
    ["blank", " ".repeat(LARGE), { code: "InvalidBody", message: "The body is empty. Send a JSON object." }],
    [
      "cut off",
      `${"\n".repeat(LARGE)}["a"`,
      {
        message: `The body cannot be read. The JSON text ends too early: expected "," or "]" at line ${String(LARGE + 1)}, column 5 (position ${String(LARGE + 4)}).`,
      },
    ],
    ["one value too long", `[${"1,".repeat(LARGE / 2)}1]`, { code: "PayloadTooLarge" }],
    ["a member twice", `{"a":"${"x".repeat(LARGE)}","a":1}`, { code: "InvalidBody", target: "a" }],
  ])("refuses a body that is %s", async (_name, text, expected) => {
    expect(await rejection(() => parseBody(ENCODER.encode(text), 64, LARGE / 2))).toMatchObject(expected);
  });

  test("refuses bytes that are not UTF-8, wherever they are", async () => {
    const bytes = ENCODER.encode(`"${"x".repeat(LARGE)}"`);
    for (const at of [1, (1 << 20) - 1, 1 << 20, LARGE]) {
      for (const byte of [0x80, 0xc3, 0xff]) {
        const changed = bytes.with(at, byte);
        const message = "The body is not UTF-8. Send JSON in UTF-8.";
        expect(await rejection(() => parseBody(changed, 64))).toMatchObject({ code: "InvalidBody", message });
      }
    }
  });
});

describe("the web door", () => {
  test("reads a body in chunks", async () => {
    const request = fetchRequest(stream('{"a":', "1", "", "}"), { "content-type": "application/json" });
    expect(request.hasBody).toBe(true);
    expect(await readJsonBody(request, { maxBytes: 7, maxDepth: 1, maxValues: null })).toEqual({ a: 1 });
  });

  test("reads an absent body at once", () => {
    const request = fetchRequest(null);
    expect(request.hasBody).toBe(false);
    expect(request.readBody(0)).toEqual(new Uint8Array(0));
    expect(fault(() => readJsonBody(request, { maxBytes: null, maxDepth: null, maxValues: null }))).toMatchObject({
      code: "InvalidBody",
    });
  });

  test("reads no further than the limit", async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(10));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const request = fetchRequest(endless, { "content-type": "application/json" });
    expect(await rejection(() => request.readBody(25))).toMatchObject({ status: 413, code: "PayloadTooLarge" });
    expect([pulled, cancelled]).toEqual([3, true]);
  });

  test("rejects a body that is cut off, and a stream that fails", async () => {
    const short = fetchRequest(stream("{}"), { "content-type": "application/json", "content-length": "3" });
    expect(await rejection(() => short.readBody(null))).toMatchObject({ status: 400, code: "InvalidBody" });
    const failing = new ReadableStream<Uint8Array>({
      pull() {
        throw new Error("reset");
      },
    });
    expect(await rejection(() => fetchRequest(failing).readBody(null))).toMatchObject({ status: 400 });
  });

  test("reports a body that the application has already read", async () => {
    const request = new Request("http://service.example/", { method: "POST", body: "{}" });
    await request.text();
    expect(() => fromFetchRequest(request).readBody(null)).toThrow(/read before it reached/u);
  });
});

describe("the node door", () => {
  const open: Array<{ readonly server: Server; readonly socket: Socket }> = [];

  afterAll(() => {
    for (const { server, socket } of open) {
      socket.destroy();
      server.close();
    }
  });

  /** Sends raw bytes, and returns the result of the handler. */
  async function read<T>(
    head: readonly string[],
    handle: (request: ODataRequest, message: IncomingMessage, response: ServerResponse) => T | Promise<T>,
    send: (socket: Socket) => void,
  ): Promise<T> {
    let seen!: (value: T | PromiseLike<T>) => void;
    const result = new Promise<T>((resolve) => {
      seen = resolve;
    });
    const server = createServer((message, response) => {
      seen(Promise.resolve().then(() => handle(fromIncomingMessage(message, response), message, response)));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => undefined);
    open.push({ server, socket });
    socket.write(`POST /Set HTTP/1.1\r\nHost: service.example\r\n${head.join("\r\n")}\r\n\r\n`);
    send(socket);
    return result;
  }

  test("reads a body that arrives in pieces", async () => {
    const bytes = await read(
      ["Content-Length: 7"],
      (request) => request.readBody(7),
      (socket) => {
        socket.write('{"a"');
        setTimeout(() => socket.write(":1}"), 20);
      },
    );
    expect(new TextDecoder().decode(bytes)).toBe('{"a":1}');
  });

  test("reads a chunked body up to the limit", async () => {
    const chunked = (request: ODataRequest): unknown => request.readBody(4);
    const head = ["Transfer-Encoding: chunked"];
    const bytes = await read(head, chunked, (socket) => socket.write("2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n"));
    expect(bytes).toEqual(ENCODER.encode("abcd"));
    const error = await rejection(() => read(head, chunked, (socket) => socket.write("3\r\nabc\r\n2\r\nde\r\n")));
    expect(error).toMatchObject({ status: 413, code: "PayloadTooLarge" });
  });

  test("reads a complete body at once", async () => {
    const late = async (request: ODataRequest, message: IncomingMessage): Promise<unknown> => {
      while (!message.complete) await delay(5);
      return [request.readBody(null)];
    };
    const [bytes] = (await read(["Content-Length: 2"], late, (socket) => socket.write("{}"))) as unknown[];
    expect(bytes).toEqual(Buffer.from("{}"));
    const tooMuch = async (request: ODataRequest, message: IncomingMessage): Promise<unknown> => {
      while (!message.complete) await delay(5);
      return fault(() => request.readBody(1));
    };
    expect(await read(["Content-Length: 2"], tooMuch, (socket) => socket.write("{}"))).toMatchObject({ status: 413 });
    const none = async (request: ODataRequest, message: IncomingMessage): Promise<unknown> => {
      while (!message.complete) await delay(5);
      return request.readBody(1);
    };
    expect(await read(["Transfer-Encoding: chunked"], none, (socket) => socket.write("0\r\n\r\n"))).toHaveLength(0);
  });

  test("a client that disconnects within the body", async () => {
    const error = await rejection(() =>
      read(
        ["Content-Length: 7"],
        (request) => request.readBody(null),
        (socket) => {
          socket.write('{"a"');
          setTimeout(() => socket.destroy(), 20);
        },
      ),
    );
    expect(error).toMatchObject({ status: 400, code: "InvalidBody" });
    expect(error.message).toContain("shorter than Content-Length");
  });

  test("reports a body that the application has already read", async () => {
    const handle = async (request: ODataRequest, message: IncomingMessage): Promise<unknown> => {
      for await (const chunk of message) expect(chunk).toHaveLength(2);
      return request.readBody(null);
    };
    await expect(read(["Content-Length: 2"], handle, (socket) => socket.write("{}"))).rejects.toThrow(
      /read before it reached/u,
    );
  });
});
