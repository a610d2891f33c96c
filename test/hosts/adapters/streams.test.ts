import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyDelta, edm, entitySet, entityType, odataService, type ODataService } from "odatakit";
import { fileStore, toNodeHandler } from "odatakit/node";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { expressServer, listenFastify, toHonoFetch } from "../../service/http/host-servers.ts";

/** Streams in files through each host: bodies arrive and leave chunk by chunk. */

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "streams-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** Returns the files of the store, unfinished ones included. */
function files(): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

function makeService(maxBytes: number, idleTimeout?: number, failures: string[] = []): ODataService {
  const File = entityType("File", {
    id: edm.int32().key(),
    content: edm.stream({ store: fileStore(directory), maxBytes, idleTimeout }),
  });
  const rows = new Map([[1, { id: 1, content: null as string | null }]]);
  const set = entitySet(File, {
    getByKey: (key) => rows.get(key) ?? null,
    patch: (key, delta) => {
      const changed = applyDelta(File, rows.get(key) ?? { id: key, content: null }, delta);
      if (changed !== null) rows.set(key, changed);
      return changed;
    },
  });
  const error = (_message: string, { err }: { readonly err?: unknown }): void => void failures.push(String(err));
  return odataService({ entitySets: [set], profile: "standard", logger: { error, warn: () => {}, info: () => {} } });
}

/** Opens a server, which ends with the test. @returns its port */
async function listen(server: Server): Promise<number> {
  if (!server.listening) {
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
  }
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface Upload {
  readonly port: number;
  /** Makes a chunk; null at the end. */
  readonly next: () => Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends chunks as fast as the server takes them. */
function upload({ port, next, headers = {} }: Upload): Promise<readonly [status: number, etag: string, body: string]> {
  return new Promise((resolve, reject) => {
    const path = "/Files(1)/Content";
    const given = { "Content-Type": "application/octet-stream", ...headers };
    const sent = httpRequest({ host: "127.0.0.1", port, path, method: "PUT", headers: given }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve([answer.statusCode ?? 0, answer.headers.etag ?? "", String(Buffer.concat(chunks))]),
      );
    });
    sent.on("error", reject);
    const send = (): void => {
      for (let chunk = next(); ; chunk = next()) {
        if (chunk === null) return void sent.end();
        if (!sent.write(chunk)) return void sent.once("drain", send);
      }
    };
    send();
  });
}

function get(port: number, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/Files(1)/Content", headers };
    httpRequest(options, resolve).on("error", reject).end();
  });
}

function chunksOf(
  count: number,
  size: number,
): { readonly next: () => Uint8Array | null; readonly digest: () => string } {
  const hash = createHash("sha256");
  let made = 0;
  const next = (): Uint8Array | null => {
    if (made === count) return null;
    const chunk = new Uint8Array(size).fill(made % 251);
    made += 1;
    hash.update(chunk);
    return chunk;
  };
  return { next, digest: () => hash.digest("base64url") };
}

const HOSTS: ReadonlyArray<readonly [string, (service: ODataService) => Promise<number>]> = [
  ["node", (service) => listen(createServer(toNodeHandler(service)))],
  ["express", (service) => listen(expressServer(service))],
  ["fastify", async (service) => listen(await listenFastify(service))],
];

describe.each(HOSTS)("streams over %s", (_name, open) => {
  test("arrive and leave whole", async () => {
    const port = await open(makeService(10_000_000));
    const { next, digest } = chunksOf(50, 60_000);
    const [status, etag] = await upload({ port, next });
    const sum = digest();
    expect([status, etag]).toEqual([204, `"${sum}"`]);
    const answer = await get(port);
    const hash = createHash("sha256");
    for await (const chunk of answer) hash.update(chunk as Buffer);
    expect([answer.statusCode, answer.headers["content-length"], hash.digest("base64url")]).toEqual([
      200,
      "3000000",
      sum,
    ]);
    const part = await get(port, { Range: "bytes=59999-60000" });
    expect([part.statusCode, (await part.toArray()).flatMap((each) => [...(each as Buffer)])]).toEqual([206, [0, 1]]);
    expect(files()).toHaveLength(1);
  });

  test("end at the limit, and leave nothing", async () => {
    const port = await open(makeService(100_000));
    const { next } = chunksOf(200, 10_000);
    const [status, , body] = await upload({ port, next });
    expect([status, body]).toEqual([413, expect.stringContaining("PayloadTooLarge")]);
    expect(files()).toEqual([]);
  });

  test("that stop arriving end after the idle timeout, and leave nothing", async () => {
    const port = await open(makeService(100_000, 300));
    let count = 0;
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { "Content-Type": "text/plain", "Content-Length": "50000" };
      const options = { host: "127.0.0.1", port, path: "/Files(1)/Content", method: "PUT", headers };
      const sent = httpRequest(options, resolve).on("error", reject);
      sent.write(new Uint8Array(10_000));
      count += 1;
    });
    expect([(await answer).statusCode, count]).toEqual([408, 1]);
    expect(files()).toEqual([]);
  });

  test("that break off leave nothing", async () => {
    const failures: string[] = [];
    const port = await open(makeService(100_000, 10_000, failures));
    const options = {
      host: "127.0.0.1",
      port,
      path: "/Files(1)/Content",
      method: "PUT",
      headers: { "Content-Type": "text/plain", "Content-Length": "50000" },
    };
    const sent = httpRequest(options).on("error", () => undefined);
    sent.write(new Uint8Array(10_000));
    await expect.poll(() => files()).toEqual([expect.stringMatching(/\.part$/)]);
    sent.destroy();
    await expect.poll(() => files()).toEqual([]);
    expect(failures).toEqual([]);
  });
});

test("streams arrive and leave whole through Hono", async () => {
  const fetch = toHonoFetch(makeService(10_000_000));
  const { next, digest } = chunksOf(50, 60_000);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = next();
      if (chunk === null) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const url = "http://h.example/Files(1)/Content";
  const init = { method: "PUT", headers: { "Content-Type": "image/png" }, body, duplex: "half" } as const;
  const put = await fetch(new Request(url, init));
  const sum = digest();
  expect([put.status, put.headers.get("ETag")]).toEqual([204, `"${sum}"`]);
  const read = await fetch(new Request(url));
  const bytes = new Uint8Array(await read.arrayBuffer());
  expect([bytes.length, createHash("sha256").update(bytes).digest("base64url")]).toEqual([3_000_000, sum]);
});

test("an id that the store did not make never becomes a path", async () => {
  const store = fileStore(directory);
  await writeFile(join(directory, "secret"), "secret");
  for (const id of ["secret", "../secret", "/etc/passwd", `${"0".repeat(31)}/`, ""]) {
    await expect(store.read(id, { start: 0, end: 1 }), id).rejects.toThrow("The id of a stream is none of this store.");
    await expect(store.delete(id), id).rejects.toThrow("The id of a stream is none of this store.");
  }
  await store.delete("0".repeat(32));
  expect(files()).toEqual(["secret"]);
});
