import { chain, isPromiseLike, type Maybe } from "../base/maybe.ts";
import {
  inStatementScope,
  statementScope,
  type StatementFollower,
  type StatementScope,
  type TracedRequest,
} from "../definition/logger.ts";
import { requestFields } from "../definition/model/request-fields.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import type { ODataResponse, ResponseBody } from "../http/odata-response.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import type { StageClock } from "./endpoints/stage-clock.ts";

/**
 * Runs a request, and reports its statements to `onStatement`, also statements of a streamed body, and to the clock of the
 * request.
 */
export function followStatements(
  definition: ServiceDefinition,
  request: TracedRequest,
  clock: StageClock | null,
  answer: () => Maybe<ODataResponse>,
): Maybe<ODataResponse> {
  const scope = statementScopeOf(definition, request, clock);
  if (scope === null) return answer();
  // Operations of a batch belong to the trace of the batch.
  const follower = statementScope()?.follower;
  return followWith(follower === undefined ? scope : joined(scope, follower), answer);
}

/** Runs a request whose statements another receiver gets too. */
export function alsoFollow(follower: StatementFollower, answer: () => Maybe<ODataResponse>): Maybe<ODataResponse> {
  return followWith(joined(statementScope(), follower), answer);
}

function followWith(scope: StatementScope, answer: () => Maybe<ODataResponse>): Maybe<ODataResponse> {
  const follow = (response: ODataResponse): ODataResponse => ({ ...response, body: followed(response.body, scope) });
  return chain(inStatementScope(scope, answer), follow);
}

function joined(scope: StatementScope | undefined, follower: StatementFollower): StatementScope {
  return {
    report: (statement) => {
      scope?.report(statement);
      follower.report(statement);
    },
    follower,
  };
}

/** Returns who receives the statements of a request; null for nobody. */
export function statementScopeOf(
  definition: ServiceDefinition,
  { id, method, target }: TracedRequest,
  clock: StageClock | null,
): StatementScope | null {
  const { onStatement, logger } = definition;
  if (onStatement === undefined) return clock === null ? null : { report: ({ ms }) => clock.addStatement(ms) };
  const request = Object.freeze<TracedRequest>({ id, method, target });
  const fail = (err: unknown): void => {
    try {
      const { path } = splitTarget(target);
      logger.error("onStatement failed.", { ...requestFields(definition, { id, method, path }), err });
    } catch {
      // A logger that throws leaves nowhere to report to.
    }
  };
  return {
    report: ({ explain: _explain, columns: _columns, paste: _paste, ...statement }) => {
      clock?.addStatement(statement.ms);
      try {
        const reported: unknown = onStatement({ ...statement, request });
        if (isPromiseLike(reported)) Promise.resolve(reported).catch(fail);
      } catch (error) {
        fail(error);
      }
    },
  };
}

function followed(body: ResponseBody, scope: StatementScope): ResponseBody {
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return body;
  if (!(Symbol.asyncIterator in body)) return body;
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = inStatementScope(scope, () => body[Symbol.asyncIterator]());
      return {
        next: () => inStatementScope(scope, () => chunks.next()),
        return: async () =>
          (await inStatementScope(scope, () => chunks.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}
