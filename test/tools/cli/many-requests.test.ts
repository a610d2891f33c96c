import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Agent, request, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { writeSample } from "../../fixtures/databases/load.ts";
import { build, startBuilt } from "./built-program.ts";
import { testFolder } from "./run-program.ts";

const REQUESTS = 10_000;
const AT_ONCE = 8;
const JSON_BODY = { "Content-Type": "application/json" };

/** A request, and its status. */
interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
}

const PARTS = ["GET Artists?$top=1 HTTP/1.1\r\n\r\n", "DELETE Artists(1) HTTP/1.1\r\n\r\n"].map(
  (sent) => `--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${sent}\r\n`,
);
const BATCH = `${PARTS.join("")}--b--\r\n`;

const MIX: readonly Sent[] = [
  { path: "", status: 200 },
  { path: "/$metadata", status: 200 },
  { path: "/openapi.json", status: 200 },
  { path: "/Artists", status: 200 },
  { path: "/Artists/$count", status: 200 },
  { path: "/Artists(1)", status: 200 },
  { path: "/Artists(1)/Albums", status: 200 },
  { path: "/Artists(1)/Name/$value", status: 200 },
  { path: "/Artists(999999)", status: 404 },
  { path: "/Albums?$expand=Artist,Tracks($top=2)&$orderby=Title desc&$top=3", status: 200 },
  { path: "/Tracks?$filter=contains(Name,'a') and Milliseconds gt 1&$count=true&$select=Name&$skip=1", status: 200 },
  { path: "/Tracks?$apply=groupby((GenreId),aggregate(Milliseconds with sum as Total))", status: 200 },
  { path: "/Tracks?$search=love", status: 200 },
  { path: "/Tracks?$filter=Nope eq 1", status: 400 },
  { path: "/Nope", status: 404 },
  { method: "HEAD", path: "/Artists", status: 200 },
  { method: "POST", path: "/Artists", headers: JSON_BODY, body: '{"Name":"x"}', status: 405 },
  { method: "PATCH", path: "/Artists(1)", headers: JSON_BODY, body: '{"Name":"x"}', status: 405 },
  { method: "PUT", path: "/Artists(1)", headers: JSON_BODY, body: '{"Name":"x"}', status: 405 },
  { method: "DELETE", path: "/Artists(1)", status: 405 },
  { method: "POST", path: "/Artists(1)/Albums/$ref", headers: JSON_BODY, body: "{}", status: 405 },
  {
    method: "POST",
    path: "/$batch",
    headers: { "Content-Type": "multipart/mixed;boundary=b" },
    body: BATCH,
    status: 200,
  },
  { path: "/Artists", headers: { Host: "evil.example" }, status: 421 },
  { path: "/Artists", headers: { Accept: "text/csv" }, status: 406 },
];

async function send(base: URL, agent: Agent, { method = "GET", path, headers, body }: Sent): Promise<[number, string]> {
  const sent = request({
    agent,
    host: base.hostname,
    port: base.port,
    path: encodeURI(base.pathname + path),
    method,
    headers: { ...headers },
  }).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
}

beforeAll(build);

test(`${String(REQUESTS)} requests of all kinds leave the file as it is`, async () => {
  const file = join(testFolder(), "chinook.db");
  await writeSample("chinook", file);
  const digest = (): string => createHash("sha256").update(readFileSync(file)).digest("hex");
  const before = digest();
  const { url, end, elapsed } = await startBuilt(file);
  const base = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const wrong: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < REQUESTS) {
      const sent = MIX[next % MIX.length] ?? expect.fail();
      next += 1;
      const [status, body] = await send(base, agent, sent);
      if (status !== sent.status) wrong.push([sent.method, sent.path, status, body.slice(0, 200)]);
      // A batch answers each of its requests.
      if (sent.body === BATCH && !body.includes("HTTP/1.1 405")) wrong.push([sent.path, body]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  console.info(`${String(REQUESTS)} requests in ${String(elapsed())} ms`);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(readdirSync(dirname(file))).toEqual(["chinook.db"]);
  expect(await end()).toBe(0);
  expect(digest()).toBe(before);
  expect(existsSync(`${file}-wal`)).toBe(false);
});
