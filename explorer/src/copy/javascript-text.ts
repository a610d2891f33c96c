import { type CopiedQuery, copiedHeaders, readsText } from "./copied-query.ts";

/** Writes a name as the key of an object literal. */
export function keyOf(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : JSON.stringify(name);
}

/**
 * Writes the statements that send a request and read its response.
 * @param url an expression
 */
export function fetchStatements(url: string, query: CopiedQuery): string {
  const headers = copiedHeaders(query).map(([name, value]) => `    ${keyOf(name)}: ${JSON.stringify(value)},\n`);
  const options = headers.length === 0 ? "" : `, {\n  headers: {\n${headers.join("")}  },\n}`;
  return `const response = await fetch(${url}${options});
if (!response.ok) throw new Error(await response.text());
const result = await response.${readsText(query) ? "text" : "json"}();
`;
}
