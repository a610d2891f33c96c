import { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { expect, test } from "vitest";
import { Http2Request } from "../../src/adapters/http2-request.ts";

/** A stream in a state that a test cannot time in a real one. */
function streamIn(state: Readonly<Record<string, unknown>> = {}) {
  const sent: unknown[] = [];
  const stream = Object.assign(new EventEmitter(), {
    aborted: false,
    destroyed: false,
    writableFinished: false,
    endAfterHeaders: false,
    readableDidRead: false,
    headersSent: false,
    additionalHeaders: (headers: unknown) => sent.push(headers),
    ...state,
  });
  return { stream: stream as unknown as ServerHttp2Stream & { destroyed: boolean; writableFinished: boolean }, sent };
}

const requestOf = (
  fields: Readonly<Record<string, string | string[]>>,
  state: Readonly<Record<string, unknown>> = {},
) => new Http2Request(streamIn(state).stream, fields);

test("a request without pseudo-headers is a GET of the root, and names no host", () => {
  const { method, target, host } = requestOf({});
  expect([method, target, host]).toEqual(["GET", "/", ""]);
});

test.each([
  [{ ":authority": "a.example" }, "a.example"],
  [{ host: "b.example" }, "b.example"],
  [{ ":authority": "a.example", host: "a.example" }, "a.example"],
  [{ ":authority": "a.example", host: "b.example" }, ""],
])("the host of %j is %j", (fields, host) => {
  expect(requestOf(fields).host).toBe(host);
});

test("headers of several values are joined, and pseudo-headers are none", () => {
  const request = requestOf({ ":path": "/x", accept: "text/plain", "set-cookie": ["a=1", "b=2"] });
  expect([request.header("set-cookie"), request.header("prefer")]).toEqual(["a=1, b=2", undefined]);
  expect([...request.headers.keys()].toSorted()).toEqual(["accept", "set-cookie"]);
  expect(request.headers).toBe(request.headers);
});

test("the signal is aborted for a client that has left, or leaves before the end of the response", () => {
  expect(requestOf({}, { aborted: true }).signal.aborted).toBe(true);
  expect(requestOf({}, { destroyed: true }).isAborted).toBe(true);
  for (const isFinished of [true, false]) {
    const { stream } = streamIn();
    const request = new Http2Request(stream, {});
    expect(request.isAborted).toBe(false);
    expect(request.signal).toBe(request.signal);
    Object.assign(stream, { destroyed: true, writableFinished: isFinished });
    stream.emit("close");
    expect(request.isAborted).toBe(!isFinished);
  }
});

test("a request without a body has no bytes, and a body is read once", () => {
  expect(requestOf({}, { endAfterHeaders: true }).readBody(null)).toEqual(new Uint8Array(0));
  expect(() => requestOf({}, { readableDidRead: true }).readBody(null)).toThrow(/body/iu);
});

test.each([
  [{}, [{ ":status": 100 }]],
  [{ headersSent: true }, []],
])("a client that waits is asked for its body once, unless the response has begun: %j", (state, asked) => {
  const { stream, sent } = streamIn(state);
  void Promise.resolve(new Http2Request(stream, { expect: "100-continue" }).readBody(null)).catch(() => undefined);
  expect(sent).toEqual(asked);
});
