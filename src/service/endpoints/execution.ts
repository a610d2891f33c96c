import { ByteCount } from "../../base/byte-count.ts";
import { clientNetwork } from "../../base/client-network.ts";
import { tooManyHeld } from "../../base/errors/odata-error.ts";
import type { HeldShare } from "../../base/held-bytes.ts";
import { readsLater } from "../../base/later.ts";
import { chain, type Maybe, Turn } from "../../base/maybe.ts";
import {
  callerOf,
  type Context,
  type Host,
  type IncomingRequest,
  type Transaction,
  type User,
} from "../../definition/context.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { Reader, ShownEntities } from "../../engine/entities/reader.ts";
import { readerOf } from "../../engine/reads/gate.ts";
import { type AtomicCall, RowAccess, ServiceContext } from "../../engine/rules/row-access.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import { ReadTime, type Reading } from "../../language/query/reading.ts";
import { showing } from "../../language/query/shown-entity.ts";
import { CallContext, type CallPlace, SetCallContext, type WriteFacts } from "../sets/call-context.ts";
import { CommitUnit } from "../sets/commit-unit.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { HandlerDoor } from "../sets/handler-door.ts";
import type { TransactionPart } from "../sets/transaction-part.ts";
import { type Arrival, hostOf, toIncomingRequest } from "./arrival.ts";
import type { CallerAccess } from "./authorize.ts";
import type { ServiceRuntime } from "./service-runtime.ts";

/** Milliseconds for which a read without a limit waits for others. */
const PATIENCE = 10_000;

/** The transaction of a part of a request. */
interface ExecutionPart {
  readonly inner: Reader | null;
  readonly outer: Execution | null;
  readonly readsLater: boolean;
}

const WHOLE: ExecutionPart = Object.freeze({ inner: null, outer: null, readsLater: false });

/** One request in execution: the context and the limits with which it calls handlers. It does not know the query options. */
export class Execution implements ShownEntities {
  readonly service: ServiceRuntime;
  readonly arrival: Arrival;
  readonly access: CallerAccess;
  /** The time of the present piece of work. */
  readonly turn: Turn;
  /** The time that reads may take together. */
  readonly readTime: ReadTime;
  #context: RequestContext | undefined;
  #reader: Reader | undefined;
  #shown: WeakMap<object, { readonly shown: object; readonly members: object }> | undefined;
  #bytes: ByteCount | undefined;
  #held: HeldShare | undefined;
  #isCommitted = false;
  /** The reader of the transaction to which this execution belongs; null for that of the whole request. */
  readonly #inner: Reader | null;
  /** The execution of the whole request, in which readers note the shown entities; null for itself. */
  readonly #outer: Execution | null;
  /** Whether the content of the response is read later, outside of the transaction. */
  readonly readsLater: boolean;

  constructor(service: ServiceRuntime, arrival: Arrival, access: CallerAccess, part: ExecutionPart | null = null) {
    const { inner, outer, readsLater }: ExecutionPart = part ?? WHOLE;
    this.service = service;
    this.arrival = arrival;
    this.access = access;
    this.#inner = inner;
    this.#outer = outer;
    this.readsLater = readsLater;
    this.readTime = callerOf(inner?.context)?.readTime ?? new ReadTime(service.definition.limits.queryTimeout);
    this.turn = new Turn(this.readTime.add);
  }

  /** Returns the execution of a part of the request, whose handlers use the transaction of a reader. */
  within(inner: Reader, readsLater = false): Execution {
    return new Execution(this.service, this.arrival, this.access, { inner, outer: this.#whole, readsLater });
  }

  /** Returns the execution of a request within this one, such as the write of a nested entity, in the transaction of a reader. */
  nested({ arrival, access }: { readonly arrival: Arrival; readonly access: CallerAccess }, inner: Reader): Execution {
    return new Execution(this.service, arrival, access, { inner, outer: this.#whole, readsLater: false });
  }

  /** The execution of the whole request. A getter: oxfmt drops the parentheses before a private member, as in `(a ?? b).#c`. */
  get #whole(): Execution {
    return this.#outer ?? this;
  }

  /** Returns this execution under the rules of another entity of the request. */
  under(access: CallerAccess): Execution {
    const { readsLater } = this;
    return new Execution(this.service, this.arrival, access, { inner: this.reader, outer: this.#whole, readsLater });
  }

  /**
   * The most entities that the response may contain: for a read in a batch, as many as earlier responses have left. A write
   * must not fail for earlier responses after it has been executed.
   */
  get maxEntities(): number | null {
    const { maxResponseEntities } = this.service.definition.limits;
    const { batch } = this.arrival;
    if (batch === undefined || maxResponseEntities === null || !this.#isRead) return maxResponseEntities;
    return Math.max(maxResponseEntities - batch.counted.total, 0);
  }

  get #isRead(): boolean {
    const { odata, sent } = this.arrival;
    return odata.method === "GET" || odata.method === "HEAD" || sent !== undefined;
  }

  /** Counts the entities of the response, for the limit of the batch. */
  countEntities(entities: number): void {
    const { batch } = this.arrival;
    if (batch !== undefined) batch.counted.total += entities;
  }

  /** The bytes that the response may contain: for a read in a batch, as many as earlier responses have left. */
  get mostBytes(): number {
    const { maxResponseBytes } = this.service.definition.limits;
    if (maxResponseBytes === null || !this.#isRead) return Infinity;
    return Math.max(maxResponseBytes - (this.arrival.batch?.counted.bytes ?? 0), 0);
  }

  /** Counts the bytes of the rows that are read for the response. */
  get bytes(): ByteCount {
    return (this.#bytes ??= new ByteCount(this.mostBytes, this.#held));
  }

  /**
   * Waits until the response may hold bytes, as a read does.
   * @returns its share; undefined: nothing counts
   * @throws ODataError `ServiceUnavailable` if no share is free in time
   */
  hold(): Maybe<HeldShare | undefined> {
    const { held, definition } = this.service;
    if (held === null || !this.#isRead || this.#inner !== null) return undefined;
    const share = held.begin();
    if (share !== null) return (this.#held = share);
    const { queryTimeout } = definition.limits;
    const time = queryTimeout === null ? PATIENCE : this.readTime.leftOf(queryTimeout);
    const waited = this.readTime.spend(() => held.wait(time, this.arrival.odata.signal));
    return chain(waited, (found) => {
      if (found === null) throw tooManyHeld();
      return (this.#held = found);
    });
  }

  /** The context for handlers, made on first use. */
  get context(): Context {
    return this.#inner?.context ?? (this.#context ??= new RequestContext(this));
  }

  /** Starts the work of `ctx.afterCommit`: the handler has returned, and no transaction contains the request. */
  commit(): void {
    if (this.#inner !== null) return;
    this.#isCommitted = true;
    this.#context?.commit();
  }

  /** Whether the handler has returned. */
  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** The context and gate for reads. */
  get reader(): Reader {
    return (
      this.#inner ??
      (this.#reader ??= readerOf(this.context, this.turn, {
        shown: this,
        bytes: this.bytes,
        together: this.arrival.batch?.together,
      }))
    );
  }

  /** Notes the entity that an `after` hook shows instead of the stored one. */
  noteShown(stored: object, shown: object, members: object): void {
    const whole = this.#whole;
    (whole.#shown ??= new WeakMap()).set(stored, { shown, members });
  }

  shownMembers(stored: object): object | undefined {
    const whole = this.#whole;
    return whole.#shown?.get(stored)?.members;
  }

  /** Returns an entity as its `after` hook shows it; the entity itself if none has changed it. */
  shown(stored: unknown): unknown {
    if (typeof stored !== "object" || stored === null) return stored;
    const whole = this.#whole;
    const found = whole.#shown?.get(stored);
    return found === undefined ? stored : showing(stored, found.shown);
  }

  /**
   * Returns the reader of a write, after its preconditions.
   * @param expected the values that handlers find in `ctx.expected`
   */
  writer(expected: ExpectedValues | undefined): Reader {
    const { reader } = this;
    return expected === undefined ? reader : { ...reader, context: ServiceContext.expecting(reader.context, expected) };
  }
}

/** The context of handlers. Its parts are made on first use. */
class RequestContext extends ServiceContext implements Context {
  readonly #execution: Execution;
  #request: IncomingRequest | undefined;
  #door: HandlerDoor | undefined;
  #unit: CommitUnit | undefined;
  #instant: number | undefined;

  constructor(execution: Execution) {
    super(new RowAccess(execution.service.warned));
    this.#execution = execution;
  }

  get user(): User | null {
    return this.#execution.access.user;
  }

  get signal(): AbortSignal {
    return this.#execution.arrival.odata.signal;
  }

  /** Returns whether the request was aborted, without making a signal; undefined where only the signal knows. */
  get isAborted(): boolean | undefined {
    return this.#execution.arrival.odata.isAborted;
  }

  get request(): IncomingRequest {
    return (this.#request ??= toIncomingRequest(this.#execution.arrival));
  }

  get host(): Host {
    return hostOf(this.#execution.arrival.odata);
  }

  get service(): Context["service"] {
    return this.#execution.service.definition;
  }

  get reading(): Reading | null {
    return this.#execution.arrival.reading;
  }

  /** The instant of the request: taken on first use, or that of its change set. In milliseconds since 1970. */
  get instant(): number {
    return (this.#instant ??= this.#execution.arrival.batch?.instant ?? Date.now());
  }

  get readTime(): ReadTime {
    return this.#execution.readTime;
  }

  /** Identifies the client in queues. */
  get client(): string | undefined {
    const { access, arrival, service } = this.#execution;
    return clientOf(access.user, arrival.odata, service.definition.trustProxy);
  }

  /** Open for the writes of a change set. @throws Error once the transaction has ended */
  get transaction(): Transaction | undefined {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an application states the type by Register
    return this.part?.whole.transaction as never;
  }

  get part(): TransactionPart | null {
    return this.#execution.arrival.batch?.transactionPart ?? null;
  }

  /** The change set of the request, else the request itself. */
  get unit(): CommitUnit {
    if (this.#unit === undefined) {
      this.#unit = this.part?.unit ?? new CommitUnit();
      if (this.#execution.isCommitted) this.commit();
    }
    return this.#unit;
  }

  /** Starts the work of the request, unless its change set does. */
  commit(): void {
    if (this.part === null) this.#unit?.commit();
  }

  get sets(): Context["sets"] {
    return this.#opened.sets;
  }

  get inTransaction(): Context["inTransaction"] {
    return this.#opened.inTransaction;
  }

  get afterCommit(): Context["afterCommit"] {
    return this.#opened.afterCommit;
  }

  runAtomically<T>(call: AtomicCall, facts: WriteFacts, work: (inner: Context) => Promise<T>): Promise<T> {
    return this.#opened.runAtomically(call, facts, work);
  }

  override atomically<T>(call: AtomicCall, work: (inner: Context) => Promise<T>): Promise<T> {
    return this.runAtomically(call, {}, work);
  }

  get #opened(): HandlerDoor {
    return (this.#door ??= new HandlerDoor(this.#execution.service.sets, outermostPlace(this)));
  }

  protected override withExpected(expected: ExpectedValues): Context {
    return new CallContext(outermostPlace(this), { service: this.#execution.service.definition, door: this, expected });
  }

  protected override withSet(entitySet: EntitySet): Context {
    return new SetCallContext(entitySet, outermostPlace(this), {
      service: this.#execution.service.definition,
      door: this,
    });
  }

  /** Writes get a `WriteContext` (definition/context) instead. */
  get expected(): undefined {
    return undefined;
  }
}

/** Most requests need no unit. */
const withUnitOf = readsLater("unit");

/** Returns the place of the calls that the context of the request makes. */
function outermostPlace(context: RequestContext): CallPlace {
  const { part } = context;
  return withUnitOf({ facts: context, depth: 0, part, access: ServiceContext.accessOf(context) }, context);
}

/**
 * Returns the name of a client: the id of its user or, without one, its address. All requests of a client have the same.
 * @param trustsProxy whether a forwarded address identifies the client
 * @returns undefined if neither is known
 * @see docs/reference/tables.md, Where statements run
 */
export function clientOf(user: User | null, odata: ODataRequest, trustsProxy: boolean): string | undefined {
  const id: unknown = user === null ? null : Reflect.get(Object(user) as object, "id");
  if (typeof id === "number" || typeof id === "bigint" || (typeof id === "string" && id !== "")) {
    return `user ${String(id)}`;
  }
  const facts = { header: (name: string) => odata.header(name), remoteAddress: odata.remoteAddress };
  const address = clientNetwork(facts, trustsProxy);
  return address === "" ? undefined : `address ${address}`;
}
