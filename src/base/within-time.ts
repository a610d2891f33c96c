/**
 * Waits for work until a timeout.
 * @param timeout in milliseconds; null: no limit
 * @param late makes the error of a timeout
 * @throws the error of the work, or of `late`. Late work may continue, but its result is ignored
 */
export async function withinTime<T>(
  work: PromiseLike<T>,
  timeout: number | null,
  late: (timeout: number) => Error,
): Promise<T> {
  const running = Promise.resolve(work);
  if (timeout === null) return running;
  // After the timeout, a rejection of the work must not end the process.
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
