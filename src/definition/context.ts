import type { EntityOf } from "./infer.ts";
import type { EntityTypeDeclaration } from "./value-type.ts";

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
   * @see docs/hosting.md, Request ids
   */
  readonly id: string;
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  readonly headers: Headers;
}

/** What every handler gets as its last argument. */
export interface Context {
  readonly user: User | null;
  /** Aborted when the client disconnects; made on first use. */
  readonly signal: AbortSignal;
  readonly request: IncomingRequest;
  /** The registration that answers. */
  readonly service: { readonly name: string | undefined; readonly prefix: string };
  readonly transaction: Transaction | undefined;
}

/** What `replace`, `patch` and `delete` get as their last argument. */
export interface WriteContext<E extends EntityTypeDeclaration> extends Context {
  /**
   * The ETag properties as loaded when a tag of `If-Match` was found to be the current one: repeat them in the WHERE of
   * the write, so that no other write comes between. Undefined without `If-Match`, and for `*`, which names no version.
   */
  readonly expected: Partial<EntityOf<E>> | undefined;
}
