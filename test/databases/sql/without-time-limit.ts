/** Removes the time limit that precedes a statement for MariaDB, so that the statement can be explained or compared. */
export function withoutTimeLimit(text: string): string {
  return text.replace(/^\/\*M!100101 set statement max_statement_time=10 for \*\/ /u, "");
}
