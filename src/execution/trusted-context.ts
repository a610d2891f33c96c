import type { Maybe } from "../base/maybe.ts";
import type { Context, IncomingRequest, Transaction, User } from "../definition/context.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { NavigationMention } from "../query/mentions.ts";

/** Leaves out of the values of a navigation property what the user of a request does not see. */
export type VisibleValues = (
  navigation: Pick<NavigationMention, "target" | "navigationProperty">,
  values: readonly unknown[],
  context: Context,
) => Maybe<readonly unknown[]>;

/** What stands behind a service whose handlers keep rows back. */
export interface GuardedService {
  /** The service as it was declared: its handlers keep nothing back. */
  readonly declared: ServiceDefinition;
  /** Rules lead to where rules hold: whoever loads what a rule leads to finds here what looks after the rules. */
  readonly visibleValues: VisibleValues;
}

const guardedServices = new WeakMap<object, GuardedService>();

/** By the context of a request, and by itself. */
const trustedContexts = new WeakMap<Context, TrustedContext>();

/** Notes that the handlers of a service keep rows back. */
export function noteGuarded(restricted: ServiceDefinition, guarded: GuardedService): void {
  guardedServices.set(restricted, guarded);
}

/** What stands behind the service of a context; null where it keeps no rows back. */
export function guardedServiceOf({ service }: Pick<Context, "service">): GuardedService | null {
  return guardedServices.get(service) ?? null;
}

/**
 * The context in which a request sees every row: row rules are evaluated in it, so that none depends on another, and
 * what exists is looked up. Nothing that is read in it may reach an answer.
 * @returns one per request; the context itself where its service keeps no rows back
 */
export function trustedContext(context: Context): Context {
  const known = trustedContexts.get(context);
  if (known !== undefined) return known;
  const guarded = guardedServiceOf(context);
  if (guarded === null) return context;
  const trusted = new TrustedContext(context, guarded.declared);
  trustedContexts.set(context, trusted);
  return trusted;
}

/** The context that a request came with, of either of its contexts. */
export function originOf(context: Context): Context {
  return context instanceof TrustedContext ? context.origin : context;
}

class TrustedContext implements Context {
  readonly service: ServiceDefinition;
  readonly #origin: Context & { readonly expected?: unknown };

  constructor(origin: Context, declared: ServiceDefinition) {
    this.#origin = origin;
    this.service = declared;
  }

  get origin(): Context {
    return this.#origin;
  }

  get user(): User | null {
    return this.#origin.user;
  }

  get signal(): AbortSignal {
    return this.#origin.signal;
  }

  get request(): IncomingRequest {
    return this.#origin.request;
  }

  get transaction(): Transaction | undefined {
    return this.#origin.transaction;
  }

  /** Sets are opened as the user of the request sees them: no handler inherits the trust in which it is called. */
  get sets(): Context["sets"] {
    return this.#origin.sets;
  }

  get inTransaction(): Context["inTransaction"] {
    return this.#origin.inTransaction;
  }

  /** For writes: @see WriteContext in definition/context. */
  get expected(): unknown {
    return this.#origin.expected;
  }
}
