import { signal } from "@preact/signals";
import { isAbort } from "../../client/service-error.ts";
import type { Row } from "./column.ts";

/** One page of an answer. */
export interface Page {
  readonly rows: readonly Row[];
  readonly nextLink: string | null;
}

/** Where pages come from. */
export interface PageSource {
  readonly read: (target: string, signal: AbortSignal) => Promise<Page>;
  readonly first: string;
  /** The target of the rows from a number on; null if only next links lead there. */
  readonly skipTo: ((row: number) => string) | null;
}

interface Chunk extends Page {
  readonly start: number;
}

/** The rows that a page is asked to have. */
export const PAGE_SIZE = 100;
/** Pages so far from the visible rows are dropped, and read again when they are needed. */
const KEPT_PAGES = 5;
/** Rows that the scrollbar shows beyond the last known row. */
const AHEAD = 20;

/**
 * The rows of a query, of which only those around the visible ones are in memory. The next page comes by next link, a page
 * elsewhere by `$skip`; without `$skip`, pages are read one after the other.
 */
export class PagedRows {
  /** Changes with each page, so that readers of it render again. */
  readonly changed = signal(0);
  readonly #source: PageSource;
  #chunks: readonly Chunk[] = [];
  #sample: readonly Row[] = [];
  readonly #links = new Map<number, string>();
  readonly #loading = new Map<number, AbortController>();
  #pageSize = PAGE_SIZE;
  #wanted: readonly [first: number, last: number] = [0, 0];
  #reached = 0;
  #end: number | null = null;
  #total: number | null = null;
  #error: unknown = null;
  #isStopped = false;

  constructor(source: PageSource) {
    this.#source = source;
    this.#links.set(0, source.first);
  }

  /** Whether the first page is there, even without rows. */
  get hasBegun(): boolean {
    return this.#end !== null || this.#reached > 0;
  }

  get isLoading(): boolean {
    return this.#loading.size > 0;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** What went wrong with the last page; null if nothing did. */
  get error(): unknown {
    return this.#error;
  }

  /** How many rows there are; null as long as nobody knows. */
  get total(): number | null {
    return this.#end ?? this.#total;
  }

  /** How many rows a scrollbar shows: it grows where rows cannot be skipped. */
  get length(): number {
    if (this.#end !== null) return this.#end;
    if (this.#source.skipTo !== null && this.#total !== null) return Math.max(this.#total, this.#reached);
    return this.#reached + AHEAD;
  }

  /** The rows of the page that came first. */
  get sample(): readonly Row[] {
    return this.#sample;
  }

  /** Returns a row; null if it is not in memory. */
  rowAt(index: number): Row | null {
    return this.#chunkAt(index)?.rows[index - (this.#chunkAt(index)?.start ?? 0)] ?? null;
  }

  /** Says what the service counted. */
  setTotal(total: number): void {
    this.#total = total;
    this.#change();
  }

  /** Reads what is missing of the rows that are visible, and ends requests for others. */
  need(first: number, last: number): void {
    this.#wanted = [first, last];
    if (this.#error !== null || this.#isStopped) return;
    const starts = this.#missing(first, last);
    for (const [start, controller] of this.#loading) {
      if (starts.has(start)) continue;
      controller.abort();
      this.#loading.delete(start);
    }
    for (const start of starts) if (!this.#loading.has(start)) void this.#load(start);
  }

  /** Reads again after a failure or a stop. */
  again(): void {
    this.#error = null;
    this.#isStopped = false;
    this.need(...this.#wanted);
    this.#change();
  }

  /** Ends all requests until `again`. */
  stop(): void {
    this.#isStopped = true;
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    this.#change();
  }

  #change(): void {
    this.changed.value += 1;
  }

  #chunkAt(index: number): Chunk | null {
    return this.#chunks.find(({ start, rows }) => index >= start && index < start + rows.length) ?? null;
  }

  #missing(first: number, last: number): ReadonlySet<number> {
    const starts = new Set<number>();
    const end = Math.min(last, (this.#end ?? Infinity) - 1);
    for (let index = first; index <= end || (!this.hasBegun && index === 0);) {
      const chunk = this.#chunkAt(index);
      if (chunk === null) {
        const start = this.#startOf(index);
        starts.add(start);
        index = Math.max(index, start + this.#pageSize - 1) + 1;
        // Without `$skip`, the page after this one is known when this one is there.
        if (this.#source.skipTo === null) break;
      } else {
        index = chunk.start + chunk.rows.length;
      }
    }
    return starts;
  }

  /** Returns the first row of the page to read for a row. */
  #startOf(index: number): number {
    const known = [...this.#links.keys()].filter((start) => start <= index);
    const nearest = Math.max(...known);
    const isOnPage = index < nearest + this.#pageSize;
    return isOnPage || this.#source.skipTo === null ? nearest : index - (index % this.#pageSize);
  }

  async #load(start: number): Promise<void> {
    const controller = new AbortController();
    this.#loading.set(start, controller);
    try {
      const target = this.#links.get(start) ?? this.#source.skipTo?.(start) ?? this.#source.first;
      const page = await this.#source.read(target, controller.signal);
      if (!controller.signal.aborted) this.#add({ ...page, start });
    } catch (error) {
      if (!isAbort(error) && !controller.signal.aborted) this.#error = error;
    }
    if (this.#loading.get(start) !== controller) return;
    this.#loading.delete(start);
    this.need(...this.#wanted);
    this.#change();
  }

  #add(chunk: Chunk): void {
    const { start, rows, nextLink } = chunk;
    const end = start + rows.length;
    if (!this.hasBegun) {
      this.#sample = rows;
      if (nextLink !== null && rows.length > 0) this.#pageSize = rows.length;
    }
    if (nextLink === null) this.#end = end;
    else this.#links.set(end, nextLink);
    this.#reached = Math.max(this.#reached, end);
    const [first, last] = this.#wanted;
    const margin = KEPT_PAGES * this.#pageSize;
    const isNear = (each: Chunk): boolean =>
      each.start !== start && each.start <= last + margin && each.start + each.rows.length >= first - margin;
    this.#chunks = [...this.#chunks.filter(isNear), chunk].toSorted((a, b) => a.start - b.start);
  }
}
