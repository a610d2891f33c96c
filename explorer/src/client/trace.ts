import { itemsIn, memberOf, textIn } from "./json-members.ts";
import type { ServiceClient } from "./service-client.ts";

/** The statements of a request, as the service kept them. */
export interface Trace {
  readonly statements: readonly TracedStatement[];
  /** The number of statements that the service did not keep. */
  readonly omitted: number;
  /** Indexes that the statements lack. */
  readonly advice: readonly { readonly message: string; readonly fix: string }[];
}

/** A statement of a request. */
export interface TracedStatement {
  readonly sql: string;
  /** The values of the placeholders, as JSON. */
  readonly parameters: readonly string[];
  readonly rows: number;
  readonly milliseconds: number;
  readonly error: string | null;
  /** The plan of the database, in lines; null if there is none. */
  readonly plan: readonly string[] | null;
}

/**
 * Reads the statements of an earlier request of the same reader.
 * @throws ServiceError, such as 404 for a request that the service has forgotten; NetworkError
 */
export async function readTrace(client: ServiceClient, requestId: string, signal: AbortSignal): Promise<Trace> {
  const { body } = await client.get(`explorer/trace/${encodeURIComponent(requestId)}`, {
    signal,
    accept: "application/json",
  });
  return {
    statements: itemsIn(body, "statements").map(toStatement),
    omitted: Number(memberOf(body, "omitted") ?? 0),
    advice: itemsIn(body, "advice").map((each) => ({
      message: textIn(each, "message") ?? "",
      fix: textIn(each, "fix") ?? "",
    })),
  };
}

function toStatement(body: unknown): TracedStatement {
  const plan = memberOf(body, "plan");
  return {
    sql: textIn(body, "sql") ?? "",
    parameters: itemsIn(body, "parameters").map((value) => JSON.stringify(value)),
    rows: Number(memberOf(body, "rows") ?? 0),
    milliseconds: Number(memberOf(body, "ms") ?? 0),
    error: textIn(body, "error"),
    plan: Array.isArray(plan) ? plan.map(String) : null,
  };
}
