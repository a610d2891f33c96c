import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "odatakit-world-"));
});
afterAll(() => rm(folder, { recursive: true }));

const children: ChildProcessWithoutNullStreams[] = [];

// A failed test must not leave a server running.
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts the example as `npm start` does, with its own file. */
function start(port: string, file = "world.db"): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ["--conditions=source", "examples/world/main.ts"], {
    env: { ...process.env, PORT: port, WORLD_DB: join(folder, file) },
  });
  children.push(child);
  return child;
}

/** Everything that the example prints up to a text; rejects when it ends before. */
function printed(child: ChildProcessWithoutNullStreams, until: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const add = (chunk: Buffer): void => {
      text += chunk.toString();
      if (text.includes(until)) resolve(text);
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.once("exit", () => reject(new Error(`It ended, having printed:\n${text}`)));
  });
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code] = (await once(child, "exit")) as unknown[];
  return code;
}

describe("the world example", () => {
  test("prints its root and addresses that all answer, and ends cleanly at Ctrl-C", async () => {
    const child = start("0");
    const text = await printed(child, "Ctrl-C ends it.");
    expect(text).toContain("Loaded 135483 rows.");
    const urls = text.match(/http:\S+/g) ?? [];
    expect(urls).toHaveLength(18);
    expect(urls[0]).toMatch(/\/odata\/explorer$/);
    for (const url of urls) expect((await fetch(url)).status, url).toBe(200);
    const end = ended(child);
    child.kill("SIGINT");
    expect(await end).toBe(0);
  });

  test("finds its database again, loads nothing, and has what was written", async () => {
    const urls: string[] = [];
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const child = start("0");
      const text = await printed(child, "Ctrl-C ends it.");
      expect(text).not.toContain("Loaded");
      const root = /OData service: (http:\S+)/.exec(text)?.[1] ?? "";
      const created = await fetch(`${root}/Trips`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          Title: `Before ${signal}`,
          Stops: [{ Position: 1, Place: "Lisbon", CityId: 2_267_057 }],
        }),
      });
      expect(created.status).toBe(201);
      urls.push(new URL(created.headers.get("location") ?? "").pathname);
      const end = ended(child);
      child.kill(signal);
      expect(await end).toBe(signal === "SIGTERM" ? 0 : null);
    }
    const child = start("0");
    const { origin } = new URL(/http:\S+/.exec(await printed(child, "Ctrl-C ends it."))?.[0] ?? "");
    for (const url of urls) {
      const trip: unknown = await (await fetch(`${origin}${url}?$expand=Stops($expand=City)`)).json();
      expect(trip).toMatchObject({ RowVersion: 1, Stops: [{ Place: "Lisbon", City: { CountryCode: "PT" } }] });
    }
  });

  test("starts anew when its first start was interrupted while loading", async () => {
    const child = start("0", "interrupted.db");
    while (!existsSync(join(folder, "interrupted.db-wal"))) await setTimeout(5);
    const end = ended(child);
    child.kill("SIGKILL");
    await end;
    const again = start("0", "interrupted.db");
    expect(await printed(again, "Ctrl-C ends it.")).toContain("Loaded 135483 rows.");
    const endAgain = ended(again);
    again.kill("SIGINT");
    expect(await endAgain).toBe(0);
  });

  test("says clearly that its file cannot be made", async () => {
    await writeFile(join(folder, "occupied"), "");
    const child = start("0", "occupied/world.db");
    const end = ended(child);
    expect(await printed(child, "occupied")).toContain("occupied");
    expect(await end).toBe(1);
  });

  test("says clearly that its port is busy", async () => {
    const busy = createServer();
    await once(busy.listen(0, "localhost"), "listening");
    const port = String((busy.address() as AddressInfo).port);
    const child = start(port, "busy.db");
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    // The database is loaded and checked before the port is opened.
    expect(out.trim()).toBe("Loaded 135483 rows.");
    expect(err.trim()).toBe(
      `Port ${port} of localhost is in use. Stop the program that listens there, or use another port.`,
    );
    expect(code).toBe(1);
    busy.close();
  });

  test.each(["abc", "-1", "65536", "1.5"])("refuses PORT=%s", async (port) => {
    const child = start(port);
    const end = ended(child);
    expect(await printed(child, "no TCP port")).toContain(`PORT=${port} is no TCP port`);
    expect(await end).toBe(1);
  });
});
