import { chain, isPromiseLike, type Maybe } from "../base/maybe.ts";
import { inStatementScope, statementScope, type StatementScope, type TracedRequest } from "../definition/logger.ts";
import { requestFields } from "../definition/model/request-fields.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import type { StageClock } from "../endpoints/stage-clock.ts";
import type { ODataResponse, ResponseBody } from "../http/odata-response.ts";
import { splitTarget } from "../syntax/query-options-parser.ts";

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
  const scope = scopeOf(definition, request, clock);
  if (scope === null) return answer();
  // Operations of a batch belong to the trace of the batch.
  const followers = statementScope()?.followers ?? [];
  return followWith(followers.length === 0 ? scope : joined([scope, ...followers], followers), answer);
}

function followWith(scope: StatementScope, answer: () => Maybe<ODataResponse>): Maybe<ODataResponse> {
  const follow = (response: ODataResponse): ODataResponse => ({ ...response, body: followed(response.body, scope) });
  return chain(inStatementScope(scope, answer), follow);
}

/** Runs a request whose statements further receivers get, in addition to those who already receive them. */
export function alsoFollow(
  scopes: readonly StatementScope[],
  answer: () => Maybe<ODataResponse>,
): Maybe<ODataResponse> {
  if (scopes.length === 0) return answer();
  const outer = statementScope();
  return followWith(joined(outer === undefined ? scopes : [outer, ...scopes], scopes), answer);
}

function joined(scopes: readonly StatementScope[], followers: readonly StatementScope[]): StatementScope {
  return {
    report: (statement) => {
      for (const each of scopes) each.report(statement);
    },
    followers,
  };
}

function scopeOf(
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
    report: ({ explain: _explain, ...statement }) => {
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
