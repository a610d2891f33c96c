import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { Kysely, sql } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { createOrderTables } from "./writes-model.ts";

/** The number of deep inserts, and of acknowledged ones before each kill. */
const INSERTS = caseCount(1000);
const BETWEEN_KILLS = [7, 240, 180, 310].map(caseCount);
const LINES = 4;
const SENDERS = 4;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(file: string, ...options: readonly string[]): Promise<Server> {
  const script = path.join(import.meta.dirname, "writes-server.ts");
  const child = spawn(process.execPath, ["--conditions=source", script, file, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line]: unknown[] = await once(child.stdout, "data");
  return { child, port: Number(String(line)) };
}

/** An order with lines and a tag: one transaction. */
function graphOf(number: number): object {
  return {
    ...rowOf(number),
    Tags: [{ Name: `t${String(number)}` }],
    Lines: Array.from({ length: LINES }, (_none, index) => ({ Position: index, Text: `line ${String(index)}` })),
  };
}

/** An order alone: one statement, committed together with those of other requests. */
function rowOf(number: number): object {
  return { Number: `N${String(number)}` };
}

/** Returns the header that names the user of a request. The server stores names that follow from it. */
function userOf(number: number): Readonly<Record<string, string>> {
  return { "X-User": `u${String(number)}` };
}

/** Sends a change set: an order, its lines and a tag, each with an operation. @returns whether it was acknowledged */
async function insertByChangeSet(port: number, number: number): Promise<boolean> {
  const part = (id: string, url: string, body: object): string =>
    `--c\r\nContent-Type: application/http\r\nContent-ID: ${id}\r\n\r\nPOST ${url} HTTP/1.1\r\n` +
    `Content-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n`;
  const lines = Array.from({ length: LINES }, (_none, index) =>
    part(`l${String(index)}`, "$o/Lines", { Position: index, Text: `line ${String(index)}` }),
  );
  const tag = { "@odata.id": "$t" };
  const parts = [part("o", "Orders", rowOf(number)), ...lines, part("t", "Tags", { Name: `t${String(number)}` })];
  const changes = [...parts, part("r", "$o/Tags/$ref", tag)].join("");
  try {
    const response = await fetch(`http://127.0.0.1:${String(port)}/$batch`, {
      method: "POST",
      headers: { "Content-Type": "multipart/mixed; boundary=b", ...userOf(number) },
      body: `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${changes}--c--\r\n--b--\r\n`,
    });
    const text = await response.text();
    if (text.includes("HTTP/1.1 201 Created") && text.endsWith("--\r\n")) return true;
    throw new Error(text);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Sends one insert. @returns the key of the order; null without a response */
async function insert(port: number, number: number, body: object): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${String(port)}/Orders`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...userOf(number) },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) return null;
    const { Id } = (await response.json()) as { readonly Id: number };
    return Id;
  } catch {
    return null;
  }
}

/** The rows whose values of `set` are missing, or are not those of the request that inserted their order. */
async function unlikeTheirOrder(db: AnyDatabase): Promise<readonly unknown[]> {
  const { rows } = await sql`
    with written as (
      select id, number, author, editor, changed from orders
      union all select o.id, number, l.author, l.editor, l.changed from order_lines l join orders o on o.id = order_id
      union all select o.id, number, t.author, t.editor, t.changed from tags t join order_tags on tag = t.name join orders o on o.id = order_id
    )
    select w.* from written w join orders o on o.id = w.id
    where coalesce(w.author, '') <> 'u' || substr(o.number, 2) or coalesce(w.editor, '') <> w.author
      or o.changed is null or w.changed is not o.changed`.execute(db);
  return rows;
}

test.each([
  { title: "deep insert", bodyOf: graphOf, linesOf: LINES, tagsOf: 1 },
  { title: "insert of one row", bodyOf: rowOf, linesOf: 0, tagsOf: 0 },
  {
    title: "deep insert with hooks and values that the server sets",
    bodyOf: graphOf,
    linesOf: LINES,
    tagsOf: 1,
    options: ["hooks"],
  },
])(
  "keeps every acknowledged $title whole and no other in part after a kill",
  async ({ bodyOf, linesOf, tagsOf, options = [] }) => {
    const folder = mkdtempSync(path.join(tmpdir(), "odatakit-killed-"));
    const file = path.join(folder, "shop.db");
    const open = (): AnyDatabase => new Kysely({ dialect: sqliteDialect(file) });
    const made = open();
    await createOrderTables(made, { name: "sqlite" }, options.includes("hooks"));
    await made.destroy();
    const acknowledged: number[] = [];
    let next = 0;
    for (const most of [...BETWEEN_KILLS, INSERTS]) {
      const { child, port } = await start(file, ...options);
      const exited = once(child, "exit");
      const wanted = Math.min(INSERTS, acknowledged.length + most);
      const sender = async (): Promise<void> => {
        while (acknowledged.length < wanted) {
          next += 1;
          const key = await insert(port, next, bodyOf(next));
          if (key === null) return;
          acknowledged.push(key);
          // The other inserts are unfinished.
          if (acknowledged.length === wanted) child.kill("SIGKILL");
        }
      };
      await Promise.all(Array.from({ length: SENDERS }, sender));
      await exited;
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(INSERTS);
    const db = open();
    const { rows } = await sql<{ id: number; lines: number; tags: number }>`
    select id, (select count(*) from order_lines where order_id = orders.id) as "lines",
      (select count(*) from order_tags where order_id = orders.id) as "tags" from orders`.execute(db);
    const { rows: loose } = await sql<{ n: number }>`
    select (select count(*) from order_lines where order_id not in (select id from orders))
      + (select count(*) from tags where name not in (select tag from order_tags)) as n`.execute(db);
    const unlike = options.includes("hooks") ? await unlikeTheirOrder(db) : [];
    const { rows: check } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    await db.destroy();
    rmSync(folder, { recursive: true });
    expect(rows.filter(({ lines, tags }) => lines !== linesOf || tags !== tagsOf)).toEqual([]);
    expect(loose).toEqual([{ n: 0 }]);
    expect(unlike).toEqual([]);
    expect(check).toEqual([{ integrity_check: "ok" }]);
    const found = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
  },
  300_000,
);

test.each([
  { title: "change set", options: [] },
  { title: "change set with hooks and values that the server sets", options: ["hooks"] },
])("keeps every acknowledged $title whole and no other in part after a kill", async ({ options }) => {
  const folder = mkdtempSync(path.join(tmpdir(), "odatakit-killed-"));
  const file = path.join(folder, "shop.db");
  const open = (): AnyDatabase => new Kysely({ dialect: sqliteDialect(file) });
  const made = open();
  await createOrderTables(made, { name: "sqlite" }, options.includes("hooks"));
  await made.destroy();
  const acknowledged: string[] = [];
  let next = 0;
  for (const most of [3, 20, 20].map(caseCount)) {
    const { child, port } = await start(file, ...options);
    const exited = once(child, "exit");
    const wanted = acknowledged.length + most;
    const sender = async (): Promise<void> => {
      while (acknowledged.length < wanted) {
        next += 1;
        const number = next;
        if (!(await insertByChangeSet(port, number))) return;
        acknowledged.push(`N${String(number)}`);
        if (acknowledged.length === wanted) child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    await exited;
  }
  const db = open();
  const { rows } = await sql<{ number: string; lines: number; tags: number }>`
    select number, (select count(*) from order_lines where order_id = orders.id) as "lines",
      (select count(*) from order_tags where order_id = orders.id) as "tags" from orders`.execute(db);
  const { rows: tags } = await sql<{ n: number }>`select count(*) as n from tags`.execute(db);
  const unlike = options.includes("hooks") ? await unlikeTheirOrder(db) : [];
  await db.destroy();
  rmSync(folder, { recursive: true });
  expect(rows.filter(({ lines, tags: linked }) => lines !== LINES || linked !== 1)).toEqual([]);
  expect(tags).toEqual([{ n: rows.length }]);
  expect(unlike).toEqual([]);
  const found = new Set(rows.map(({ number }) => number));
  expect(acknowledged.filter((number) => !found.has(number))).toEqual([]);
});
