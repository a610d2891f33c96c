import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { edm, entitySet, entityType, odataService, type Context, type ServiceOptions } from "odatakit";
import { onTestFinished } from "vitest";

export const Order = entityType("Order", {
  id: edm.int64().key(),
  name: edm.string(),
  price: edm.decimal().nullable(),
});
interface Saved {
  readonly id: bigint;
  readonly name: string;
  readonly price: string | null;
}

/** A service of orders in memory, and the contexts that its handlers met. */
export function orderService(options: Partial<ServiceOptions> = {}, limit = 3) {
  const contexts: Context[] = [];
  const rows: Saved[] = Array.from({ length: limit }, (_, index) => ({
    id: BigInt(index + 1),
    name: `order ${String(index + 1)}`,
    price: "1.5",
  }));
  const orders = entitySet(Order, {
    getAll: (context) => {
      contexts.push(context);
      return rows;
    },
    getByKey: (key) => rows.find(({ id }) => id === key) ?? null,
    create: (order, context) => {
      contexts.push(context);
      const saved = { id: order.id, name: order.name, price: order.price };
      rows.push(saved);
      return saved;
    },
  });
  const logged: unknown[] = [];
  const log = (_message: string, fields?: unknown): void => void logged.push(fields);
  const service = odataService({
    prefix: "/odata",
    entitySets: [orders],
    logger: { error: log, warn: log, info: log },
    ...options,
  });
  return { service, contexts, rows, logged };
}

/** Starts a server that ends with the test. @returns its origin */
export function listen(listener: RequestListener): Promise<string> {
  return started(createServer(listener));
}

export async function started(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Returns the context URL of a response. */
export async function contextOf(response: Response): Promise<unknown> {
  return ((await response.json()) as Record<string, unknown>)["@odata.context"];
}

export const JSON_TYPE = { "Content-Type": "application/json" };

/** Waits until a number stops growing. */
export async function untilQuiet(count: () => number): Promise<void> {
  for (let before = -1; count() !== before;) {
    before = count();
    await pause(500);
  }
}

/** Returns the body of a batch whose boundary is `b`. */
export function batchBody(requests: readonly string[]): string {
  const parts = requests.map((each) => `--b\r\nContent-Type: application/http\r\n\r\n${each} HTTP/1.1\r\n\r\n\r\n`);
  return `${parts.join("")}--b--`;
}
