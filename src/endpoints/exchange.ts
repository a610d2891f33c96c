import { clientNetwork } from "../base/client-network.ts";
import { required } from "../base/required.ts";
import { Turn } from "../base/turn.ts";
import { isMeantAsParameter } from "../binder/bind-arguments.ts";
import { type QueryOptionsReading, readQueryOptions } from "../binder/read-query-options.ts";
import type { Context, Host, IncomingRequest, Transaction, User } from "../definition/context.ts";
import { requestFields } from "../definition/request-fields.ts";
import type { AuthorizationRequirement } from "../definition/rules/authorization.ts";
import type { ServiceDefinition } from "../definition/service-definition.ts";
import type { EntitySet } from "../edm/model.ts";
import type { Reader } from "../execution/entities/reader.ts";
import { readerOf } from "../execution/reads/gate.ts";
import { RowAccess, ServiceContext } from "../execution/rules/row-access.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { readPreferences, type Preferences } from "../http/preferences.ts";
import type { Reading } from "../query/reading.ts";
import type { ResourcePath } from "../query/resource-path.ts";
import { CallContext, type CallPlace, SetCallContext } from "../sets/call-context.ts";
import type { ExpectedValues } from "../sets/given-values.ts";
import { HandlerDoor } from "../sets/handler-door.ts";
import type { BatchScope, TransactionPart } from "../sets/transaction-part.ts";
import { type Arrival, fullUrlOf, hostOf, type RequestUrl, toIncomingRequest } from "./arrival.ts";
import type { EntitySetRuntime, ServiceRuntime } from "./service-runtime.ts";

/** One request in an endpoint: its URL, headers and body, its user, and the results of earlier stages. */
export class Exchange implements Arrival, CallerAccess {
  readonly service: ServiceRuntime;
  readonly odata: ODataRequest;
  readonly requestId: string;
  readonly url: RequestUrl;
  readonly sent: RequestUrl | undefined;
  readonly baseUrl: string;
  /** The base URL and the prefix, without a trailing slash: the base of all URLs in responses. */
  readonly serviceRoot: string;
  readonly user: User | null;
  readonly pending: readonly AuthorizationRequirement[];
  readonly isTargetSkipped: boolean;
  /** The time of the present piece of work. */
  readonly turn: Turn = new Turn();
  readonly batch: BatchScope | undefined;
  readonly reading: Reading | null;
  readonly #path: ResourcePath;
  #options: QueryOptionsReading | undefined;
  #preferences: Preferences | undefined;
  #context: RequestContext | undefined;
  #reader: Reader | undefined;

  /** @param path the resource, whose parameters are no system query options */
  constructor(service: ServiceRuntime, arrival: Arrival, access: CallerAccess, path: ResourcePath) {
    const { odata, requestId, url, sent, baseUrl, batch, reading } = arrival;
    this.service = service;
    this.odata = odata;
    this.requestId = requestId;
    this.url = url;
    this.sent = sent;
    this.baseUrl = baseUrl;
    this.batch = batch;
    this.reading = reading;
    this.serviceRoot = baseUrl + service.definition.prefix;
    this.user = access.user;
    this.pending = access.pending;
    this.isTargetSkipped = access.isTargetSkipped;
    this.#path = path;
  }

  /**
   * The most entities that the response may contain: for a read in a batch, as many as earlier responses have left. A write
   * must not fail for earlier responses after it has been executed.
   */
  get maxEntities(): number | null {
    const { maxResponseEntities } = this.service.definition.limits;
    const { method } = this.odata;
    const isRead = method === "GET" || method === "HEAD" || this.sent !== undefined;
    if (this.batch === undefined || maxResponseEntities === null || !isRead) return maxResponseEntities;
    return Math.max(maxResponseEntities - this.batch.counted.total, 0);
  }

  /** Counts the entities of the response, for the limit of the batch. */
  countEntities(entities: number): void {
    if (this.batch !== undefined) this.batch.counted.total += entities;
  }

  /** The absolute URL of the resource without query options. */
  get requestUrl(): string {
    return this.baseUrl + (this.sent ?? this.url).path;
  }

  /** The absolute URL of the request as the client sees it. */
  get fullUrl(): string {
    return fullUrlOf(this);
  }

  /** The query options, read on first use. An error in them is kept until their turn in the order of checks. */
  get options(): QueryOptionsReading {
    return (this.#options ??= readRequestOptions(this, this.#path));
  }

  /** The Prefer header, read on first use. */
  get preferences(): Preferences {
    return (this.#preferences ??= readPreferences(this.odata.header("prefer")));
  }

  /** The context for handlers, made on first use. */
  get context(): RequestContext {
    return (this.#context ??= new RequestContext(this));
  }

  /** The context and gate for reads. */
  get reader(): Reader {
    return (this.#reader ??= readerOf(this.context, this.turn));
  }

  /**
   * Returns the reader of a write, after its preconditions.
   * @param expected the values that handlers find in `ctx.expected`
   */
  writer(expected: ExpectedValues | undefined): Reader {
    const { reader } = this;
    if (expected === undefined) return reader;
    const { context } = this;
    const settings = { service: this.service.definition, door: context, expected };
    return { ...reader, context: new CallContext(outermostPlace(context), settings) };
  }

  /** Returns the state for the endpoints of a set. */
  entitySet(entitySet: EntitySet): EntitySetRuntime {
    return required(this.service.entitySets.get(entitySet), `The service has no entity set ${entitySet.name}.`);
  }
}

/** Makes the response to a request that has passed the checks before negotiation. */
export type Endpoint = (exchange: Exchange, path: ResourcePath) => ODataResponse | PromiseLike<ODataResponse>;

/** Returns the handler of a route, or its form. @throws Error for a route without one: a fault of the route table */
export function routed<T>(handler: T | undefined, route: string): T {
  if (handler === undefined) throw new Error(`${route} has a route, but no handler.`);
  return handler;
}

/** The context of handlers. Its parts are made on first use. */
class RequestContext extends ServiceContext implements Context {
  readonly #exchange: Exchange;
  #request: IncomingRequest | undefined;
  #door: HandlerDoor | undefined;

  constructor(exchange: Exchange) {
    super(new RowAccess(exchange.service.warned));
    this.#exchange = exchange;
  }

  get user(): User | null {
    return this.#exchange.user;
  }

  get signal(): AbortSignal {
    return this.#exchange.odata.signal;
  }

  /** Tells whether the request was aborted without making a signal; undefined where only the signal knows. */
  get isAborted(): boolean | undefined {
    return this.#exchange.odata.isAborted;
  }

  get request(): IncomingRequest {
    return (this.#request ??= toIncomingRequest(this.#exchange));
  }

  get host(): Host {
    return hostOf(this.#exchange.odata);
  }

  get service(): Context["service"] {
    return this.#exchange.service.definition;
  }

  get reading(): Reading | null {
    return this.#exchange.reading;
  }

  /** Identifies the client in queues. */
  get client(): string | undefined {
    const { user, odata, service } = this.#exchange;
    return clientOf(user, odata, service.definition.trustProxy);
  }

  /** Open for the writes of a change set. @throws Error once the transaction has ended */
  get transaction(): Transaction | undefined {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- an application states the type by Register
    return this.part?.whole.transaction as never;
  }

  get part(): TransactionPart | null {
    return this.#exchange.batch?.transactionPart ?? null;
  }

  get sets(): Context["sets"] {
    return this.#opened.sets;
  }

  get inTransaction(): Context["inTransaction"] {
    return this.#opened.inTransaction;
  }

  get #opened(): HandlerDoor {
    return (this.#door ??= new HandlerDoor(this.#exchange.service.sets, outermostPlace(this)));
  }

  protected override withSet(entitySet: EntitySet): Context {
    return new SetCallContext(entitySet, outermostPlace(this), {
      service: this.#exchange.service.definition,
      door: this,
    });
  }

  /** Writes get a `WriteContext` (definition/context) instead. */
  get expected(): undefined {
    return undefined;
  }
}

/** Returns the place of the calls that the context of the request makes. */
function outermostPlace(context: RequestContext): CallPlace {
  return { facts: context, depth: 0, part: context.part, access: ServiceContext.accessOf(context) };
}

const NO_RULES: readonly AuthorizationRequirement[] = Object.freeze([]);

/** The user, and the results of the rules of the route. */
export interface CallerAccess {
  /** Null for an anonymous request. */
  readonly user: User | null;
  /** The rules that only a loaded entity can decide: checked when the entity is loaded. */
  readonly pending: readonly AuthorizationRequirement[];
  /** Whether the route follows a navigation that skips the rules of its target set. */
  readonly isTargetSkipped: boolean;
}

/** Returns the access of a user where no rule restricts the route. */
export function unrestricted(user: User | null): CallerAccess {
  return { user, pending: NO_RULES, isTargetSkipped: false };
}

/**
 * Returns the name of a client: the id of its user or, without one, its address. All requests of a client have the same.
 * @param trustsProxy whether a forwarded address tells the client
 * @returns undefined if neither is known
 * @see docs/reference/sql.md, Where statements run
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

/** A request with the state of its service that its options need. */
interface OptionsRequest extends Pick<Arrival, "odata" | "requestId" | "url" | "sent"> {
  readonly service: {
    readonly definition: ServiceDefinition;
    /** The warnings that are logged once. */
    readonly warned: Set<string>;
  };
}

/**
 * Reads the query options of a request. A custom option that looks like a system query option is logged once for each
 * of them, because clients may omit the `$` by mistake.
 * @param path the resource: a parameter of a function is never a system query option
 * @see docs/reference/query-options.md
 */
function readRequestOptions(request: OptionsRequest, path: ResourcePath): QueryOptionsReading {
  const { definition } = request.service;
  const functions = "operations" in path ? path.operations.filter(({ kind }) => kind === "Function") : [];
  const reading = readQueryOptions((request.sent ?? request.url).query, {
    signIsOptional: definition.profile.signIsOptional,
    isParameter: (name) => functions.some((operation) => isMeantAsParameter(operation, name)),
  });
  for (const [name, option] of reading.options.similar) warnOnce(request, name, option);
  return reading;
}

function warnOnce({ service, odata, requestId, url }: OptionsRequest, name: string, option: string): void {
  const { definition, warned } = service;
  const warning = `custom query option ${option}`;
  if (warned.has(warning)) return;
  warned.add(warning);
  try {
    const fields = requestFields(definition, { id: requestId, method: odata.method, path: url.path });
    definition.logger.warn(
      `A client sent the custom query option \`${name}\`, which the service ignores. Did you mean \`${option}\`?`,
      { ...fields, option: name },
    );
  } catch {
    // A logger that throws leaves nowhere to report to.
  }
}
