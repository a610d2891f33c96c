import { readsLater } from "../base/later.ts";
import type { Maybe } from "../base/maybe.ts";
import type { Caller, Reading } from "../language/query/reading.ts";
import type { EntityOf, KeyOf, NewEntityOf, ReadEntityOf } from "./types/entity-values.ts";
import type { NavigationDeclaration } from "./types/navigation-declaration.ts";
import type { RowOf, RowPredicate } from "./types/row-predicate.ts";
import type { ChangesOf, FurtherOf, NewEntityIn } from "./types/server-set.ts";
import type { EntityTypeDeclaration } from "./types/value-type.ts";

/**
 * Declares the application's types of users, transactions and requests of the host, once:
 * `declare module "odatakit" { interface Register { user: MyUser } }`.
 */
export interface Register {}

/** The type of the user if the application registers none. */
export interface Principal {
  readonly id?: string;
  readonly roles?: readonly string[];
}

/** The type of the user: `Register.user`, or `Principal`. */
export type User = Register extends { readonly user: infer U } ? U : Principal;

/** The type of the transaction: `Register.transaction`, or `unknown`. */
export type Transaction = Register extends { readonly transaction: infer T } ? T : unknown;

/**
 * The type of the host's request: `Register.host`, or `unknown`.
 * @see docs/guides/hosts.md
 */
export type Host = Register extends { readonly host: infer H } ? H : unknown;

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
  /**
   * The request as the host knows it, with the properties that its middleware has set: the `Request` of Express, the
   * `FastifyRequest`, the `Context` of Hono, the `IncomingMessage` of `node:http`; the second argument of `service.fetch`,
   * else its `Request`. Undefined if `service.handle` got none.
   * @see docs/guides/hosts.md, The request of the host
   */
  readonly host: Host;
}

/** The context of authorization rules. Rules cannot open entity sets, because opening a set evaluates its rules. */
export interface RuleContext {
  readonly user: User | null;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly request: IncomingRequest;
  /** The request as the host knows it, as `request.host`. */
  readonly host: Host;
  /** The registration that received the request. */
  readonly service: { readonly name: string | undefined; readonly prefix: string };
  /** The transaction that `inTransaction` opened; undefined outside of `inTransaction`. */
  readonly transaction: Transaction | undefined;
}

/**
 * Returns the context of rules for the context of a handler.
 */
export function ruleContextOf(context: RuleContext): RuleContext {
  return Object.freeze(withRuleContext({}, context));
}

const withRuleContext = readsLater("user", "signal", "request", "host", "service", "transaction");

/** The context of a request: the last argument of every handler. */
export interface Context extends RuleContext {
  /**
   * Opens an entity set of the service. Each call obeys the rules that a request of the same user would obey: the rules
   * of the category, `resource` rules and row rules. Calls within `inTransaction` are part of the transaction.
   * @param set the value that `entitySet` or `sqlEntitySet` returned
   * @see docs/reference/handlers.md
   */
  sets<D extends DeclaredEntitySet, Trusted extends boolean = false>(
    this: void,
    set: D,
    options?: AccessOptions<Trusted>,
  ): AccessTo<D, Trusted>;
  /**
   * Runs work as one transaction over the sets of one database. It commits when the work returns, and rolls back when
   * the work throws or returns an error. Within another transaction, the work becomes part of that transaction.
   * @param work a function that uses the context it receives; it runs again after a conflict with another transaction
   * @returns the result of the work
   * @see docs/reference/handlers.md
   */
  inTransaction<T>(
    this: void,
    work: (context: TransactionContext) => Maybe<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Runs work once after the commit of the outermost transaction, and never after a rollback; outside of transactions, once
   * the handler has returned. The response does not wait for it, and its errors are only logged.
   * @param work a function that uses the context it receives, which belongs to no transaction
   * @see docs/reference/handlers.md
   */
  afterCommit(this: void, work: (context: Context) => unknown): void;
}

/** The context of the work of `inTransaction`. */
export interface TransactionContext<T extends Transaction = Transaction> extends Context {
  /** The open transaction. Accessing it after the work has ended throws. */
  readonly transaction: T;
}

/**
 * The context of the handlers of a set, of its navigations and of its bound operations. `T` is the type of the transaction: for
 * handlers, hooks, `set` and `validate` of `sqlEntitySet`, that of its `db`.
 */
export interface SetContext<
  E extends EntityTypeDeclaration,
  N = unknown,
  T extends Transaction = Transaction,
> extends Context {
  readonly transaction: T | undefined;
  /**
   * The set of the handler, as `sets` opens others: a handler cannot name its own set there, because the type of the set
   * depends on the handler. Each call obeys the rules of the set.
   * @see docs/reference/handlers.md
   */
  readonly set: EntitySetAccess<E, N>;
  inTransaction<Result>(
    this: void,
    work: (context: SetContext<E, N, T> & TransactionContext<T>) => Maybe<Result>,
    options?: TransactionOptions & { readonly over?: undefined },
  ): Promise<Result>;
  /** The transaction may be over the database of another set, `over`. */
  inTransaction<Result>(
    this: void,
    work: (context: SetContext<E, N> & TransactionContext) => Maybe<Result>,
    options: TransactionOptions,
  ): Promise<Result>;
  afterCommit(this: void, work: (context: SetContext<E, N, T>) => unknown): void;
}

interface TrustedCall {
  /** Whether row rules are skipped for the rows that the call reads and writes. */
  readonly seesAllRows?: boolean;
}

/** Returns whether row rules are skipped for a call: `ctx.sets` with `trusted: true` makes such contexts. */
export function seesAllRows(context: (Context & TrustedCall) | undefined): boolean {
  return context?.seesAllRows === true;
}

interface HookedCall {
  readonly skipsHooks?: boolean;
}

/** Returns whether a write runs no hooks: `ctx.sets` with `hooks: false` makes such contexts. */
export function skipsHooks(context: (Context & HookedCall) | undefined): boolean {
  return context?.skipsHooks === true;
}

interface WholeCall {
  /** Whether a write returns every declared property of the saved entity. */
  readonly returnsIgnored?: boolean;
}

/** Returns whether a write returns ignored properties, too: the writes of `ctx.sets` do. */
export function returnsIgnored(context: (Context & WholeCall) | undefined): boolean {
  return context?.returnsIgnored === true;
}

interface RoutedCall {
  readonly reading?: Reading | null;
}

/**
 * Returns where a request reads databases that tell positions; null if none does, undefined for a context that the
 * application made: it reads the primary.
 */
export function readingOf(context: (Context & RoutedCall) | undefined): Reading | null | undefined {
  return context?.reading;
}

interface TimedCall {
  readonly instant?: number | undefined;
}

/** Returns the instant of a request, in milliseconds since 1970; the present one for a context that the application made. */
export function instantOf(context: (Context & TimedCall) | undefined): number {
  return context?.instant ?? Date.now();
}

/** Returns who sent a request, which no handler needs. The name of the client is made on first use. */
export function callerOf(context: (Context & Caller) | undefined): Caller | undefined {
  return context;
}

/** The isolation of a transaction. A database may use a stronger one. @see docs/reference/handlers.md, Rows that many write */
export type Isolation = "read committed" | "repeatable read" | "serializable";

/** The options of `ctx.inTransaction`. */
export interface TransactionOptions {
  /** `"read committed"` if absent: then read the rows that the work changes with `forUpdate`. */
  readonly isolation?: Isolation | undefined;
  /** A set of the database; required if the sets of the service are in several databases. */
  readonly over?: DeclaredEntitySet | undefined;
  /** Milliseconds after which the transaction is rolled back; `transactionTimeout` if absent, null for no limit. */
  readonly timeout?: number | null | undefined;
}

/** The last argument of `replace`, `patch` and `delete`. */
export interface WriteContext<
  E extends EntityTypeDeclaration,
  N = unknown,
  T extends Transaction = Transaction,
> extends SetContext<E, N, T> {
  /**
   * The values of the ETag properties that matched `If-Match`. Repeat them in the `WHERE` of the write: a concurrent
   * write is then not overwritten. Undefined without `If-Match`, and for `If-Match: *`, which names no version. A replacement
   * that keeps the values of properties because of their rules has the values of the ETag that these belong to.
   */
  readonly expected: Partial<EntityOf<E>> | undefined;
}

/** A declared entity set, reduced to the types of its entities. */
export interface DeclaredEntitySet<E extends EntityTypeDeclaration = EntityTypeDeclaration, N = unknown> {
  readonly kind: "EntitySetDeclaration";
  readonly entityType: E;
  readonly navigation: N | undefined;
}

/** The keys of the properties that the `set` of a declared set names, for the compiler only. */
export interface ServerSetKeys<S extends string> {
  readonly _set?: S | undefined;
}

/**
 * The result of `ctx.sets` for a declared set. A set whose type the compiler cannot infer, because a helper without a return type
 * refers to it, has the type `any`: then the result is `any`, too, and the only errors are those of the set and the helper.
 */
export type AccessTo<D extends DeclaredEntitySet, Trusted extends boolean> = 0 extends 1 & D
  ? D
  : [D] extends [DeclaredEntitySet<infer E, infer N> & ServerSetKeys<infer S>]
    ? EntitySetAccess<E, N, NewEntityIn<E, S, Trusted>, FurtherOf<E, S, Trusted>>
    : never;

/** The options of `ctx.sets`. */
export interface AccessOptions<Trusted extends boolean = boolean> {
  /**
   * Whether the calls skip all rules of the set: of categories, `resource` rules and row rules; false if absent. A trusted
   * call reads and writes entities that the user of the request must not see, and may give values of computed properties.
   */
  readonly trusted?: Trusted | undefined;
  /** Whether the hooks of the set run; true if absent. */
  readonly hooks?: boolean | undefined;
}

/** A property to order by, optionally in descending order: `"placedAt desc"`. */
type OrderTerm<E extends EntityTypeDeclaration> =
  | (keyof E["properties"] & string)
  | `${keyof E["properties"] & string} desc`;

/** The options of `count`. */
export interface EntityFilter<E extends EntityTypeDeclaration, N> {
  /** A function that returns a condition on a row: `(order) => order.status.eq("open")`. All entities if absent. */
  readonly filter?: ((row: RowOf<E, N>) => RowPredicate) | undefined;
}

/** The options of `query`. */
export interface EntityQuery<E extends EntityTypeDeclaration, N> extends EntityFilter<E, N> {
  /** The properties to order by; if absent, the key, or the order in which the handler of the set returns entities. */
  readonly orderBy?: OrderTerm<E> | ReadonlyArray<OrderTerm<E>> | undefined;
  /** The maximum number of entities; all if absent. `maxTop` of the set does not apply. */
  readonly top?: number | undefined;
  readonly skip?: number | undefined;
}

/** The options of `get`. */
export interface ReadOptions {
  /** Whether the row stays locked until the open transaction ends, so that no other transaction changes it; false if absent. */
  readonly forUpdate?: boolean | undefined;
}

/** The options of `patch` and `delete`. */
export interface WriteOptions<E extends EntityTypeDeclaration> {
  /** Values that the entity must still have, such as its `version`; otherwise the write rejects with a 412 error. */
  readonly expected?: Partial<ReadEntityOf<E>> | undefined;
}

/** The nested entities of a new entity, by navigation. Values that follow from the outer entity may be absent. */
type NestedOf<E extends EntityTypeDeclaration, N> = {
  readonly [F in keyof N]?: N[F] extends NavigationDeclaration<E, infer Target, infer C>
    ? (C extends "many" ? ReadonlyArray<Partial<NewEntityOf<Target>>> : Partial<NewEntityOf<Target>>) | null | undefined
    : never;
};

/**
 * An entity set for handlers. Entities have canonical values. Every method rejects with the same ODataError that a
 * request would receive; a handler that does not catch the error passes it to the client.
 * @see docs/reference/handlers.md
 */
export interface EntitySetAccess<E extends EntityTypeDeclaration, N, New = NewEntityOf<E>, ServerSet = unknown> {
  /** Returns one entity; null if it does not exist or the user does not see it. */
  get(key: KeyOf<E>, options?: ReadOptions): Promise<ReadEntityOf<E> | null>;
  /** Returns the entities that match a filter. */
  query(query?: EntityQuery<E, N>): Promise<ReadonlyArray<ReadEntityOf<E>>>;
  /** Counts the entities that match a filter. */
  count(query?: EntityFilter<E, N>): Promise<number>;
  /** Creates an entity, with nested entities if the set has `allowDeepInsert`, and returns the saved entity. */
  create(entity: New & NestedOf<E, N>): Promise<ReadEntityOf<E>>;
  /**
   * Creates entities, as `create` does each of them, and returns them as saved, in the same order. A table adds them in few
   * statements, and either all of them or none.
   * @see docs/reference/handlers.md, Many entities
   */
  createMany(entities: ReadonlyArray<New & NestedOf<E, N>>): Promise<ReadonlyArray<ReadEntityOf<E>>>;
  /** Changes some members and returns the saved entity; null if it does not exist or the user does not see it. */
  patch(key: KeyOf<E>, delta: ChangesOf<E> & ServerSet, options?: WriteOptions<E>): Promise<ReadEntityOf<E> | null>;
  /** Deletes an entity; returns false if it does not exist or the user does not see it. */
  delete(key: KeyOf<E>, options?: WriteOptions<E>): Promise<boolean>;
}
