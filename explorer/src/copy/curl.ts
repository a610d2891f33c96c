import { type CopiedQuery, copiedHeaders, copiedUrl } from "./copied-query.ts";

/** Writes a query as a command of curl for bash, zsh and other shells of Unix. */
export function copyAsCurl(query: CopiedQuery): string {
  const headers = copiedHeaders(query).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`);
  return [`curl ${quoteForShell(copiedUrl(query))}`, ...headers].join(" \\\n  ");
}

/** Within single quotes, a shell expands nothing: neither `$` nor `!` nor a backslash. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
