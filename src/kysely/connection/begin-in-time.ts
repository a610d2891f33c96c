import { queryTimeout } from "../../errors/odata-error.ts";
import { OwnTransaction } from "./own-transaction.ts";
import type { Patience } from "./patient-reader.ts";
import type { AnyKysely } from "./synchronous-reader.ts";

/**
 * Opens a transaction that reads one snapshot. The wait for a connection of the pool ends with the request: a transaction
 * that begins later is rolled back at once.
 * @throws the reason of the signal; ODataError `QueryTimeout`; the error of Kysely if it cannot connect
 */
export function beginInTime(db: AnyKysely, { signal, timeout = null }: Patience): Promise<OwnTransaction> {
  const begun = db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let isOver = false;
    const settle = (finish: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      finish();
    };
    const leave = (): void => settle(() => reject(signal?.reason as Error));
    const late = (): void => settle(() => reject(queryTimeout(timeout)));
    const timer = timeout === null ? undefined : setTimeout(late, timeout);
    signal?.addEventListener("abort", leave, { once: true });
    begun.execute().then(
      (transaction) => {
        // Nobody waits for the connection any longer. If it is lost, it has no transaction either.
        if (!isOver) return settle(() => resolve(new OwnTransaction(transaction, db.getExecutor())));
        const ended = transaction.rollback().execute();
        return void ended.catch(() => undefined);
      },
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the driver as it is
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
