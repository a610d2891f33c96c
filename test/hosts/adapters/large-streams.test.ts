import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** A gigabyte through a server in a process of its own, whose memory is measured. */

const CHUNK = new Uint8Array(65_536).fill(7);
const COUNT = 16_384;

function upload(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/octet-stream" };
    const path = "/Files(1)/Content";
    const sent = request({ host: "127.0.0.1", port, path, method: "PUT", headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    let left = COUNT;
    const send = (): void => {
      while (left > 0) {
        left -= 1;
        if (!sent.write(CHUNK)) return void sent.once("drain", send);
      }
      sent.end();
    };
    send();
  });
}

async function download(port: number): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/Files(1)/Content" }, resolve).on("error", reject).end();
  });
  let length = 0;
  for await (const part of answer) length += (part as Buffer).length;
  return length;
}

test("a gigabyte arrives and leaves in 80 megabytes of memory", { timeout: 300_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "streams-"));
  const child = fork(join(import.meta.dirname, "stream-server.ts"), [directory], { execArgv: ["--conditions=source"] });
  onTestFinished(async () => {
    const ended = child.exitCode ?? child.signalCode ?? once(child, "exit");
    child.disconnect();
    await ended;
    rmSync(directory, { recursive: true });
  });
  const message = async (): Promise<readonly number[]> => ((await once(child, "message")) as [number[]])[0];
  const [port = 0] = await message();
  expect(await upload(port)).toBe(204);
  child.send("uploaded");
  const [up = 0] = await message();
  expect(await download(port)).toBe(2 ** 30);
  child.send("downloaded");
  const [down = 0] = await message();
  expect(up, "megabytes for the upload").toBeLessThan(80);
  expect(down, "megabytes for both").toBeLessThan(80);
});
