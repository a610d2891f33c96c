import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { applyDelta, edm, entitySet, entityType, odataService, type StreamStore } from "odatakit";
import { toNodeHandler } from "odatakit/node";
import { expect, onTestFinished, test } from "vitest";

/** The store of the guide, over a bucket that understands as much of the S3 protocol as it uses. */

type MakeStore = (bucket: string, sign: (url: string, init: RequestInit) => Promise<Request>) => StreamStore;

async function storeOfGuide(): Promise<MakeStore> {
  const guide = readFileSync(new URL("../../../docs/guides/streams.md", import.meta.url), "utf8");
  const code = guide.split("```").find((block) => block.includes("function bucketStore")) ?? "";
  const directory = await mkdtemp(join(tmpdir(), "bucket-"));
  const path = join(directory, "bucket-store.mjs");
  await writeFile(path, stripTypeScriptTypes(code.slice(code.indexOf("\n"))));
  const made = (await import(pathToFileURL(path).href)) as { readonly bucketStore: MakeStore };
  await rm(directory, { recursive: true });
  return made.bucketStore;
}

interface Bucket {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** The Content-Length and Transfer-Encoding of each PUT. */
  readonly sent: unknown[];
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function openBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const sent: unknown[] = [];
  const bytesOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray());
  const port = await listen((request, response) => {
    const name = request.url ?? "";
    const { method, headers } = request;
    if (headers.authorization !== "signed") return void response.writeHead(403).end();
    if (method === "PUT") {
      sent.push([headers["content-length"], headers["transfer-encoding"]]);
      // An object appears whole.
      return void bytesOf(request).then(
        (bytes) => {
          objects.set(name, bytes);
          response.writeHead(200).end();
        },
        () => undefined,
      );
    }
    if (method === "DELETE") {
      objects.delete(name);
      return void response.writeHead(204).end();
    }
    const [, start = "", last = ""] = /^bytes=(\d+)-(\d+)$/u.exec(headers.range ?? "") ?? [];
    const bytes = objects.get(name);
    if (bytes === undefined) return void response.writeHead(404).end();
    return void response.writeHead(206).end(bytes.subarray(Number(start), Number(last) + 1));
  });
  return { url: `http://127.0.0.1:${String(port)}/bucket`, objects, sent };
}

test("the store of the guide keeps streams in a bucket", async () => {
  const { url, objects, sent } = await openBucket();
  const bucketStore = await storeOfGuide();
  const store = bucketStore(url, (to, init) => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", "signed");
    return Promise.resolve(new Request(to, { ...init, headers }));
  });
  const File = entityType("File", { id: edm.int32().key(), content: edm.stream({ store, maxBytes: 2_000_000 }) });
  let row = { id: 1, content: null as string | null };
  const set = entitySet(File, { getByKey: () => row, patch: (_key, delta) => (row = applyDelta(File, row, delta)) });
  const service = odataService({
    entitySets: [set],
    profile: "standard",
    logger: { error: () => {}, warn: () => {}, info: () => {} },
  });
  const port = await listen(toNodeHandler(service));
  const address = `http://127.0.0.1:${String(port)}/Files(1)/Content`;
  const headers = { "Content-Type": "application/pdf" };
  const body = new Uint8Array(1_000_000).map((_byte, index) => index % 251);
  const put = await fetch(address, { method: "PUT", headers, body });
  expect([put.status, sent, objects.size]).toEqual([204, [["1000000", undefined]], 1]);
  const part = await fetch(address, { headers: { Range: "bytes=250-252" } });
  expect([part.status, part.headers.get("Content-Type"), [...(await part.bytes())]]).toEqual([
    206,
    "application/pdf",
    [250, 0, 1],
  ]);
  const whole = new Uint8Array(await (await fetch(address)).arrayBuffer());
  expect(Buffer.compare(whole, body)).toBe(0);
  expect((await fetch(address, { method: "PUT", headers, body: "second" })).status).toBe(204);
  await service.drain();
  expect([...objects.values()].map(String)).toEqual(["second"]);
  expect((await fetch(address, { method: "PUT", headers, body: "" })).status).toBe(204);
  expect(await (await fetch(address)).text()).toBe("");
  expect((await fetch(address, { method: "DELETE" })).status).toBe(204);
  await service.drain();
  expect(objects.size).toBe(0);
});
