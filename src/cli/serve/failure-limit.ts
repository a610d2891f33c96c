import { odataError, type IncomingRequest } from "odatakit";

const FAILURES = 10;
const MILLISECONDS = 60_000;
const MOST_ADDRESSES = 10_000;

interface Failures {
  count: number;
  /** When the count began. */
  readonly since: number;
}

/** Counts wrong credentials by address: 10 in a minute, then no more are checked. */
export class FailureLimit {
  readonly #now: () => number;
  readonly #failures = new Map<string, Failures>();

  readonly #trustsProxy: boolean;

  /**
   * @param trustsProxy whether `X-Forwarded-For` tells the address
   * @param now returns milliseconds
   */
  constructor(trustsProxy: boolean, now: () => number) {
    this.#trustsProxy = trustsProxy;
    this.#now = now;
  }

  /**
   * Finds the user of credentials.
   * @returns null without credentials, and for wrong ones
   * @throws ODataError 429 after too many failures of the address
   */
  async guard<Sent, User>(
    request: Pick<IncomingRequest, "headers" | "host">,
    sent: Sent | null,
    find: (sent: Sent) => Promise<User | null> | User | null,
  ): Promise<User | null> {
    if (sent === null) return null;
    const address = this.#addressOf(request);
    if (this.#countOf(address) >= FAILURES) {
      throw odataError(429, "TooManyRequests", "Too many wrong credentials came from this address. Wait a minute.");
    }
    const user = await find(sent);
    if (user === null) this.#add(address);
    return user;
  }

  #countOf(address: string): number {
    const found = this.#failures.get(address);
    if (found === undefined) return 0;
    if (this.#now() - found.since < MILLISECONDS) return found.count;
    this.#failures.delete(address);
    return 0;
  }

  #add(address: string): void {
    const found = this.#failures.get(address);
    if (found !== undefined) {
      found.count += 1;
      return;
    }
    // The oldest address makes room.
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MOST_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(address, { count: 1, since: this.#now() });
  }

  /** Behind a trusted proxy, the last address that it forwards. */
  #addressOf({ headers, host }: Pick<IncomingRequest, "headers" | "host">): string {
    if (this.#trustsProxy) return headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
    const { socket } = host as { readonly socket?: { readonly remoteAddress?: string } };
    return socket?.remoteAddress ?? "";
  }
}
