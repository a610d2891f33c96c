import { type CopiedQuery, copiedUrl } from "./copied-query.ts";
import { fetchStatements } from "./javascript-text.ts";

/** Writes a query as JavaScript that uses `fetch`. */
export function copyAsFetch(query: CopiedQuery): string {
  return fetchStatements(JSON.stringify(copiedUrl(query)), query);
}
