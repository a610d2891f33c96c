import type { Host, IncomingRequest, User } from "../definition/context.ts";
import type { Reading } from "../query/reading.ts";
import type { RequestFacts } from "./call-context.ts";

/** The facts about a request for work that continues after its response: the end of the connection does not abort it. */
export class LaterFacts implements RequestFacts {
  readonly #facts: RequestFacts;
  #signal: AbortSignal | undefined;

  constructor(facts: RequestFacts) {
    this.#facts = facts;
  }

  get user(): User | null {
    return this.#facts.user;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= new AbortController().signal);
  }

  get isAborted(): boolean {
    return false;
  }

  get request(): IncomingRequest {
    return this.#facts.request;
  }

  get host(): Host {
    return this.#facts.host;
  }

  get reading(): Reading | null | undefined {
    return this.#facts.reading;
  }

  /** Work of a request takes its instant, so that all values of `now` are one. */
  get instant(): number | undefined {
    return this.#facts.instant;
  }

  get client(): string | undefined {
    return this.#facts.client;
  }
}
