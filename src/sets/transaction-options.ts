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

/** Makes the error of work in a transaction that took too long: a handler may wait for the connection of its own transaction. */
export function lateWork(timeout: number): Error {
  return new Error(
    `The work of ctx.inTransaction took longer than ${String(timeout)} ms, and is rolled back. A handler that uses its own \`db\` instead of \`ctx.transaction\` waits for the transaction itself; otherwise give a longer \`timeout\`.`,
  );
}
