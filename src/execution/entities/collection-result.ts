import type { JoinedSteps } from "../../plan/join-expansions.ts";
import type { CollectionPlan, LastRow } from "../../plan/plan-collection.ts";
import type { JsonEntities } from "../../query/json-entities.ts";
import type { RowShape } from "../../query/row-shape.ts";
import type { Page } from "../../query/source.ts";

/** Some entities of a page, in one form. */
export interface CollectionPart {
  /** Entities, or rows where there is a row shape. */
  readonly entities: readonly unknown[];
  readonly rowShape: RowShape | undefined;
  /** The entities as JSON, if the source wrote them; then `entities` is empty. */
  readonly json?: JsonEntities | undefined;
  /** The expansions that are joined to the rows. */
  readonly joined: JoinedSteps;
}

/** One page of a collection, read and cut. */
export interface CollectionResult extends CollectionPart {
  /** Present when requested. */
  readonly count: number | bigint | undefined;
  /** Whether rows follow this page and the plan wants a link. */
  readonly hasMore: boolean;
  /** The next link of the handler itself; it takes priority. */
  readonly nextLink: string | undefined;
  /** The last row, where the next link starts after it. */
  readonly last?: LastRow | undefined;
}

/** Returns the number of entities of a page. */
export function sizeOf({ json, entities }: Pick<CollectionPart, "json" | "entities">): number {
  return json?.length ?? entities.length;
}

/**
 * Cuts a page.
 * @param most the greatest number of entities; JSON has one more at most
 * @returns the same page if it is short enough
 */
export function cutPage(page: Page, most: number): Page {
  if (sizeOf(page) <= most) return page;
  if (page.rowShape !== undefined) return { ...page, entities: page.entities.slice(0, most) };
  if (page.json === undefined) return { ...page, entities: page.entities.slice(0, most) };
  const { bytes, length, lastStart, previousStart, total } = page.json;
  const rest = bytes.subarray(0, Math.max(lastStart - 1, 0));
  return { ...page, json: { bytes: rest, length: length - 1, total, lastStart: previousStart, previousStart: 0 } };
}

/** Returns the count, which a plan may want without the skipped rows. @see docs/reference/navigation.md */
export function countOf<C extends Page["count"]>({ countsAfterSkip, skip }: CollectionPlan, count: C): C | bigint {
  if (!countsAfterSkip || count === undefined) return count;
  const rest = BigInt(count) - BigInt(skip);
  return rest > 0n ? rest : 0n;
}
