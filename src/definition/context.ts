import type { AccessOptions, DeclaredEntitySet, EntitySetAccess } from "./sets/entity-set-access.ts";
import type { Awaitable } from "./sets/handlers.ts";
import type { EntityOf } from "./types/infer.ts";
import type { EntityTypeDeclaration } from "./types/value-type.ts";

/**
 * Where an application names its user and transaction types, once:
 * `declare module "odatakit" { interface Register { user: MyUser } }`.
 */
export interface Register {}

/** The user when the application names none. */
export interface Principal {
  readonly id?: string;
  readonly roles?: readonly string[];
}

/** The application's user. */
export type User = Register extends { readonly user: infer U } ? U : Principal;

/** The application's transaction. */
export type Transaction = Register extends { readonly transaction: infer T } ? T : unknown;

/** The request as handlers and `authenticate` see it. */
export interface IncomingRequest {
  /**
   * The id of the request: the client's `X-Request-Id`, or a new UUID. The response carries it in the same header.
   * @see docs/guides/deployment.md, Request ids
   */
  readonly id: string;
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  readonly headers: Headers;
}

/** What rules get of a request. They have no access to sets, because sets ask rules. */
export interface RuleContext {
  readonly user: User | null;
  /** Aborted when the client disconnects; made on first use. */
  readonly signal: AbortSignal;
  readonly request: IncomingRequest;
  /** The registration that answers. */
  readonly service: { readonly name: string | undefined; readonly prefix: string };
  /** The transaction that `inTransaction` has open; undefined outside of one. */
  readonly transaction: Transaction | undefined;
}

/**
 * Returns what rules get of a context: they open no sets, because sets ask rules.
 * @param context of a handler
 */
export function ruleContextOf(context: RuleContext): RuleContext {
  return {
    get user(): User | null {
      return context.user;
    },
    get signal(): AbortSignal {
      return context.signal;
    },
    get request(): IncomingRequest {
      return context.request;
    },
    get service(): RuleContext["service"] {
      return context.service;
    },
    get transaction(): Transaction | undefined {
      return context.transaction;
    },
  };
}

/** What every handler gets as its last argument. */
export interface Context extends RuleContext {
  /**
   * Opens an entity set of the service to the handler. Each call checks what a request would have to pass: the rules of
   * the category, `resource` rules and row rules for the user of the request. Calls within `inTransaction` are part of
   * the transaction.
   * @param set as declared
   * @see docs/reference/handlers.md
   */
  sets<E extends EntityTypeDeclaration, N>(
    this: void,
    set: DeclaredEntitySet<E, N>,
    options?: AccessOptions,
  ): EntitySetAccess<E, N>;
  /**
   * Runs work as one transaction over the sets of one database. It commits when the work returns, and rolls back when
   * the work throws or returns an error. Within another transaction the work is a part of that one.
   * @param work uses the context that it is given; it may run up to three times
   * @returns what the work returned
   * @see docs/reference/handlers.md
   */
  inTransaction<T>(this: void, work: (context: Context) => Awaitable<T>, options?: TransactionOptions): Promise<T>;
}

/** What the context of a call says of row rules. */
interface TrustedCall {
  /** Whether the call is trusted: row rules do not hold for what it reads and writes. */
  readonly seesAllRows?: boolean;
}

/** Tells whether row rules do not hold for a call: `ctx.sets` with `trusted: true` makes such contexts. */
export function seesAllRows(context: (Context & TrustedCall) | undefined): boolean {
  return context?.seesAllRows === true;
}

/** Which database a transaction is of, and how long it may take. */
export interface TransactionOptions {
  /** A set of the database; required where the sets of the service are in several databases. */
  readonly over?: DeclaredEntitySet | undefined;
  /** Milliseconds after which the transaction is rolled back; 30,000 when absent, null for no limit. */
  readonly timeout?: number | null | undefined;
}

/** What `replace`, `patch` and `delete` get as their last argument. */
export interface WriteContext<E extends EntityTypeDeclaration> extends Context {
  /**
   * The ETag properties as loaded when a tag of `If-Match` was found to be the current one: repeat them in the WHERE of
   * the write, so that no other write comes between. Undefined without `If-Match`, and for `*`, which names no version.
   */
  readonly expected: Partial<EntityOf<E>> | undefined;
}
