import type { RuleContext } from "./context.ts";
import type { Awaitable } from "./handlers.ts";

/**
 * Keeps the position after the last write of a session, so that its clients need no header. The context tells whose session
 * it is, such as by `ctx.user`, a cookie or `ctx.host`.
 * @see docs/guides/replicas.md
 */
export interface PositionStore {
  /** Returns the stored position of the session of a request; null or undefined without one. */
  readonly read: (context: RuleContext) => Awaitable<string | null | undefined>;
  /** Stores the position of the session of a request, after a write and before its response. */
  readonly write: (context: RuleContext, position: string) => Awaitable<void>;
}
