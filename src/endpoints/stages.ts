import { chain, type Maybe } from "../base/maybe.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";
import type { Execution } from "./execution.ts";

/** Makes the response to a request that has passed the checks before negotiation. */
export type Endpoint = (request: AuthorizedRequest, execution: Execution) => Maybe<ODataResponse>;

/** The stages of an endpoint: each passes its result to the next. Only `execute` reads and writes data. */
interface Stages<Bound, Plan, Result> {
  /** Checks the parts of the request: format, key, headers, query options, body. */
  readonly bind: (request: AuthorizedRequest) => Maybe<Bound>;
  /** Decides how to read. Calls at most the `tokenScope` of the application. */
  readonly plan: (bound: Bound, request: AuthorizedRequest, execution: Execution) => Plan;
  /** Checks the rules and preconditions that depend on entities, and calls the handlers. */
  readonly execute: (plan: Plan, execution: Execution) => Maybe<Result>;
  /** Writes the response. The later parts of a long page are read while it is sent. */
  readonly write: (result: Result, plan: Plan, request: AuthorizedRequest) => Maybe<ODataResponse>;
}

/** The stages of an endpoint whose bound request needs no plan. */
type PlainStages<Bound, Result> = Omit<Stages<Bound, Bound, Result>, "plan">;

/**
 * Makes an endpoint of its stages.
 * @see docs/explanations/how-a-request-runs.md, During a request
 */
export function inStages<Bound, Result>(stages: PlainStages<Bound, Result>): Endpoint {
  return (request, execution) =>
    chain(stages.bind(request), (bound) => executeAndWrite(stages, bound, request, execution));
}

/** Makes an endpoint of its stages, which include `plan`. */
export function inPlannedStages<Bound, Plan, Result>(stages: Stages<Bound, Plan, Result>): Endpoint {
  return (request, execution) =>
    chain(stages.bind(request), (bound) => {
      request.arrival.clock?.enter("plan");
      return executeAndWrite(stages, stages.plan(bound, request, execution), request, execution);
    });
}

function executeAndWrite<Plan, Result>(
  { execute, write }: Pick<Stages<unknown, Plan, Result>, "execute" | "write">,
  plan: Plan,
  request: AuthorizedRequest,
  execution: Execution,
): Maybe<ODataResponse> {
  const { clock } = request.arrival;
  clock?.enter("execute");
  return chain(execute(plan, execution), (result) => {
    clock?.enter("write");
    return write(result, plan, request);
  });
}

/** Returns the handler of a route, or its form. @throws Error for a route without one: a fault of the route table */
export function routed<T>(handler: T | undefined, route: string): T {
  if (handler === undefined) throw new Error(`${route} has a route, but no handler.`);
  return handler;
}
