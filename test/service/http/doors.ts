import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { odataService } from "odatakit";
import { toNodeHandler } from "odatakit/node";
import { afterAll, describe, expect } from "vitest";
import { expressServer, listenFastify, MAX_HEADERS, toHonoFetch } from "./host-servers.ts";

/** The authority under which every test reaches its service. */
export const HOST = "service.example";
export const ORIGIN = `http://${HOST}`;

export type Service = ReturnType<typeof odataService>;
export type HeaderTable = Readonly<Record<string, string>>;

/** A response as a client sees it. */
export interface Answer {
  readonly status: number;
  /** By lower-case name, without the headers of the connection and of every response. */
  readonly headers: HeaderTable;
  readonly requestId: string;
  /** Names as they were sent; only node provides them. */
  readonly headerNames: readonly string[];
  readonly text: string;
  // Bodies have every form, and each test checks its own.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly json: any;
}

/** A body: a string or bytes at once, with a declared length; or chunks, without a length. */
export type SentBody = string | Uint8Array | readonly Uint8Array[];

/** Sends one request to the service it was made for. */
export type Send = (target: string, headers?: HeaderTable, method?: string, body?: SentBody) => Promise<Answer>;

/** A way into a service. */
export interface Door {
  readonly name: "web" | "node" | "express" | "fastify" | "hono";
  to(service: Service): Send;
}

/** Headers of the connection, which no service decides about. */
const TRANSPORT: ReadonlySet<string> = new Set([
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
]);

const web = fetchDoor("web", (service) => (request) => service.fetch(request));
const hono = fetchDoor("hono", toHonoFetch);

/** A door of Fetch requests, without a server. */
function fetchDoor(
  name: Door["name"],
  open: (service: Service) => (request: Request) => Response | Promise<Response>,
): Door {
  return {
    name,
    to: (service) => {
      const handle = open(service);
      return async (target, headers, method, body) => {
        const init = { method: method ?? "GET", headers: { ...headers }, ...toFetchBody(body) };
        const response = await handle(new Request(ORIGIN + target, init));
        return toAnswer(response.status, [...response.headers], await response.text(), []);
      };
    },
  };
}

const agent = new Agent({ keepAlive: true });
/** The servers of each door, by their services. All end with the test file, since files share this module. */
const serversOfDoors: Array<Map<Service, Promise<Server>>> = [];

const node = serverDoor("node", (service) =>
  listen(createServer({ maxHeaderSize: MAX_HEADERS }, toNodeHandler(service))),
);
/** The door of `node:http`, with which other doors are compared. */
export const nodeDoor: Door = node;

const express = serverDoor("express", (service) => listen(expressServer(service)));
const fastify = serverDoor("fastify", listenFastify);

/** A door of a real server for each service, which ends with the test file. */
function serverDoor(name: Door["name"], open: (service: Service) => Promise<Server>): Door {
  const known = new Map<Service, Promise<Server>>();
  serversOfDoors.push(known);
  return { name, to: (service) => sendTo(() => portOf(service, known, open)) };
}

function sendTo(portOfService: () => Promise<number>): Send {
  return async (target, headers, method, body) => {
    const port = await portOfService();
    const options = {
      host: "127.0.0.1",
      port,
      path: target,
      agent,
      method: method ?? "GET",
      headers: { Host: HOST, ...headers },
    };
    const [message, text] = await request(options, body);
    const raw = message.rawHeaders;
    const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
    return toAnswer(
      message.statusCode ?? 0,
      pairs,
      text,
      pairs.map(([name]) => name),
    );
  };
}

/**
 * Sends a request. A connection that is kept open may have ended on the other side while this process was busy: then a new
 * one sends it again.
 * @see https://nodejs.org/api/http.html#requestreusedsocket
 */
async function request(options: RequestOptions, body: SentBody | undefined): Promise<[IncomingMessage, string]> {
  return new Promise<[IncomingMessage, string]>((resolve, reject) => {
    const sent = httpRequest(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve([answer, Buffer.concat(chunks).toString("utf8")]));
      answer.on("error", reject);
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(request({ ...options, agent: false }, body));
      else reject(error);
    });
    if (isChunked(body)) {
      for (const chunk of body) sent.write(chunk);
      sent.end();
    } else {
      sent.end(body);
    }
  });
}

function isChunked(body: SentBody | undefined): body is readonly Uint8Array[] {
  return Array.isArray(body);
}

function toFetchBody(body: SentBody | undefined): RequestInit {
  if (body === undefined) return {};
  if (!isChunked(body)) return { body: typeof body === "string" ? body : Uint8Array.from(body) };
  const chunks = body.values();
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
  return { body: stream, duplex: "half" };
}

async function portOf(
  service: Service,
  known: Map<Service, Promise<Server>>,
  open: (service: Service) => Promise<Server>,
): Promise<number> {
  let listening = known.get(service);
  if (listening === undefined) known.set(service, (listening = open(service)));
  return ((await listening).address() as AddressInfo).port;
}

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

afterAll(async () => {
  const listening = await Promise.all(serversOfDoors.flatMap((known) => [...known.values()]));
  for (const known of serversOfDoors) known.clear();
  for (const server of listening) {
    server.closeAllConnections();
    server.close();
  }
});

/**
 * Returns the doors of a run: those of the core in most runs, those of web frameworks in `npm run test:doors`.
 * `ODATAKIT_DOORS` names them.
 */
function doorsOfRun(): readonly Door[] {
  const { ODATAKIT_DOORS: named = "web,node" } = process.env;
  const all = [web, node, express, fastify, hono];
  return named.split(",").map((name) => {
    const door = all.find((each) => each.name === name);
    if (door === undefined) throw new Error(`ODATAKIT_DOORS names no door with "${name}".`);
    return door;
  });
}

/** Runs tests through the doors of this run. */
export function eachDoor(tests: (door: Door) => void): void {
  describe.each(doorsOfRun())("$name", (door) => {
    tests(door);
  });
}

/** Runs tests through the doors of web frameworks, in each run. */
export function eachFramework(tests: (door: Door) => void): void {
  describe.each([express, fastify, hono])("$name", (door) => {
    tests(door);
  });
}

/** Runs tests through the one door that passes targets on exactly as written. */
export function rawDoor(tests: (door: Door) => void): void {
  describe("node", () => {
    tests(node);
  });
}

function toAnswer(status: number, pairs: Array<readonly [string, string]>, text: string, names: string[]): Answer {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (TRANSPORT.has(key)) continue;
    headers[key] = Object.hasOwn(headers, key) ? `${headers[key] ?? ""}, ${value}` : value;
  }
  // Both doors would show a second one here: values of one name are joined.
  expect(headers["odata-version"], "OData-Version, exactly once").toBe("4.0");
  const requestId = takeCommonHeaders(headers);
  const isJson = headers["content-type"]?.startsWith("application/json") === true && text !== "";
  const answer: Omit<Answer, "requestId"> = {
    status,
    headers,
    headerNames: names,
    text,
    json: isJson ? (JSON.parse(text) as unknown) : undefined,
  };
  if (status >= 400 && text !== "") expectEnvelope(answer);
  // Not enumerable, so that two answers which differ in their ids alone are equal.
  return Object.defineProperty(answer as Answer, "requestId", { value: requestId, enumerable: false });
}

/**
 * Asserts the two headers that each answer has, and removes them, so that the tables of headers below hold the rest.
 * @param headers by lower-case name
 * @returns the request id
 */
export function takeCommonHeaders(headers: Record<string, string>): string {
  const requestId = headers["x-request-id"] ?? "";
  expect(requestId, "X-Request-Id, exactly once").toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  const hasContent = headers["content-type"] !== undefined;
  expect(headers["x-content-type-options"], "X-Content-Type-Options").toBe(hasContent ? "nosniff" : undefined);
  delete headers["x-request-id"];
  delete headers["x-content-type-options"];
  return requestId;
}

/** Returns the headers of a Fetch response by lower-case name, without those of every response, which it asserts. */
export function headersOf(response: Response): HeaderTable {
  const headers = Object.fromEntries(response.headers);
  takeCommonHeaders(headers);
  return headers;
}

/** Asserts the common parts of every error: the envelope, its language, and nothing else. */
function expectEnvelope({ json, headers, text }: Omit<Answer, "requestId">): void {
  expect(Object.keys(json), text).toEqual(["error"]);
  const { details, ...error } = json.error;
  if (details !== undefined) expect([Object.keys(json.error).at(-1), details.length > 1]).toEqual(["details", true]);
  const severe = Object.entries(SEVERITY);
  const plain = ((details ?? []) as readonly object[]).map((each) => {
    expect(each, text).toMatchObject(Object.fromEntries(severe.slice(0, 1)));
    return Object.fromEntries(Object.entries(each).filter(([name]) => !Object.hasOwn(SEVERITY, name)));
  });
  for (const fault of [error, ...plain]) {
    expect(Object.keys(fault), text).toEqual(
      Object.hasOwn(fault, "target") ? ["code", "message", "target"] : ["code", "message"],
    );
    for (const value of Object.values(fault)) expect(value).toEqual(expect.stringMatching(/\S/u));
  }
  expect(headers["content-language"]).toBe("en");
  expect(text).not.toMatch(/node_modules|\.ts:\d|\\n\s*at \w|\[object Object\]|\bundefined\b/u);
}

/** The `Vary` header of every 200: the headers that decide about the representation. */
export const VARY = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";
const VERSION = { "odata-version": "4.0" };
export const JSON_HEADERS: HeaderTable = {
  ...VERSION,
  "content-type": "application/json;odata.metadata=minimal",
  vary: VARY,
};
export const TEXT_HEADERS: HeaderTable = { ...VERSION, "content-type": "text/plain", vary: VARY };
export const XML_HEADERS: HeaderTable = { ...VERSION, "content-type": "application/xml", vary: VARY };
export const EMPTY_HEADERS: HeaderTable = VERSION;
export const ERROR_HEADERS: HeaderTable = {
  ...VERSION,
  "content-type": "application/json;odata.metadata=minimal",
  "content-language": "en",
  "cache-control": "no-store",
};

/** The severity of each detail of an error. */
export const SEVERITY: Readonly<Record<string, number>> = {
  "@com.sap.vocabularies.Common.v1.numericSeverity": 4,
  "@Common.numericSeverity": 4,
};

/** Asserts a complete response. Strings are compared exactly, so the order of members counts, too. */
export function expectAnswer(
  answer: Answer,
  expected: { readonly status?: number; readonly headers?: HeaderTable; readonly body: unknown },
): void {
  const { status, headers, text, json } = answer;
  const { body } = expected;
  const actual = { status, headers, body: typeof body === "string" ? text : (json ?? text) };
  expect(actual).toEqual({ status: expected.status ?? 200, headers: expected.headers ?? JSON_HEADERS, body });
}

/** An expected error. `message` is the expected text. */
export interface ExpectedError {
  readonly status: number;
  readonly code: string;
  readonly target?: string;
  readonly message?: RegExp | string;
  readonly headers?: HeaderTable;
}

/** Asserts an error whole: status, all headers, code, target; the message as far as the expectation goes. */
export function expectError(answer: Answer, { status, code, target, message, headers }: ExpectedError): void {
  const said = message instanceof RegExp ? expect.stringMatching(message) : (message ?? expect.stringMatching(/\S/u));
  expect({ status: answer.status, headers: answer.headers, body: answer.json ?? answer.text }).toEqual({
    status,
    headers: { ...ERROR_HEADERS, ...headers },
    body: { error: { code, message: said, ...(target === undefined ? {} : { target }) } },
  });
}

/** Asserts a 400 that names the option at fault. */
export function expectInvalidOption(answer: Answer, target: string, message?: RegExp): void {
  expectError(answer, {
    status: 400,
    code: "InvalidQueryOption",
    target,
    ...(message === undefined ? {} : { message }),
  });
}

/** A path with query options, percent-encoded as a careful client does. */
export function url(path: string, options: Readonly<Record<string, string | number>> = {}): string {
  const pairs = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

/** A link of the service as a target to send. */
export function targetOf(link: string): string {
  expect(link.startsWith(`${ORIGIN}/`), link).toBe(true);
  return link.slice(ORIGIN.length);
}
