import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

const ROWS = 1_000_000;

/** Megabytes. The sources need about 150 more than the built package, because Node.js removes their types. */
const MOST_MEMORY = 400;

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
  const first = fork(PROGRAM, [file], SETTINGS);
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

/** Starts a server for one test. */
async function startServer(): Promise<Server> {
  const child = fork(PROGRAM, [file], SETTINGS);
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
  nextLink: string | undefined;
}

/** The most characters of an entity, or of an envelope. */
const LONGEST = 1000;

/** Reads the numbers that follow a name, which rise from the last ones on, and the link at the end. */
async function readPage(url: string, name: string, last: number): Promise<ReadPage> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBeNull();
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) throw new Error("The response has no body.");
  const page: ReadPage = { count: 0, falls: 0, last, nextLink: undefined };
  const decoder = new TextDecoder();
  const pattern = new RegExp(`"${name}":([\\d.]+),`, "gu");
  let [head, rest] = ["", ""];
  for await (const chunk of body) {
    if (head.length < LONGEST) head += new TextDecoder("latin1").decode(chunk.subarray(0, LONGEST));
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
  page.nextLink = /"@odata\.nextLink":"([^"]+)"/u.exec(head + rest)?.[1];
  return page;
}

test.each(["ID", "Total"])(
  "pages of a million rows in the order of %s have each row once, in flat memory",
  async (order) => {
    const { port, peakMemory } = await startServer();
    const all = { count: 0, falls: 0, last: -1 };
    for (
      let link: string | undefined = `http://127.0.0.1:${String(port)}/Orders?$orderby=${order}`;
      link !== undefined;
    ) {
      const page: ReadPage = await readPage(link, order, all.last);
      expect(page.count).toBe(10_000);
      all.count += page.count;
      all.falls += page.falls;
      all.last = page.last;
      link = page.nextLink;
    }
    // Each value occurs once, so a list that only rises has no row twice.
    expect([all.count, all.falls]).toEqual([ROWS, 0]);
    expect(await peakMemory()).toBeLessThan(MOST_MEMORY);
  },
);
