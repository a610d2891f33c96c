import { pause } from "../../base/host.ts";
import type { Patience } from "../connection/patient-reader.ts";
import { isConnectionLost } from "../kinds/connection-lost.ts";
import { isOutdated } from "../kinds/database-fault.ts";

/** Milliseconds before a repetition: a pool notices meanwhile which other connections were lost at the same moment. */
const PAUSE = 100;

/**
 * Runs a read without effects. If its connection is lost or cannot be made, or has lost a statement, it runs once more, in the
 * rest of its time.
 * @param read runs on its own connection, outside any transaction
 * @throws the errors of the read; the reason of the signal, if the client has left
 */
export async function repeatOnce<T>(read: (patience: Patience) => Promise<T>, patience: Patience): Promise<T> {
  const begun = performance.now();
  try {
    return await read(patience);
  } catch (error) {
    const isLost = isConnectionLost(error);
    if (!isLost && !isOutdated(error)) throw error;
    if (isLost) await pause(PAUSE);
    patience.signal?.throwIfAborted();
    const { timeout } = patience;
    if (timeout === undefined || timeout === null) return read(patience);
    const left = Math.ceil(timeout - (performance.now() - begun));
    if (left <= 0) throw error;
    return read({ ...patience, timeout: left });
  }
}
