import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Http2ServerRequest, Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import { expect, test } from "vitest";
import { fromIncomingMessage } from "../../../src/hosts/adapters/node-request.ts";
import type { ODataRequest } from "../../../src/http/odata-request.ts";

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
    resume: () => undefined,
    ...state,
  });
  return { stream: stream as unknown as ServerHttp2Stream & { destroyed: boolean; writableFinished: boolean }, sent };
}

type Fields = Readonly<Record<string, string | string[]>>;

/** Reads a stream through the compatibility API of Node.js. */
function readStream(stream: ServerHttp2Stream, fields: Fields, awaitsContinue = false): ODataRequest {
  const message: object = new Http2ServerRequest(stream, fields, {}, Object.entries(fields).flat(2));
  const response: object = new Http2ServerResponse(stream);
  return fromIncomingMessage(message as IncomingMessage, response as ServerResponse, { awaitsContinue });
}

const requestOf = (fields: Fields, state: Readonly<Record<string, unknown>> = {}) =>
  readStream(streamIn(state).stream, fields);

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

test("a target with an authority is a path, and does not replace the host", () => {
  const { target, host } = requestOf({ ":authority": "a.example", ":path": "http://b.example/x" });
  expect([target, host]).toEqual(["/http://b.example/x", "a.example"]);
});

test("headers of several values are joined, and pseudo-headers are none", () => {
  const request = requestOf({ ":path": "/x", accept: "text/plain", "set-cookie": ["a=1", "b=2"] });
  expect([request.header("set-cookie"), request.header("prefer")]).toEqual(["a=1, b=2", undefined]);
  expect([...new Set(request.headers.keys())].toSorted()).toEqual(["accept", "set-cookie"]);
  expect(request.headers).toBe(request.headers);
});

test("the signal is aborted for a client that has left, or leaves before the end of the response", () => {
  expect(requestOf({}, { aborted: true }).signal.aborted).toBe(true);
  expect(requestOf({}, { destroyed: true }).isAborted).toBe(true);
  for (const isFinished of [true, false]) {
    const { stream } = streamIn();
    const request = readStream(stream, {});
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
])("100 Continue is sent once, unless the response has begun: %j", (state, asked) => {
  const { stream, sent } = streamIn(state);
  void Promise.resolve(readStream(stream, { expect: "100-continue" }, true).readBody(null)).catch(() => undefined);
  expect(sent).toEqual(asked);
});
