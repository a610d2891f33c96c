import { tooManyBytes } from "../../base/errors/odata-error.ts";
import { chain, type Maybe } from "../../base/maybe.ts";
import type { EntitySet } from "../../edm/model.ts";
import { lastValuesOf } from "../../language/query/last-values.ts";
import type { Page, PageStream, SourceQuery, QueryableSource, StreamQuery } from "../../language/query/source.ts";
import { EntityIterator } from "../entities/entity-iterator.ts";
import { type CollectionPart, countOf, cutPage, sizeOf } from "../entities/handler-answer.ts";
import { gateOf, type Reader, serviceOf } from "../entities/reader.ts";
import { applyClauses } from "../memory/apply-query.ts";
import { compiledFor } from "../memory/compile-expression.ts";
import { Evaluation, asEntity } from "../memory/evaluation.ts";
import { type JoinedSteps, NO_JOINS } from "../plan/join-expansions.ts";
import { planContinuation } from "../plan/key-continuation.ts";
import { type CollectionPlan, type LastRow, planMentions } from "../plan/plan-collection.ts";
import { ruleFollowsNavigations } from "./gate.ts";
import { withMentioned } from "./read-source.ts";

/** The facts about a page that are known before its entities. */
interface StreamFacts {
  readonly joined: JoinedSteps;
  /** The query that counts the entities; null for entities of a handler. */
  readonly total: SourceQuery | null;
  /** The count and the next link that a handler returned. */
  readonly count?: number | bigint | undefined;
  readonly nextLink?: string | undefined;
}

/** A page that is read while it is written. */
export class CollectionStream {
  readonly #plan: CollectionPlan;
  readonly #source: PageStream;
  readonly #facts: StreamFacts;
  #length = 0;
  #counted: number | bigint | undefined;
  #isOver = false;
  #hasMore = false;
  #isCut = false;

  constructor(plan: CollectionPlan, source: PageStream, facts: StreamFacts) {
    this.#plan = plan;
    this.#source = source;
    this.#facts = facts;
  }

  /** The snapshot that the page shows, until the stream is closed; undefined: none. */
  get snapshot(): unknown {
    return this.#source.snapshot;
  }

  /** The next link of the handler. */
  get nextLink(): string | undefined {
    return this.#facts.nextLink;
  }

  /** The number of entities read so far. */
  get length(): number {
    return this.#length;
  }

  /** Whether entities follow this page and the plan wants a link, or the page ended early; known at the end. */
  get hasMore(): boolean {
    if (this.#isCut) return true;
    if (!this.#plan.page.linked) return false;
    return this.#hasMore || countsMore(this.#facts.count, this.#plan.skip, this.#length);
  }

  /** Ends the page before entities that have been read. @param missing their number among the returned ones */
  cut(missing: number): void {
    this.#isCut = true;
    this.#length -= missing;
    this.close();
  }

  /** Returns the next entities, at least one; null after the last. @throws errors of the source, or of a handler */
  next(): Maybe<CollectionPart | null> {
    if (!this.#isOver) return chain(this.#source.next(), (page) => this.#take(page));
    this.close();
    return null;
  }

  /** Returns the count of the query, as the response contains it. @throws errors of the source */
  count(): Maybe<number | bigint> {
    return chain(this.#total(), (total) => countOf(this.#plan, total ?? this.#length));
  }

  /**
   * Returns the number of entities from the first one of this page on; null if it is only known at the end of the page.
   * @throws errors of the source
   */
  remaining(): Maybe<bigint | null> {
    const { keyset, skip } = this.#plan;
    return chain(this.#total(), (total) => (total === null ? null : BigInt(total) - BigInt(keyset?.position ?? skip)));
  }

  /** Returns the number of entities of the query before paging; null if no source can count them. */
  #total(): Maybe<number | bigint | null> {
    const { total, count } = this.#facts;
    if (total === null || this.#counted !== undefined) return this.#counted ?? count ?? null;
    const { skip, page, keyset } = this.#plan;
    // The page has ended before its size: its entities are the last ones.
    const isKnown = this.#isOver && !this.#isCut && this.#length > 0 && this.#length < (page.size ?? Infinity);
    if (isKnown && (keyset?.start ?? null) === null) return skip + this.#length;
    return chain(this.#source.read(total), (read) => (this.#counted = read.count ?? 0));
  }

  /** Ends the stream. Further calls have no effect. */
  close(): void {
    this.#isOver = true;
    this.#source.close();
  }

  #take(page: Page | null): CollectionPart | null {
    if (page === null) {
      this.close();
      return null;
    }
    const left = (this.#plan.page.size ?? Infinity) - this.#length;
    const cut = cutPage(page, left);
    this.#length += sizeOf(cut);
    if (page.isCut === true) {
      this.cut(0);
      if (this.#length === 0) throw tooManyBytes("The first entity");
      if (sizeOf(cut) === 0) return null;
    }
    if (sizeOf(page) > left) {
      this.#hasMore = true;
      // The entities of the last part may be expanded in its snapshot.
      this.#isOver = true;
      if (left === 0) {
        this.close();
        return null;
      }
    }
    const { entities, rowShape, json } = cut;
    return { entities, rowShape, json, joined: this.#facts.joined, lastAt: lastFinder(this.#plan, cut) };
  }
}

/**
 * Whether the total of a handler exceeds the entities read so far. An empty page has no next link: it would
 * return the same page.
 */
export function countsMore(count: number | bigint | undefined, skip: number, length: number): boolean {
  return length > 0 && count !== undefined && count > skip + length;
}

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

/** The number of entities of one chunk. */
const CHUNK = 250;

/** How the entities of a handler become those of the response. */
interface HandlerEntities {
  /** The clauses to apply; a filter that mentions no related entities. */
  readonly query: Pick<SourceQuery, "shape" | "values" | "filter" | "skip" | "top">;
  /** The set whose row rule applies; null: none does. */
  readonly ruled: EntitySet | null;
  readonly reader: Reader;
}

/**
 * Reads the entities of an async iterable of the application in chunks: hidden ones are left out, then `$filter`, `$skip` and `$top`
 * apply. No more entities are requested from the iterable than the response needs.
 */
export class HandlerStream implements PageStream {
  readonly #iterator: EntityIterator;
  readonly #entities: HandlerEntities;
  readonly #evaluation: Evaluation;
  #skip: number;
  #left: number;

  constructor(entities: AsyncIterable<unknown>, settings: HandlerEntities) {
    const { values, skip, top } = settings.query;
    this.#iterator = new EntityIterator(entities, settings.reader);
    this.#entities = settings;
    this.#evaluation = new Evaluation(values);
    this.#skip = skip;
    this.#left = top ?? Infinity;
  }

  async next(): Promise<Page | null> {
    while (!this.#iterator.isOver) {
      const page = await this.#keep(await this.#iterator.pull(this.#mostNeeded()));
      if (page.length > 0) return { entities: page };
    }
    return null;
  }

  read(): never {
    throw new Error("The entities of an iterable are read once.");
  }

  close(): void {
    this.#iterator.close();
  }

  #mostNeeded(): number {
    const { query, ruled } = this.#entities;
    const isWhole = query.filter === null && ruled === null;
    return isWhole ? Math.min(CHUNK, this.#skip + this.#left) : CHUNK;
  }

  #keep(chunk: readonly unknown[]): Maybe<readonly unknown[]> {
    const { query, ruled, reader } = this.#entities;
    const seen = ruled === null ? chunk : (reader.gate?.keep(ruled, chunk, reader.context) ?? chunk);
    return chain(seen, (visible) => {
      const clauses = { ...query, orderBy: [], skip: 0, top: undefined, count: false };
      const { entities } = applyClauses(visible, clauses, this.#evaluation);
      const page = entities.slice(this.#skip, this.#skip + this.#left);
      this.#skip = Math.max(0, this.#skip - entities.length);
      this.#left -= page.length;
      if (this.#left <= 0) this.close();
      return page;
    });
  }
}

/** The part of a query that determines where a page starts and ends. */
type PageBounds = Pick<SourceQuery, "after" | "marked" | "skip">;

/**
 * Returns the start of a page in its source, and the row that the next page may start after. A token of another kind of
 * source leaves the offset.
 * @param isRow whether the source returns rows of a database
 */
export function boundsOf({ keyset, skip, page }: CollectionPlan, isRow: boolean): PageBounds {
  if (keyset === null) return { skip };
  const { start, order, position } = keyset;
  const { size, linked } = page;
  const marked = isRow && linked && order !== null && size !== undefined ? { order, row: size - 1 } : undefined;
  if (start === null || start.isRow === isRow) return { after: start?.place, marked, skip };
  return { marked, skip: position };
}

/** Returns the function that finds the row before a next page, after some entities of a page that is already cut. */
export function lastFinder(plan: CollectionPlan, page: Page): CollectionPart["lastAt"] {
  if (plan.keyset === null) return undefined;
  return (length) => {
    if (page.rowShape !== undefined) return lastRowOf(plan, { ...page, entities: page.entities.slice(0, length) });
    return lastRowOf(plan, page.json === undefined ? { entities: page.entities.slice(0, length) } : page);
  };
}

/**
 * Returns the last row of a page, after which the next page starts.
 * @param page the page, already cut
 * @returns undefined without keyset paging
 */
function lastRowOf(plan: CollectionPlan, page: Page): LastRow | undefined {
  if (plan.keyset === null) return undefined;
  const { order } = plan.keyset;
  const { entities, rowShape, json } = page;
  const isRow = rowShape !== undefined || json !== undefined;
  if (order === null) return { values: null, isRow };
  if (isRow) return { values: lastValuesOf(page), isRow };
  const { entityType, roundingMode } = plan.query.shape;
  const object = asEntity(entities.at(-1), entityType);
  const evaluation = new Evaluation(plan.query.values);
  return { values: order.terms.map((term) => compiledFor(term, roundingMode)(object, evaluation)), isRow };
}
