import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** Three processes serve one PostgreSQL database behind a proxy. They share a secret, and nothing else. */

const url = process.env["ODATAKIT_POSTGRES"];
const COPIES = 3;
const RACES = caseCount(1000);
const ROWS = 60;
const SENDERS = 6;
/** Milliseconds, many times longer than a check of readiness takes. */
const DRAIN_DELAY = 3000;
const SCRIPT = path.join(import.meta.dirname, "copy-server.ts");

interface Copy {
  readonly child: ChildProcess;
  readonly port: number;
}

/** @param drainDelay longer than connections under way take */
async function startCopy(schema: string, drainDelay = 1000): Promise<Copy> {
  const child = spawn(process.execPath, ["--conditions=source", SCRIPT, url ?? "", schema, String(drainDelay)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line]: unknown[] = await once(child.stdout, "data");
  return { child, port: Number(String(line)) };
}

async function stopCopy({ child }: Copy): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

/** Passes each request to the next copy, and to further copies if the connection is refused. */
class Proxy {
  readonly copies: Copy[] = [];
  readonly #server: Server;
  #turn = 0;

  /** @param tries the number of further copies; 0 for a proxy that never passes a request on */
  constructor(tries: number) {
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing, tries));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, tries: number): void {
    this.#turn += 1;
    const { port } = this.copies[this.#turn % this.copies.length] ?? { port: 0 };
    const { method, url: target, headers } = incoming;
    const passed = request({ host: "127.0.0.1", port, method, path: target, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", (error: Error & { readonly code?: string }) => {
      if (error.code === "ECONNREFUSED" && tries > 0) this.#pass(incoming, outgoing, tries - 1);
      else outgoing.writeHead(502).end(error.message);
    });
    incoming.pipe(passed);
  }
}

describe.skipIf(url === undefined)("three copies of a service behind a proxy", () => {
  const schema = `copies_${String(process.pid)}`;
  const proxy = new Proxy(COPIES);
  let admin: AnyDatabase;
  let root = "";

  beforeAll(async () => {
    admin = new Kysely({ dialect: postgresDialect({ pool: new Pool({ connectionString: url, max: 1 }) }) });
    await sql`create schema ${sql.id(schema)}`.execute(admin);
    await sql`create table ${sql.id(schema, "items")} (
      id integer primary key, name text collate "C" not null, version integer not null)`.execute(admin);
    await sql`insert into ${sql.id(schema, "items")}
      select n, 'item ' || (n % 7), 0 from generate_series(1, ${sql.lit(ROWS)}) n`.execute(admin);
    proxy.copies.push(...(await Promise.all(Array.from({ length: COPIES }, () => startCopy(schema)))));
    root = await proxy.listen();
  });
  afterAll(async () => {
    proxy.close();
    await Promise.all(proxy.copies.map(stopCopy));
    await sql`drop schema ${sql.id(schema)} cascade`.execute(admin);
    await admin.destroy();
  });

  /** Sends a request to one copy, under the host of the proxy. */
  async function ask(copy: number, target: string, init: { readonly body?: string; readonly tag?: string } = {}) {
    const { port } = proxy.copies[copy] ?? { port: 0 };
    const headers = {
      Host: new URL(root).host,
      ...(init.tag !== undefined && { "If-Match": init.tag, "Content-Type": "application/json" }),
    };
    const method = init.body === undefined ? "GET" : "PATCH";
    const asked = request({ host: "127.0.0.1", port, method, path: target, headers });
    asked.end(init.body);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    const text = (await answer.toArray()).join("");
    return { status: answer.statusCode, tag: answer.headers.etag, text };
  }

  test("every copy sends the same bodies and ETags", async () => {
    for (const target of ["/Items(1)", "/Items?$top=3&$count=true", "/$metadata"]) {
      const [first, ...others] = await Promise.all([0, 1, 2].map((copy) => ask(copy, target)));
      expect(first?.status).toBe(200);
      expect(others).toEqual([first, first]);
    }
    expect((await ask(0, "/Items(1)")).tag).toMatch(/^W?\/?"/);
  });

  test("the next link of one copy leads to the next page of any other", async () => {
    const ids: number[] = [];
    let target: string | undefined = "/Items?$orderby=Name desc";
    let pages = 0;
    while (target !== undefined) {
      const response = await fetch(new URL(target, root), { headers: { Prefer: "odata.maxpagesize=7" } });
      expect(response.status).toBe(200);
      const page = (await response.json()) as {
        readonly value: readonly { readonly Id: number }[];
        readonly "@odata.nextLink"?: string;
      };
      ids.push(...page.value.map(({ Id }) => Id));
      target = page["@odata.nextLink"];
      expect(target ?? "$skiptoken=").toContain("$skiptoken=");
      pages += 1;
    }
    expect(pages).toBeGreaterThan(COPIES);
    const whole = JSON.parse((await ask(0, "/Items?$orderby=Name%20desc")).text) as {
      readonly value: readonly { readonly Id: number }[];
    };
    expect(ids).toEqual(whole.value.map(({ Id }) => Id));
    expect(new Set(ids).size).toBe(ROWS);
  });

  test("races between two copies have one winner each", async () => {
    let tag = String((await ask(0, "/Items(1)")).tag);
    for (let round = 1; round <= RACES; round += 1) {
      const body = JSON.stringify({ Version: round });
      const both = [round % COPIES, (round + 1) % COPIES];
      const answers = await Promise.all(both.map((copy) => ask(copy, "/Items(1)", { body, tag })));
      const [first = 0, second = 0] = answers.map(({ status }) => status);
      expect([Math.min(first, second), Math.max(first, second)]).toEqual([200, 412]);
      tag = String(answers.find(({ status }) => status === 200)?.tag);
    }
    expect(JSON.parse((await ask(2, "/Items(1)")).text)).toMatchObject({ Version: RACES });
  });

  /** Sends reads and writes through a proxy while `under.load` is true. @returns the number of responses of each status */
  async function load(place: string, under: { readonly load: boolean }): Promise<ReadonlyMap<number, number>> {
    const statuses = new Map<number, number>();
    const send = async (sender: number): Promise<void> => {
      for (let count = 0; under.load; count += 1) {
        const isWrite = count % 3 === 0;
        const init = {
          method: "PATCH",
          headers: { "Content-Type": "application/json", "If-Match": "*" },
          body: JSON.stringify({ Version: count }),
        };
        const response = await fetch(`${place}/Items(${String(2 + sender)})`, isWrite ? init : {});
        await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, (_none, sender) => send(sender)));
    return statuses;
  }

  const isReady = async ({ port }: Copy): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${String(port)}/readyz`)).status === 200;

  test("no request fails while each copy is replaced", async () => {
    const under = { load: true };
    const loaded = load(root, under);
    for (let index = 0; index < COPIES; index += 1) {
      const old = proxy.copies[index];
      if (old === undefined) throw new Error("There is no such copy.");
      const next = await startCopy(schema);
      expect(await isReady(next)).toBe(true);
      proxy.copies[index] = next;
      await stopCopy(old);
      await sleep(100);
    }
    under.load = false;
    const statuses = await loaded;
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(100);
  });

  test("no request fails with a balancer that checks readiness and never retries a request", async () => {
    const balancer = new Proxy(0);
    const running = [await startCopy(schema, DRAIN_DELAY), await startCopy(schema, DRAIN_DELAY)];
    balancer.copies.push(...running);
    const place = await balancer.listen();
    const under = { load: true };
    const loaded = load(place, under);
    for (const old of running) {
      const next = await startCopy(schema, DRAIN_DELAY);
      expect(await isReady(next)).toBe(true);
      balancer.copies.push(next);
      const exited = once(old.child, "exit");
      old.child.kill("SIGTERM");
      await expect.poll(() => isReady(old)).toBe(false);
      balancer.copies.splice(balancer.copies.indexOf(old), 1);
      await exited;
    }
    under.load = false;
    const statuses = await loaded;
    balancer.close();
    await Promise.all(balancer.copies.map(stopCopy));
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(100);
  });
});
