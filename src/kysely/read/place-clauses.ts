import type { SourceQuery } from "../../query/source.ts";
import type { PageClauses } from "../translate/translate-query.ts";
import type { ProvenColumns } from "./proven-columns.ts";

/** Returns the clauses of a page that depend on places of rows. */
export function placesOf({ after, marked }: SourceQuery): Pick<PageClauses, "after" | "marked"> {
  return { after: after?.kind, marked: marked?.order };
}

/** Returns the identities of these clauses, and of the columns on whose nulls they depend. */
export function placeIdentities({ after, marked }: SourceQuery, { identity }: ProvenColumns): readonly object[] {
  if (after === undefined) return marked === undefined ? [] : [marked.order];
  return marked === undefined ? [after.kind, identity] : [after.kind, identity, marked.order];
}
