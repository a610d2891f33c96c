import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SoakRun } from "./client.ts";
import { EVERYTHING, open, sleepUnlessOver, SOAK_TIMEOUTS } from "./rude-clients.ts";

/** Milliseconds within which a server ends a stalled connection: the timeout, a quarter of it, and its load. */
const MOST = 1.25 * SOAK_TIMEOUTS.slowReaderTimeout + 3000;
/** Milliseconds between two checks of a connection. */
const POLL = 100;
/** The connections of this machine, on Linux. */
const CONNECTIONS = "/proc/net/tcp";
const ESTABLISHED = "01";

/** The server's end of a connection, as the system sees it. */
interface ServerEnd {
  readonly isOpen: boolean;
  /** Bytes that the system has taken, and that the client has not read. */
  readonly taken: number;
}

/**
 * Requests everything and reads the first bytes only: the server must end the connection, in time. The time begins when the
 * system takes no more bytes for the client.
 */
export async function runStalledReader(run: SoakRun): Promise<void> {
  while (!run.isOver()) {
    const begun = performance.now();
    const { socket, closed, received } = open(run.port);
    const begins = new Promise<void>((resolve) => {
      socket.once("data", () => {
        socket.pause();
        resolve();
      });
    });
    socket.write(EVERYTHING);
    await Promise.race([begins, closed]);
    const stood = await untilEnded(run, socket.localPort ?? 0);
    if (run.isOver()) socket.destroy();
    socket.resume();
    await closed;
    const isWhole = /\]\}(?:\r\n0\r\n\r\n)?$/u.test(received.last);
    run.tally.record("stalled reader", isWhole ? "taken" : "ended", performance.now() - begun);
    if (stood > MOST) run.tally.violate("stalled reader", `not ended after ${stood.toFixed(0)} ms without progress`);
  }
}

/** Waits until the server ends a connection. @returns the milliseconds for which the connection stood still */
async function untilEnded(run: SoakRun, port: number): Promise<number> {
  if (!existsSync(CONNECTIONS)) {
    await sleepUnlessOver(run, 2 * MOST);
    return 0;
  }
  let [taken, since] = [-1, performance.now()];
  while (!run.isOver()) {
    const end = serverEnd(run.port, port);
    if (!end.isOpen) break;
    if (end.taken !== taken) [taken, since] = [end.taken, performance.now()];
    if (performance.now() - since > MOST) break;
    await sleep(POLL);
  }
  return run.isOver() ? 0 : performance.now() - since;
}

/** Reads the state of a connection between two ports of this machine, and the queues of both ends. */
function serverEnd(server: number, client: number): ServerEnd {
  const end = { isOpen: false, taken: 0 };
  for (const line of readFileSync(CONNECTIONS, "latin1").split("\n")) {
    const [, local = "", remote = "", state, queues = ""] = line.trim().split(/\s+/u);
    const [from, to] = [portOf(local), portOf(remote)];
    const [sent = 0, received = 0] = queues.split(":").map((size) => Number.parseInt(size, 16));
    if (from === server && to === client) {
      end.isOpen = state === ESTABLISHED;
      end.taken += sent;
    }
    if (from === client && to === server) end.taken += received;
  }
  return end;
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
}
