/** The longest time of a timer, in milliseconds: a longer one would end after a millisecond. */
export const LONGEST_TIME: number = 2 ** 31 - 1;

/** Starts a timer. @param time in milliseconds; at most `LONGEST_TIME` counts, since a sum of settings may be longer */
export function startTimer(call: () => void, time: number): ReturnType<typeof setTimeout> {
  return setTimeout(call, Math.min(time, LONGEST_TIME));
}

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
    timer = startTimer(() => reject(late(timeout)), timeout);
  });
  try {
    return await Promise.race([running, expired]);
  } finally {
    clearTimeout(timer);
  }
}
