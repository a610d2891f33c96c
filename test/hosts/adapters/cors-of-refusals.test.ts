import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import Fastify from "fastify";
import { toFastifyPlugin } from "odatakit/fastify";
import { serve } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { orderService } from "./hosts.ts";

const PAGE = "https://app.example";
const OTHER = "https://other.example";

/** Two services: the pages of one origin may read the first. */
function services() {
  const open = orderService({ name: "open", prefix: "/open", cors: { origins: [PAGE], credentials: true } });
  const closed = orderService({ name: "closed", prefix: "/closed" });
  return [open.service, closed.service];
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly origin: string | null;
  readonly credentials: string | null;
  readonly exposed: boolean;
  readonly vary: string | null;
}

async function refusalOf(url: string, init: RequestInit): Promise<Refusal> {
  const { status, headers, ...response } = await fetch(url, init).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    json: (await answer.json()) as { readonly error: { readonly code: string } },
  }));
  return {
    status,
    code: response.json.error.code,
    origin: headers.get("access-control-allow-origin"),
    credentials: headers.get("access-control-allow-credentials"),
    exposed: headers.get("access-control-expose-headers")?.includes("X-Request-Id") ?? false,
    vary: headers.get("vary"),
  };
}

const READABLE = { origin: PAGE, credentials: "true", exposed: true, vary: "Origin" };
const HIDDEN = { origin: null, credentials: null, exposed: false };

describe("a page reads the errors of the host as those of the service", () => {
  test("a Content-Type that Fastify cannot read", async () => {
    const app = Fastify();
    await app.register(toFastifyPlugin(services()), { prefix: "/api" });
    onTestFinished(() => app.close());
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    const send = (path: string, page: string) =>
      refusalOf(`${origin}${path}`, {
        method: "POST",
        headers: { Origin: page, "Content-Type": "@" },
        body: "{}",
      });
    const unread = { status: 415, code: "UnsupportedMediaType" };
    expect(await send("/api/open/Orders", PAGE)).toEqual({ ...unread, ...READABLE });
    expect(await send("/api/open/Orders", OTHER)).toEqual({ ...unread, ...HIDDEN, vary: "Origin" });
    expect(await send("/api/closed/Orders", PAGE)).toEqual({ ...unread, ...HIDDEN, vary: null });
  });

  test("an Accept-Encoding that excludes every form of a response", async () => {
    const server = await serve(services(), { port: 0, host: "127.0.0.1", compression: true });
    onTestFinished(() => server.close());
    const send = (path: string, page: string) =>
      refusalOf(`${server.url}${path}`, { headers: { Origin: page, "Accept-Encoding": "identity;q=0, *;q=0" } });
    const refused = { status: 406, code: "NotAcceptable" };
    expect(await send("/open/Orders", PAGE)).toEqual({ ...refused, ...READABLE });
    expect(await send("/open/Orders", OTHER)).toEqual({ ...refused, ...HIDDEN, vary: "Origin" });
    expect(await send("/closed/Orders", PAGE)).toEqual({ ...refused, ...HIDDEN, vary: null });
    expect(await send("/nowhere", PAGE)).toEqual({ ...refused, ...HIDDEN, vary: null });
  });
});

test("a server that closes answers requests over open connections with the service", async () => {
  const gate = new EventEmitter();
  const [entered, opened] = [once(gate, "entered"), once(gate, "opened")];
  const { service } = orderService({
    cors: { origins: [PAGE] },
    authenticate: async () => {
      gate.emit("entered");
      await opened;
      return null;
    },
  });
  const server = await serve(service, { port: 0, host: "127.0.0.1" });
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.setNoDelay(true);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const request = `GET /odata/Orders HTTP/1.1\r\nHost: x\r\nOrigin: ${PAGE}\r\n\r\n`;
  socket.write(request);
  await entered;
  const closed = server.close();
  socket.write(request);
  gate.emit("opened");
  await once(socket, "close");
  await closed;
  const last = text.slice(text.lastIndexOf("HTTP/1.1 "));
  expect(last).toMatch(/^HTTP\/1\.1 200 OK\r\n/u);
  expect(last).toMatch(/\r\naccess-control-allow-origin: https:\/\/app\.example\r\n/iu);
});
