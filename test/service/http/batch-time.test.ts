import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, odataService, type ServiceOptions } from "odatakit";
import { describe, expect, test } from "vitest";
import { MULTIPART, multipart, received, single, type Parts } from "./batch-model.ts";
import { eachDoor, type Door } from "./doors.ts";
import { noFailures } from "./model.ts";

const Item = entityType("Item", { id: edm.int32().key() });
const MESSAGE = "The operations of the batch took longer than 0.5 seconds together. Send fewer operations at once.";
const LATE = { status: 503, json: { error: { code: "ServiceUnavailable", message: MESSAGE } } };
const CONTINUE = { Prefer: "continue-on-error" };

type BatchOptions = Exclude<ServiceOptions["batch"], boolean | undefined>;

/** How long an operation takes that leaves no time for others. */
const LONG = 800;
/** The key of the entity whose read waits until it is cancelled. */
const ENDLESS = 99;

/** A service that counts the operations it executes. */
function openShop(door: Door, batch: BatchOptions = { timeout: 500 }) {
  const executed: string[] = [];
  const items = entitySet(Item, {
    maxTop: null,
    async *getAll() {
      for (let id = 0; id < 3000; id++) {
        if (id === 2000) await pause(LONG);
        yield { id };
      }
      executed.push("page");
    },
    getByKey: async (id, { signal }) => {
      executed.push(`read ${String(id)}`);
      if (id === ENDLESS) {
        await once(signal, "abort");
        throw signal.reason;
      }
      await pause(id);
      return { id };
    },
    create: async (item, { signal }) => {
      await pause(LONG);
      executed.push(`create ${String(item.id)}, ${signal.aborted ? "cancelled" : "completed"}`);
      return item;
    },
  });
  const send = door.to(odataService({ logger: noFailures, entitySets: [items], batch: { json: true, ...batch } }));
  const run = async (parts: Parts, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await send("/$batch", { ...MULTIPART, ...headers }, "POST", multipart(parts));
    expect(answer.status).toBe(200);
    return received(answer.headers["content-type"], answer.text);
  };
  return { send, run, executed };
}

const statusesOf = (parts: Awaited<ReturnType<ReturnType<typeof openShop>["run"]>>): readonly number[] =>
  parts.map((part) => (Array.isArray(part) ? (part[0]?.status ?? 0) : part.status));

const GET = (id: number) => ({ request: `GET Items(${String(id)})` });
const POST = (id: number) => ({ request: "POST Items", id: String(id), body: { Id: id } });

eachDoor((door) => {
  describe("the operations of a batch have one time together", () => {
    test("after it, no operation is executed: the first is 503, and the batch ends", async () => {
      const { run, executed } = openShop(door);
      const parts = await run([POST(1), GET(0), GET(1)]);
      expect(statusesOf(parts)).toEqual([201, 503]);
      expect(single(parts[1])).toMatchObject(LATE);
      expect(executed).toEqual(["create 1, completed"]);
    });

    test("with continue-on-error, every operation and change set that is left is 503", async () => {
      const { run, executed } = openShop(door);
      const parts = await run([POST(1), GET(0), [POST(2), POST(3)], [POST(4)]], CONTINUE);
      expect(statusesOf(parts)).toEqual([201, 503, 503, 503]);
      for (const part of parts.slice(1)) expect(single(part)).toMatchObject(LATE);
      expect(executed).toEqual(["create 1, completed"]);
    });

    test("a read that is running is cancelled, and a write is completed", async () => {
      const { run, executed } = openShop(door);
      for (const request of [`GET Items(${String(ENDLESS)})`, `POST Items(${String(ENDLESS)})/$query`]) {
        executed.length = 0;
        const headers = { "Content-Type": "text/plain" };
        const parts = await run([{ request, headers, body: "$select=Id" }, GET(0), GET(1)], CONTINUE);
        expect(statusesOf(parts)).toEqual([503, 503, 503]);
        for (const part of parts) expect(single(part)).toMatchObject(LATE);
        // The first operation always has time.
        expect(executed).toEqual([`read ${String(ENDLESS)}`]);
      }
      expect(statusesOf(await run([[POST(1)]]))).toEqual([201]);
      expect(executed.at(-1)).toBe("create 1, completed");
    });

    test("a page whose iterable takes longer is cancelled, as any read", async () => {
      const { run, executed } = openShop(door);
      const parts = await run([{ request: "GET Items" }, GET(0)]);
      expect(statusesOf(parts)).toEqual([503]);
      expect(single(parts[0]).json).toEqual(LATE.json);
      expect(executed).toEqual([]);
    });

    test("each request of a JSON batch has its response", async () => {
      const { send, executed } = openShop(door);
      const write = { method: "POST", url: "Items", headers: { "content-type": "application/json" } };
      const requests = [
        { id: "a", ...write, body: { Id: 1 } },
        { id: "b", method: "GET", url: "Items(0)" },
        { id: "c", atomicityGroup: "g", ...write, body: { Id: 2 } },
        { id: "d", atomicityGroup: "g", ...write, body: { Id: 3 } },
      ];
      const answer = await send(
        "/$batch",
        { "Content-Type": "application/json" },
        "POST",
        JSON.stringify({ requests }),
      );
      const { responses } = answer.json as { responses: ReadonlyArray<{ id: string; status: number; body: object }> };
      expect(responses.map(({ id, status }) => [id, status])).toEqual([
        ["a", 201],
        ["b", 503],
        ["c", 503],
        ["d", 503],
      ]);
      for (const { body } of responses.slice(1)) expect(body).toEqual(LATE.json);
      expect(executed).toEqual(["create 1, completed"]);
    });

    test("null disables the limit, and usual batches end before the default", async () => {
      for (const batch of [{ timeout: null }, {}]) {
        const { run } = openShop(door, batch);
        expect(statusesOf(await run([POST(1), { request: "GET Items" }, GET(1)]))).toEqual([201, 200, 200]);
      }
    });
  });
});
