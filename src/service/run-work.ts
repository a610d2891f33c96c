import type { Maybe } from "../base/maybe.ts";
import type { Context, DeclaredEntitySet, Host, SetContext, User } from "../definition/context.ts";
import { inStatementScope } from "../definition/logger.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import type { EntityTypeDeclaration } from "../definition/types/value-type.ts";
import { answeredValue } from "../engine/entities/handler-answer.ts";
import { RowAccess, ServiceContext } from "../engine/rules/row-access.ts";
import { makeRequestId } from "../http/headers.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { knownUser } from "./answer-request.ts";
import { toIncomingRequest } from "./endpoints/arrival.ts";
import { requireService } from "./endpoints/authorize.ts";
import { statementScopeOf } from "./follow-statements.ts";
import type { PositionReports } from "./position-reports.ts";
import { CallContext, type RequestFacts } from "./sets/call-context.ts";
import { CommitUnit } from "./sets/commit-unit.ts";
import type { EntitySets } from "./sets/entity-sets.ts";
import { HandlerDoor } from "./sets/handler-door.ts";

/** The options of `service.run`. */
export interface RunOptions {
  /** The value of `ctx.host`; undefined if absent. */
  readonly host?: Host | undefined;
  /** The value of `ctx.signal`; absent: never aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `service.run` for work that gets the context of the handlers of a set. */
export interface RunInSetOptions<E extends EntityTypeDeclaration, N> extends RunOptions {
  /** A set of the service, which `ctx.set` then opens. */
  readonly set: DeclaredEntitySet<E, N>;
}

/** Runs work without a request. */
export interface RunWork {
  <T>(user: User | null, work: (context: Context) => Maybe<T>, options?: RunOptions): Promise<T>;
  <T, E extends EntityTypeDeclaration, N>(
    user: User | null,
    work: (context: SetContext<E, N>) => Maybe<T>,
    options: RunInSetOptions<E, N>,
  ): Promise<T>;
}

/** The parts of a service that work without a request uses. */
interface RunningService {
  readonly definition: ServiceDefinition;
  readonly sets: EntitySets;
  /** The warnings that the service has logged. */
  readonly warned: Set<string>;
  /** The positions of databases; null if none tells one. */
  readonly positions: PositionReports | null;
  /** Fulfilled once the databases are known to fit. */
  readonly ready: () => Promise<void>;
}

/** The values that `ctx.request` shows, since there is no request. */
type AbsentRequest = Pick<ODataRequest, "headers" | "hostRequest" | "method" | "signal" | "target">;

/** Makes `service.run`. */
export function runWork(service: RunningService): RunWork {
  const { definition, sets, warned, positions, ready } = service;
  return async <T>(
    given: User | null,
    work: (context: never) => Maybe<T>,
    { host, signal = new AbortController().signal, set }: RunOptions & { readonly set?: DeclaredEntitySet } = {},
  ): Promise<T> => {
    if (typeof work !== "function") {
      throw new TypeError("service.run takes a user and a function: pass the work to run.");
    }
    const user = knownUser(given);
    const own = set === undefined ? null : sets.find(set, "`set` of service.run").set.entitySet;
    requireService(user, definition);
    await ready();
    const requestId = makeRequestId();
    const target = `${definition.prefix}/`;
    const odata: AbsentRequest = { method: "POST", target, hostRequest: host, signal, headers: new Headers() };
    const reading = positions?.readingFor(odata, requestId) ?? null;
    // A job may follow any write, also of another process, whose position it does not know.
    reading?.pin();
    const url = { path: target, query: "" };
    const request = toIncomingRequest({ odata, requestId, url, baseUrl: definition.publicUrl ?? "http://localhost" });
    const facts: RequestFacts = { user, signal, request, host: request.host, reading, instant: Date.now() };
    const unit = new CommitUnit();
    const place = { facts, depth: 0, part: null, unit, access: new RowAccess(warned) };
    const context = new CallContext(place, { service: definition, door: new HandlerDoor(sets, place) });
    const run = async (): Promise<T> => {
      // The overloads of `RunWork` give the work the context that it expects.
      const inner = (own === null ? context : ServiceContext.ofSet(own, context)) as never;
      return answeredValue(await work(inner));
    };
    const scope = statementScopeOf(definition, { id: requestId, method: odata.method, target }, null);
    const result = await (scope === null ? run() : inStatementScope(scope, run));
    unit.commit();
    return result;
  };
}
