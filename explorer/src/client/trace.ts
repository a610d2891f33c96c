import { itemsIn, memberOf, textIn } from "./json-members.ts";
import type { ServiceClient } from "./service-client.ts";

/** The statements of a request, as the service kept them. */
export type Trace = Awaited<ReturnType<typeof readTrace>>;

/** A statement of a request. */
export type TracedStatement = Trace["statements"][number];

/** Reads the statements of an earlier request of the same reader. @throws ServiceError, also for a forgotten request */
export async function readTrace(client: ServiceClient, requestId: string, signal: AbortSignal) {
  const { body } = await client.get(`explorer/trace/${encodeURIComponent(requestId)}`, { signal });
  return {
    statements: itemsIn(body, "statements").map((statement) => ({
      sql: textIn(statement, "sql") ?? "",
      /** The values of the placeholders, as JSON. */
      parameters: itemsIn(statement, "parameters").map((value) => JSON.stringify(value)),
      pasted: pastedIn(memberOf(statement, "pasted")),
      /** Null if a rule hides rows from the user. */
      rows: memberOf(statement, "rows") === undefined ? null : Number(memberOf(statement, "rows")),
      milliseconds: Number(memberOf(statement, "ms")),
      error: textIn(statement, "error"),
      /** In lines; null if the database made none. */
      plan: memberOf(statement, "plan") === undefined ? null : itemsIn(statement, "plan").map(String),
    })),
    /** The number of statements that the service did not keep. */
    omitted: Number(memberOf(body, "omitted")),
    /** Indexes that the statements lack. */
    advice: itemsIn(body, "advice").map((each) => ({
      message: textIn(each, "message") ?? "",
      fix: textIn(each, "fix") ?? "",
    })),
  };
}

/** Returns a statement as people run it, what it omits, or why there is none; null for one that only the service runs. */
function pastedIn(pasted: unknown) {
  if (pasted === undefined) return null;
  return {
    sql: textIn(pasted, "sql"),
    omits: itemsIn(pasted, "omits").map(String),
    refusal: textIn(pasted, "refusal"),
  };
}
