import type { Job } from "./started-thread.ts";

/**
 * The statements that wait for a reader thread. Clients take turns, and so do the requests of a client: many statements of
 * one client do not delay those of others, and many statements of one request not those of other requests of its client.
 */
export class ReaderQueue {
  /** By client, then by request, both in the order of their turns. */
  readonly #clients = new Map<Job["client"], Map<object, Job[]>>();
  #size = 0;

  /** The number of waiting statements. */
  get size(): number {
    return this.#size;
  }

  /** Whether the queue has no place for a client, which may hold half of it. @param most the places of the queue */
  isFullFor(client: Job["client"], most: number): boolean {
    if (this.#size >= most) return true;
    const requests = this.#clients.get(client);
    if (requests === undefined) return false;
    let held = 0;
    for (const jobs of requests.values()) held += jobs.length;
    return held >= Math.max(1, Math.floor(most / 2));
  }

  add(job: Job): void {
    const requests = this.#clients.get(job.client) ?? new Map<object, Job[]>();
    const jobs = requests.get(job.owner) ?? [];
    jobs.push(job);
    requests.set(job.owner, jobs);
    this.#clients.set(job.client, requests);
    this.#size += 1;
  }

  /** Takes the first statement of the next request of the next client that can run now; null without any. */
  take(canRun: (job: Job) => boolean): Job | null {
    for (const [client, requests] of this.#clients) {
      for (const [owner, jobs] of requests) {
        const [job] = jobs;
        if (job === undefined || !canRun(job)) continue;
        this.remove(job);
        moveToEnd(requests, owner);
        moveToEnd(this.#clients, client);
        return job;
      }
    }
    return null;
  }

  /** Takes a statement out of the queue. Returns whether it was there. */
  remove(job: Job): boolean {
    const requests = this.#clients.get(job.client);
    const jobs = requests?.get(job.owner);
    const at = jobs?.indexOf(job) ?? -1;
    if (requests === undefined || jobs === undefined || at < 0) return false;
    jobs.splice(at, 1);
    this.#size -= 1;
    if (jobs.length === 0) requests.delete(job.owner);
    if (requests.size === 0) this.#clients.delete(job.client);
    return true;
  }

  /** Returns the waiting statements. */
  jobs(): readonly Job[] {
    return [...this.#clients.values()].flatMap((requests) => [...requests.values()].flat());
  }

  clear(): void {
    this.#clients.clear();
    this.#size = 0;
  }
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
