import { setTimeout as sleep } from "node:timers/promises";

/** The channel of `notify`. */
const CHANNEL = "odatakit";
/** Milliseconds between two attempts to connect. */
const RETRY = 5000;

/**
 * Calls a function at each `notify odatakit`, on a connection of its own, which connects again after it is lost. A database
 * that does not let clients listen only has the looks in intervals.
 */
export async function listenPostgres(url: string, onNotify: () => void, signal: AbortSignal): Promise<void> {
  const { Client } = await import("pg");
  let isFirst = true;
  while (!signal.aborted) {
    const client = new Client({ connectionString: url, application_name: "odatakit", keepAlive: true });
    const lost = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.once("error", () => resolve());
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    client.on("notification", onNotify);
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // A notification may have come meanwhile.
      if (!isFirst) onNotify();
      isFirst = false;
      await lost;
    } catch {
      // The next attempt follows.
    }
    await client.end().catch(() => undefined);
    await sleep(RETRY, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
