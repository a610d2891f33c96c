import { odataError, type IncomingRequest, type ODataError } from "odatakit";
import { clientNetwork } from "../../../base/client-network.ts";
import { sentHeader } from "./sent-header.ts";

const FAILURES = 10;
const MILLISECONDS = 60_000;
const MOST_CLIENTS = 10_000;
/** The checks of one client that run at once: the hash of a password takes a processor for 50 ms. */
const AT_ONCE = 2;
/** The checks of one client that wait. */
const MOST_WAITING = 100;

type Sender = Pick<IncomingRequest, "headers" | "host">;

/** The credentials that one client has sent. */
interface Attempts {
  failures: number;
  /** When the first failure happened. */
  since: number;
  running: number;
  /** Called with whether the check may run. */
  readonly waiting: ((mayRun: boolean) => void)[];
  /** The checks in progress, by their credentials: the parallel requests of a browser share one. */
  readonly checks: Map<string, Promise<unknown>>;
}

/**
 * Limits wrong credentials by client: 10 in a minute, then no more are checked. A check takes one of these attempts before it
 * begins, and gives it back if the credentials are right, so guesses in parallel are limited, too.
 */
export class FailureLimit {
  readonly #trustsProxy: boolean;
  readonly #now: () => number;
  readonly #warn: (message: string) => void;
  readonly #attempts = new Map<string, Attempts>();
  /** The only client so far; null if there are several. */
  #onlyClient: string | null | undefined;
  #hasRefused = false;

  /**
   * @param trustsProxy whether a forwarded address identifies the client
   * @param now returns milliseconds
   * @param warn gets a message about a proxy that is not trusted, once
   */
  constructor(trustsProxy: boolean, now: () => number, warn: (message: string) => void) {
    this.#trustsProxy = trustsProxy;
    this.#now = now;
    this.#warn = warn;
  }

  /**
   * Finds the user of credentials.
   * @returns null without credentials, and for wrong ones
   * @throws ODataError 429 after too many failures of the client, or while too many of its credentials wait for a check
   */
  async guard<Sent, User>(
    request: Sender,
    sent: Sent | null,
    find: (sent: Sent) => Promise<User | null> | User | null,
  ): Promise<User | null> {
    const client = this.#clientOf(request);
    if (this.#onlyClient === undefined) this.#onlyClient = client;
    else if (this.#onlyClient !== client) this.#onlyClient = null;
    if (sent === null) return null;
    const attempts = this.#attemptsOf(client);
    if (this.#isLocked(attempts) || attempts.waiting.length >= MOST_WAITING) throw this.#refusal(attempts);
    const mark = JSON.stringify(sent);
    const shared = attempts.checks.get(mark) as Promise<User | null> | undefined;
    if (shared !== undefined) return shared;
    const check = this.#check(attempts, () => find(sent));
    attempts.checks.set(mark, check);
    try {
      return await check;
    } finally {
      attempts.checks.delete(mark);
      if (attempts.failures === 0 && attempts.checks.size === 0) this.#attempts.delete(client);
    }
  }

  /** Runs a check when the client has an attempt left. @throws ODataError 429 if the checks before it used up all attempts */
  async #check<User>(attempts: Attempts, find: () => Promise<User | null> | User | null): Promise<User | null> {
    if (attempts.running < this.#mostRunning(attempts)) attempts.running += 1;
    else if (!(await turnOf(attempts))) throw this.#refusal(attempts);
    try {
      const user = await find();
      if (user === null) this.#addFailure(attempts);
      return user;
    } finally {
      attempts.running -= 1;
      this.#wake(attempts);
    }
  }

  /** Lets waiting checks begin: as many as may run. Without an attempt left, it refuses all of them. */
  #wake(attempts: Attempts): void {
    while (attempts.waiting.length > 0) {
      const mayRun = !this.#isLocked(attempts);
      if (mayRun && attempts.running >= this.#mostRunning(attempts)) return;
      if (mayRun) attempts.running += 1;
      attempts.waiting.shift()?.(mayRun);
    }
  }

  #mostRunning(attempts: Attempts): number {
    return Math.min(AT_ONCE, FAILURES - this.#failuresOf(attempts));
  }

  #isLocked(attempts: Attempts): boolean {
    return this.#failuresOf(attempts) >= FAILURES;
  }

  #failuresOf(attempts: Attempts): number {
    if (attempts.failures > 0 && this.#now() - attempts.since >= MILLISECONDS) attempts.failures = 0;
    return attempts.failures;
  }

  #addFailure(attempts: Attempts): void {
    if (this.#failuresOf(attempts) === 0) attempts.since = this.#now();
    attempts.failures += 1;
  }

  #attemptsOf(client: string): Attempts {
    const known = this.#attempts.get(client);
    if (known !== undefined) return known;
    this.#makeRoom();
    const attempts: Attempts = { failures: 0, since: 0, running: 0, waiting: [], checks: new Map() };
    this.#attempts.set(client, attempts);
    return attempts;
  }

  /** Removes the oldest client without a check in progress. @throws ODataError 429 without such a client */
  #makeRoom(): void {
    if (this.#attempts.size < MOST_CLIENTS) return;
    for (const [client, { checks }] of this.#attempts) {
      if (checks.size > 0) continue;
      this.#attempts.delete(client);
      return;
    }
    throw tooMany("Too many clients send credentials. Try again later.", 1);
  }

  #refusal(attempts: Attempts): ODataError {
    if (!this.#hasRefused && !this.#trustsProxy && typeof this.#onlyClient === "string") {
      this.#warn(
        `Wrong credentials led to 429, and all requests so far came from the address ${this.#onlyClient || "of a socket"}. ` +
          "If a proxy forwards them, start with `--trust-proxy`; otherwise one client locks out all the others.",
      );
    }
    this.#hasRefused = true;
    if (!this.#isLocked(attempts)) {
      return tooMany("Too many credentials of this address wait for a check. Try again.", 1);
    }
    const seconds = Math.ceil((attempts.since + MILLISECONDS - this.#now()) / 1000);
    return tooMany("Too many wrong credentials came from this address. Wait a minute.", seconds);
  }

  #clientOf(sender: Sender): string {
    const { socket } = sender.host as { readonly socket?: { readonly remoteAddress?: string } };
    const facts = { header: (name: string) => sentHeader(sender, name), remoteAddress: socket?.remoteAddress };
    return clientNetwork(facts, this.#trustsProxy);
  }
}

function turnOf({ waiting }: Attempts): Promise<boolean> {
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function tooMany(message: string, seconds: number): ODataError {
  return odataError(429, "TooManyRequests", message, { headers: { "Retry-After": String(Math.max(seconds, 1)) } });
}
