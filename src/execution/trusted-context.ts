import type { Context, IncomingRequest, Transaction, User } from "../definition/context.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";

/** By a service whose handlers keep rows back: the same service as it was declared. */
const declaredServices = new WeakMap<object, ServiceDefinition>();

/** By the context of a request, and by itself. */
const trustedContexts = new WeakMap<Context, TrustedContext>();

/** Notes what a service was made from whose handlers keep rows back. */
export function noteDeclared(restricted: ServiceDefinition, declared: ServiceDefinition): void {
  declaredServices.set(restricted, declared);
}

/**
 * The context in which a request sees every row: row rules are evaluated in it, so that none depends on another, and
 * what exists is looked up. Nothing that is read in it may reach an answer.
 * @returns one per request; the context itself where its service keeps no rows back
 */
export function trustedContext(context: Context): Context {
  const known = trustedContexts.get(context);
  if (known !== undefined) return known;
  const declared = declaredServices.get(context.service);
  if (declared === undefined) return context;
  const trusted = new TrustedContext(context, declared);
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

  /** For writes: @see WriteContext in definition/context. */
  get expected(): unknown {
    return this.#origin.expected;
  }
}
