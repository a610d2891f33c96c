import type { Host, User } from "../context.ts";
import type { TracedRequest } from "../logger.ts";

/** A response that a service has passed to its host, as `onResponse` receives it. @see docs/guides/errors-and-logging.md, Log requests */
export interface TracedResponse {
  readonly request: TracedRequest & {
    readonly headers: Headers;
    /** The request as the host knows it, as `ctx.host`. */
    readonly host: Host;
  };
  readonly status: number;
  /** Milliseconds until the response is made; until its last byte for a streamed one, the time of the client included. */
  readonly ms: number;
  /** The user that `authenticate` has returned; null for an anonymous or refused request. */
  readonly user: User | null;
  /** The name of the set that the path, or its singleton, names first; null for other requests, such as `$metadata` and batches. */
  readonly set: string | null;
}
