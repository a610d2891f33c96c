import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const ROWS = 1_000_000;

/**
 * Megabytes. The sources need about 150 more than the built package, because Node.js removes their types: `npm run
 * bench:record -- stream` compares the built package with its budget of 150. All rows at once would need more than 500.
 */
const MOST_MEMORY = 300;

/** Milliseconds. */
const SLOW_READER = 1500;
/** The client of these tests reads all the time, but a busy machine may stop it. */
const BUSY_READER = 30_000;

/** Bytes that the operating system may hold between both ends of a connection. */
const MOST_HELD = 16e6;

const folder = mkdtempSync(path.join(tmpdir(), "million-"));
const file = path.join(folder, "orders.db");

const PROGRAM = path.join(import.meta.dirname, "million-server.ts");
/** A first server keeps its sources without types. The others need 30 MB less to load them. */
const SETTINGS = {
  execArgv: ["--conditions=source"],
  env: { ...process.env, NODE_COMPILE_CACHE: path.join(folder, "code") },
};

async function endServer(server: ChildProcess): Promise<void> {
  const ended = once(server, "exit");
  server.disconnect();
  await ended;
}

beforeAll(async () => {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma journal_mode = wal;
    create table Orders (ID integer primary key, Status text not null, Total real not null, Note text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(ROWS)})
    insert into Orders select i, 'open', (i * 7919) % 1000003 + 0.5, case when i % 5 > 0 then 'Größe "L"' end from n;
    analyze`);
  database.close();
  const first = fork(PROGRAM, [file, String(SLOW_READER)], SETTINGS);
  await once(first, "message");
  await endServer(first);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Server {
  readonly port: number;
  readonly peakMemory: () => Promise<number>;
}

/** Starts a server for one test. @param slowReader milliseconds without reading after which it ends a connection */
async function startServer(slowReader: number): Promise<Server> {
  const child = fork(PROGRAM, [file, String(slowReader)], SETTINGS);
  onTestFinished(() => endServer(child));
  const [port] = (await once(child, "message")) as [number];
  return {
    port,
    peakMemory: async () => {
      const answer = once(child, "message");
      child.send("memory");
      const [peak] = (await answer) as [number];
      return peak;
    },
  };
}

/** The content of a page. */
interface ReadPage {
  count: number;
  /** How often a number is not above the one before. */
  falls: number;
  last: number;
  bytes: number;
  nextLink: string | undefined;
}

/** The most characters of an entity, or of the end of a page. */
const LONGEST = 1000;

/** Reads the numbers that follow a name, which rise from the last ones on, and the link at the end. */
async function readPage(url: string, name: string, last: number): Promise<ReadPage> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBeNull();
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) throw new Error("The response has no body.");
  const page: ReadPage = { count: 0, falls: 0, last, bytes: 0, nextLink: undefined };
  const decoder = new TextDecoder();
  const pattern = new RegExp(`"${name}":([\\d.]+),`, "gu");
  let rest = "";
  for await (const chunk of body) {
    page.bytes += chunk.length;
    const text = rest + decoder.decode(chunk, { stream: true });
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      end = match.index + match[0].length;
      page.count += 1;
      if (Number(match[1]) <= page.last) page.falls += 1;
      page.last = Number(match[1]);
    }
    rest = text.slice(Math.max(end, text.length - LONGEST));
  }
  page.nextLink = /"@odata\.nextLink":"([^"]+)"\}$/u.exec(rest)?.[1];
  return page;
}

/** The default of `maxResponseBytes`, with the envelope. */
const MOST_BYTES = 64_000_000 + LONGEST;

test.each(["ID", "Total"])(
  "pages of a million rows in the order of %s have each row once, in flat memory",
  async (order) => {
    const { port, peakMemory } = await startServer(BUSY_READER);
    const first = await readPage(`http://127.0.0.1:${String(port)}/Orders?$orderby=${order}`, order, -1);
    const second = await readPage(first.nextLink ?? "", order, first.last);
    // Each value occurs once, so a list that only rises has no row twice.
    expect([first.count + second.count, first.falls + second.falls]).toEqual([ROWS, 0]);
    expect(second.nextLink).toBeUndefined();
    // The first page is nearly full, whatever reads its rows.
    expect(first.bytes).toBeLessThan(MOST_BYTES);
    expect(first.bytes).toBeGreaterThan(MOST_BYTES - 200_000);
    expect(await peakMemory()).toBeLessThan(MOST_MEMORY);
  },
);

test("nothing is buffered for a client that does not read, and its connection ends", async () => {
  const { port, peakMemory } = await startServer(SLOW_READER);
  const before = await peakMemory();
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write("GET /Orders HTTP/1.1\r\nHost: x\r\n\r\n");
  await pause(3 * SLOW_READER);
  const other = await fetch(`http://127.0.0.1:${String(port)}/Orders(1)?$select=ID`);
  expect(other.status).toBe(200);
  let received = 0;
  socket.on("data", (chunk) => (received += chunk.length));
  socket.resume();
  if (!socket.closed) await once(socket, "close");
  expect(received).toBeLessThan(MOST_HELD);
  expect(await peakMemory()).toBeLessThan(Math.max(before + 30, MOST_MEMORY));
});
