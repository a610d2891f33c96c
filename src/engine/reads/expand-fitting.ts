import { bytesOfRow, ByteCount } from "../../base/byte-count.ts";
import { chain, type Maybe, recover } from "../../base/maybe.ts";
import { toRow } from "../entities/canonical-entity.ts";
import type { ExpandPlan } from "../plan/plan-expand.ts";
import { type ExpandedPage, type ExpandRequest, type ParentPage, runExpand } from "./run-expand.ts";

/** The first entities of a page, with their expansions. */
interface FittingPage extends ExpandedPage {
  /** Whether entities are missing, because their expansions do not fit into the bytes of the response. */
  readonly isCut: boolean;
}

/**
 * Expands the entities of a page from the first one on, as many as fit into the bytes of the response: if the expansions of all
 * do not fit, those of fewer are read. A list of the first entity that does not fit ends with a next link.
 * @throws as `runExpand`; ODataError `InvalidQueryOption` if the expansions of the first entity do not fit
 */
export function expandFitting(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): Maybe<FittingPage> {
  const { bytes } = request;
  if (page.entities.length === 1) return chain(expandOne(plan, page, request), (one) => ({ ...one, isCut: false }));
  const all = isExceeded(page, request) ? null : expandSome(plan, page, request);
  return chain(all, (expanded) => {
    if (expanded !== null) return { ...expanded, isCut: false };
    // Rows that are not written leave their bytes to the expansions of others.
    bytes?.give(bytesOf(page));
    return expandFewer(plan, page, request);
  });
}

/** The bytes of JSON for each byte that is counted, at most. */
const GROWTH = 6;
/** The share of the bytes for a list that ends early, so that its entity fits, too. */
const FOR_LIST = 0.75;

/** Expands the only entity. Lists that may not fit end early where a link can follow. @throws ODataError if they do not fit */
function expandOne(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): Maybe<ExpandedPage> {
  const { bytes } = request;
  const before = bytes?.used ?? 0;
  return chain(expandSome(plan, page, request), (whole) => {
    const surelyFits = whole !== null && ((bytes?.used ?? 0) - before) * GROWTH <= (bytes?.most ?? Infinity);
    if (bytes === undefined || surelyFits) return whole ?? NOTHING;
    bytes.give(bytes.used - before);
    const part = new ByteCount(Math.floor(bytes.left * FOR_LIST));
    return recover(
      () =>
        chain(runExpand(plan, page, { ...request, bytes: part, mayCutLists: true }), (cut) => {
          bytes.merge(part.used, false);
          return cut;
        }),
      (error) => {
        if (whole === null) throw error;
        return whole;
      },
    );
  });
}

const NOTHING: ExpandedPage = { entities: [], total: 0 };

/** The share of entities that is tried next, and first if all are known not to fit. */
const SHARE = 4;
const FIRST_SHARE = 16;

/** Whether a source has found that the expansions of all entities do not fit, so that fewer are read at first. */
function isExceeded({ entities }: ParentPage, { bytes }: ExpandRequest): boolean {
  return entities.length > FIRST_SHARE && bytes?.isExceeded === true;
}

async function expandFewer(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): Promise<FittingPage> {
  const { entities } = page;
  let found: ExpandedPage = { entities: [], total: 0 };
  let size = Math.ceil(entities.length / (isExceeded(page, request) ? FIRST_SHARE : SHARE));
  while (size > 0) {
    const start = found.entities.length;
    const some = { ...page, entities: entities.slice(start, start + size) };
    if (start === 0 && size === 1) {
      return { ...(await expandOne(plan, some, request)), isCut: entities.length > 1 };
    }
    const before = (request.before ?? 0) + found.total;
    const hasRoom = request.bytes?.take(bytesOf(some)) !== false;
    const more = hasRoom ? await expandSome(plan, some, { ...request, before }) : null;
    if (more === null) {
      request.bytes?.give(hasRoom ? bytesOf(some) : 0);
      size = size === 1 ? 0 : Math.ceil(size / SHARE);
    } else {
      found = { entities: [...found.entities, ...more.entities], total: found.total + more.total };
      size = Math.min(size, entities.length - found.entities.length);
    }
  }
  return { ...found, isCut: found.entities.length < entities.length };
}

/** The share of the bytes that the expansions of several entities have at once. */
const MOST_AT_ONCE = 0.25;

/** Expands entities if their expansions fit, and counts them. @returns null if they do not fit */
function expandSome(plan: ExpandPlan, page: ParentPage, request: ExpandRequest): Maybe<ExpandedPage | null> {
  const { bytes } = request;
  // Rows that are dropped have been held: the expansions of one alone may fill the response. The application holds its entities.
  const part = bytes?.part(page.rowShape !== undefined && page.entities.length > 1 ? MOST_AT_ONCE : 1);
  return recover(
    () =>
      chain(runExpand(plan, page, { ...request, bytes: part }), (expanded) => {
        if (part !== undefined) bytes?.keep(part);
        return expanded;
      }),
    (error) => {
      const isOver = part?.isOver === true;
      part?.drop();
      if (!isOver) throw error;
      return null;
    },
  );
}

function bytesOf({ entities, rowShape }: Pick<ParentPage, "entities" | "rowShape">): number {
  return rowShape === undefined ? 0 : entities.reduce<number>((sum, row) => sum + bytesOfRow(toRow(row), 0), 0);
}
