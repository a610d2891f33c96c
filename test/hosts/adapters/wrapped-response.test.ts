import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { sendResponse } from "../../../src/hosts/adapters/node-response.ts";
import { started, untilQuiet } from "./hosts.ts";

/** Pipes a response through another stream, as compressing middleware does: `on` and `write` are replaced. */
function throughStream(response: ServerResponse): void {
  const stream = new PassThrough();
  type Method = (...given: unknown[]) => unknown;
  const on = response.on.bind(response) as Method;
  const write = response.write.bind(response) as Method;
  const end = response.end.bind(response) as Method;
  stream.on("data", (chunk: Buffer) => {
    if (write(chunk) === false) stream.pause();
  });
  on("drain", () => stream.resume());
  stream.on("end", () => end());
  Object.assign(response, {
    on: (type: string, listener: () => void) => (type === "drain" ? stream.on(type, listener) : on(type, listener)),
    write: (chunk: string) => stream.write(chunk),
    end: () => stream.end(),
  });
}

/** Middleware that counts, and forgets to return the result. */
function withoutResult(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: string) => boolean;
  Object.assign(response, {
    write: (chunk: string) => {
      write(chunk);
    },
  });
}

const WRAPPERS = [
  ["nothing", () => undefined],
  ["a stream of middleware", throughStream],
  ["middleware whose write returns nothing", withoutResult],
] as const;

const SIZES = [
  ["small chunks, one in each turn", 2000, 12_000, true],
  ["small chunks", 2000, 12_000, false],
  ["long chunks", 60_000, 400, false],
] as const;

const CASES = WRAPPERS.flatMap(([around, wrap]) =>
  SIZES.map(([kind, size, total, pauses]) => ({ around, wrap, kind, size, total, pauses })),
);

test.each(CASES)(
  "around a response is $around: a client that pauses stops a source of $kind",
  async ({ wrap, size, total, pauses }) => {
    let made = 0;
    const server = createServer((_request, response) => {
      wrap(response);
      const body = (async function* () {
        for (; made < total; made++) {
          yield "x".repeat(size);
          if (pauses) await turn();
        }
      })();
      void sendResponse({ status: 200, headers: {}, body }, response);
    });
    const request = get(await started(server), { agent: false });
    onTestFinished(() => void request.destroy());
    const [response] = (await once(request, "response")) as [IncomingMessage];
    await untilQuiet(() => made);
    expect(made).toBeLessThan(total);
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
    expect([length, made]).toEqual([size * total, total]);
  },
);

test("a client that leaves while middleware asks for a pause ends the source", async () => {
  let isEnded = false;
  let made = 0;
  const server = createServer((_request, response) => {
    throughStream(response);
    const body = (async function* () {
      try {
        for (;;) {
          made += 1;
          yield "x".repeat(60_000);
        }
      } finally {
        isEnded = true;
      }
    })();
    void sendResponse({ status: 200, headers: {}, body }, response);
  });
  const request = get(await started(server), { agent: false });
  request.on("error", () => undefined);
  await once(request, "response");
  await untilQuiet(() => made);
  request.destroy();
  await expect.poll(() => isEnded).toBe(true);
});

test("small texts and bytes arrive in their order", async () => {
  const sent = Array.from({ length: 500 }, (_none, index) => `${String(index)}é,`);
  const server = createServer((_request, response) => {
    const body = sent.map((text, index) =>
      index % 3 === 0 ? Buffer.from(text) : text.repeat(index % 7 === 0 ? 2000 : 1),
    );
    void sendResponse({ status: 200, headers: {}, body }, response);
  });
  const text = await (await fetch(await started(server))).text();
  expect(text).toBe(
    sent.map((each, index) => (index % 3 !== 0 && index % 7 === 0 ? each.repeat(2000) : each)).join(""),
  );
});
