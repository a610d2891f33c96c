/**
 * Waits for work until its time is up.
 * @param timeout in milliseconds; null: no limit
 * @param late makes the error for work that took longer
 * @throws the error of the work, or of `late`. Late work may go on, but its result is ignored
 */
export async function withinTime<T>(
  work: PromiseLike<T>,
  timeout: number | null,
  late: (timeout: number) => Error,
): Promise<T> {
  const running = Promise.resolve(work);
  if (timeout === null) return running;
  // Nobody waits for the work once its time is up.
  running.catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late(timeout)), timeout);
  });
  try {
    return await Promise.race([running, expired]);
  } finally {
    clearTimeout(timer);
  }
}
