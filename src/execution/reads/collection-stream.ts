import { chain, type Maybe } from "../../base/maybe.ts";
import type { JoinedSteps } from "../../plan/join-expansions.ts";
import type { CollectionPlan, LastRow } from "../../plan/plan-collection.ts";
import type { Page, PageStream, SourceQuery } from "../../query/source.ts";
import { type CollectionPart, countOf, cutPage, sizeOf } from "../entities/collection-result.ts";
import { lastRowOf } from "./keyset-page.ts";

/** The facts about a page that are known before its entities. */
export interface StreamFacts {
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
  #last: Page | undefined;

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

  /** Whether entities follow this page and the plan wants a link; known at the end. */
  get hasMore(): boolean {
    if (!this.#plan.page.linked) return false;
    return this.#hasMore || countsMore(this.#facts.count, this.#plan.skip, this.#length);
  }

  /** The last row of the page, where the next link starts after it; known at the end. */
  get last(): LastRow | undefined {
    if (!this.hasMore || this.#last === undefined) return undefined;
    return lastRowOf(this.#plan, this.#last);
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
   * Returns the number of entities from the first one of this page on; null if only the end of the page tells it.
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
    const isKnown = this.#isOver && this.#length > 0 && this.#length < (page.size ?? Infinity);
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
    if (this.#plan.keyset !== null) this.#last = cut;
    return { entities, rowShape, json, joined: this.#facts.joined };
  }
}

/**
 * Whether the total of a handler exceeds the entities read so far. An empty page has no next link: it would lead to itself.
 */
export function countsMore(count: number | bigint | undefined, skip: number, length: number): boolean {
  return length > 0 && count !== undefined && count > skip + length;
}
