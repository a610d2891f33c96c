import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { Evaluation } from "../../memory/evaluation.ts";
import { type JoinedSteps, NO_JOINS } from "../../plan/join-expansions.ts";
import { planContinuation } from "../../plan/key-continuation.ts";
import type { CollectionPlan } from "../../plan/plan-collection.ts";
import { planMentions } from "../../plan/plan-mentions.ts";
import type { QueryableSource, SourceQuery, StreamQuery } from "../../query/source.ts";
import { gateOf, type Reader, serviceOf } from "../entities/reader.ts";
import { CollectionStream } from "./collection-stream.ts";
import { ruleFollowsNavigations } from "./gate.ts";
import { HandlerStream } from "./handler-stream.ts";
import { withMentioned } from "./read-source.ts";

/** The query of a page, and the expansions that are joined to its rows. */
interface StreamRead {
  readonly query: SourceQuery;
  readonly joined: JoinedSteps;
  readonly reader: Reader;
}

/**
 * Opens a page of a source that may be long.
 * @returns null if the page must be read at once: the source does not stream
 * @throws as for readFrom
 */
export function streamSource(
  source: QueryableSource,
  plan: CollectionPlan,
  { query, joined, reader }: StreamRead,
): Maybe<CollectionStream | null> {
  if (source.stream === undefined) return null;
  return chain(withMentioned(source, query, reader), (mentioned) => {
    const { shape, values } = plan.query;
    const state = new Evaluation(values);
    const continuation = planContinuation(plan);
    const { maxStreams, streamTimeout } = serviceOf(reader.context).limits;
    const streams = { most: maxStreams, timeout: streamTimeout };
    const wanted: StreamQuery = { ...mentioned, count: false, state, continuation, streams };
    const all = { filter: shape.filter, orderBy: [], after: undefined, marked: undefined, skip: 0, top: 0 };
    const total: SourceQuery = { ...wanted, ...all, values, count: true };
    return chain(source.stream?.(wanted) ?? null, (opened) =>
      opened === null ? null : new CollectionStream(plan, opened, { joined, total }),
    );
  });
}

/**
 * Whether the entities of a `getAll` handler can become those of the response one after another: nothing orders or counts
 * them, or leads to other entities.
 */
export function canFilterInOrder(plan: CollectionPlan, entitySet: EntitySet, reader: Reader): boolean {
  const { orderBy, query, expand } = plan;
  if (orderBy.length > 0 || query.count || expand !== null) return false;
  return planMentions(query.shape) === null && !ruleFollowsNavigations(entitySet, reader);
}

/** Reads the entities of an async iterable in the order in which it returns them. */
export function streamAll(
  entities: AsyncIterable<unknown>,
  plan: CollectionPlan,
  entitySet: EntitySet,
  reader: Reader,
): CollectionStream {
  const { query, skip, page } = plan;
  const { shape, values } = query;
  const ruled = gateOf(entitySet, reader) === null ? null : entitySet;
  const clauses = { shape, values, filter: shape.filter, skip, top: page.readSize };
  const stream = new HandlerStream(entities, { query: clauses, ruled, reader });
  return new CollectionStream(plan, stream, { joined: NO_JOINS, total: null });
}
