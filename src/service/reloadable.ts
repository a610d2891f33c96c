import { ConfigurationError } from "../base/errors/configuration-error.ts";
import { isPromiseLike, type Maybe } from "../base/maybe.ts";
import type { Context, User } from "../definition/context.ts";
import type { Awaitable } from "../definition/handlers.ts";
import { descriptionOf, forwardDescription } from "../definition/model/service-definition.ts";
import { fromFetchRequest, toFetchResponse } from "../http/fetch-request.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { type ODataResponse, whenSent } from "../http/odata-response.ts";
import { logBrokenResponse } from "./handle-error.ts";
import type { ODataService } from "./odata-service.ts";
import type { RunOptions } from "./run-work.ts";

/** The options of `replace`. */
export interface ReplaceOptions {
  /** Called once the last request of the replaced service, and work after its commits, has ended: `() => db.destroy()`. */
  readonly close?: (() => Awaitable<void>) | undefined;
}

/** A service that another one can replace while it runs: the result of `reloadable`. */
export interface ReloadableService extends ODataService {
  /**
   * Replaces the service once `service.ready()` succeeds. Requests that began before end on the old service.
   * @throws ConfigurationError for another prefix, and the error of `ready()`: the old service then stays
   */
  replace(service: ODataService, options?: ReplaceOptions): Promise<void>;
}

/**
 * Wraps a service so that it can be replaced without a restart, for `serve`, `toNodeHandler` and every other host.
 * @see docs/reference/services.md
 */
export function reloadable(service: ODataService): ReloadableService {
  let current = new Generation(service);
  const generations = new Set([current]);
  let turn: Promise<unknown> = Promise.resolve();
  const handle = (request: ODataRequest): ODataResponse | Promise<ODataResponse> => current.handle(request);
  const swap = async (next: ODataService, { close }: ReplaceOptions): Promise<void> => {
    checkReplacement(current.service, next);
    await next.ready();
    const old = current;
    generations.add((current = new Generation(next)));
    const end = async (): Promise<void> => {
      await old.ended;
      await old.service.drain();
      generations.delete(old);
      await close?.();
    };
    void end().catch((err: unknown) => {
      next.logger.error("The replaced service could not be closed.", { err });
    });
    old.end();
  };
  const made: ReloadableService = {
    get name() {
      return current.service.name;
    },
    prefix: service.prefix,
    get group() {
      return current.service.group;
    },
    get model() {
      return current.service.model;
    },
    get logger() {
      return current.service.logger;
    },
    ready: () => current.service.ready(),
    probe: (options) => current.service.probe(options),
    drain: async () => {
      await Promise.all(Array.from(generations, (each) => each.service.drain()));
    },
    run: <T>(user: User | null, work: (context: never) => Maybe<T>, options?: RunOptions) =>
      current.run(user, work, options),
    handle,
    fetch: (request, host) => current.fetch(request, host),
    replace: (next, options = {}) => {
      // One after the other, so that the last call wins.
      const swapped = turn.then(() => swap(next, options));
      turn = swapped.catch(() => undefined);
      return swapped;
    },
  };
  forwardDescription(made, () => current.service);
  return Object.freeze(made);
}

function checkReplacement({ prefix }: ODataService, next: ODataService): void {
  if (next.prefix === prefix) return;
  const message = `The service has the prefix "${next.prefix}", but replaces one with "${prefix}".`;
  throw new ConfigurationError([{ message, fix: "Give both services the same `prefix`: hosts have mounted it." }]);
}

/** One of the services that replace each other, with the number of its open requests. */
class Generation {
  readonly service: ODataService;
  /** Fulfilled once the service is replaced and its last request has ended. */
  readonly ended: Promise<void>;
  #open = 1;
  #resolve: () => void = () => undefined;

  constructor(service: ODataService) {
    this.service = service;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Ends a request, or the time in which new ones begin. */
  end(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#resolve();
  }

  handle(request: ODataRequest): ODataResponse | Promise<ODataResponse> {
    this.#open += 1;
    // A request ends with the last chunk of its response.
    const track = (response: ODataResponse): ODataResponse => whenSent(response, () => this.end());
    const answer = this.service.handle(request);
    return isPromiseLike(answer) ? Promise.resolve(answer).then(track) : track(answer);
  }

  /** Work without a request ends as a request does: the service that began it is closed after it. */
  async run<T>(user: User | null, work: (context: never) => Maybe<T>, options: RunOptions | undefined): Promise<T> {
    this.#open += 1;
    try {
      return await this.service.run(user, work as (context: Context) => Maybe<T>, options);
    } finally {
      this.end();
    }
  }

  async fetch(request: Request, host: unknown): Promise<Response> {
    const odata = fromFetchRequest(request, { hostRequest: host });
    const response = await this.handle(odata);
    return toFetchResponse(response, (error) => {
      const definition = descriptionOf(this.service)?.definition;
      if (definition !== undefined) logBrokenResponse(definition, odata, response, error);
    });
  }
}
