import type { TransactionOptions } from "../definition/context.ts";
import { adviseName, describe } from "../definition/option-table.ts";

/** Milliseconds that the work of a transaction may take when nothing else is said. */
const DEFAULT_TIMEOUT = 30_000;
const NAMES: ReadonlyArray<keyof TransactionOptions> = ["over", "timeout"];

/** The options of `ctx.inTransaction`, with their defaults. */
export interface ReadTransactionOptions {
  readonly over: TransactionOptions["over"];
  /** Null: none. */
  readonly timeout: number | null;
}

/** Reads the options of `ctx.inTransaction`. @throws TypeError for an option that there is not, or a wrong value */
export function readTransactionOptions(options: TransactionOptions): ReadTransactionOptions {
  for (const name of Object.keys(options)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    throw new TypeError(`ctx.inTransaction has no option \`${name}\`. ${adviseName(name, NAMES)}`);
  }
  const { over, timeout = DEFAULT_TIMEOUT } = options;
  if (timeout !== null && !(Number.isSafeInteger(timeout) && timeout > 0)) {
    throw new TypeError(
      `\`timeout\` of ctx.inTransaction is ${describe(timeout)}: give whole milliseconds, or null for no limit.`,
    );
  }
  return { over, timeout };
}

/**
 * Waits for work until its time is up. A handler that waits for the connection of its own transaction would wait for
 * ever, and with it every other write.
 * @throws Error when the time is up; the work may go on, and opens nothing any more
 */
export async function withinTime<T>(work: Promise<T>, timeout: number | null): Promise<T> {
  if (timeout === null) return work;
  // Nobody waits for it any more once the time is up.
  work.catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new Error(
          `The work of ctx.inTransaction took longer than ${String(timeout)} ms, and is rolled back. A handler that uses its own \`db\` instead of \`ctx.transaction\` waits for the transaction itself; otherwise give a longer \`timeout\`.`,
        ),
      );
    }, timeout);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
