import type { SourceQuery } from "../../query/source.ts";
import type { PageClauses } from "../translate/translate-query.ts";

/** Returns the clauses of a page that depend on places of rows. */
export function placesOf({ after, marked }: SourceQuery): Pick<PageClauses, "after" | "marked"> {
  return { after: after?.kind, marked: marked?.order };
}

/** Returns the identities of these clauses. */
export function placeIdentities({ after, marked }: SourceQuery): readonly object[] {
  if (after === undefined) return marked === undefined ? [] : [marked.order];
  return marked === undefined ? [after.kind] : [after.kind, marked.order];
}
