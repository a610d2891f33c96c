import type { SourceQuery } from "../../language/query/source.ts";
import type { PageClauses } from "../translate/translate-query.ts";
import type { StatementPart } from "./kept-statements.ts";
import { placesOf } from "./proven-columns.ts";

/** Returns the clauses of a page, besides what it selects. */
export function clausesOf(query: SourceQuery): Omit<PageClauses, "selected" | "joined"> {
  const { shape, filter, orderBy, top, skip } = query;
  const limits = { hasTop: top !== undefined, hasSkip: skip > 0 };
  return { filter, orderBy, roundingMode: shape.roundingMode, ...limits, ...placesOf(query) };
}

/** Returns the parts of a statement with these clauses. */
export function partsOf({ shape, filter, orderBy, top, skip, after, marked }: SourceQuery): readonly StatementPart[] {
  const place = after === undefined ? undefined : `after${after.kind.isNull.map(Number).join("")}`;
  return [filter, orderBy, shape.roundingMode, top !== undefined, skip > 0, after?.kind.order, place, marked?.order];
}
