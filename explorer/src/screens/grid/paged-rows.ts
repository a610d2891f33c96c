import { computed, signal } from "@preact/signals";
import { textIn } from "../../client/json-members.ts";
import { rowsIn, type ServiceClient } from "../../client/service-client.ts";
import { ServiceError } from "../../client/service-error.ts";
import { toEntity } from "../../format/entity.ts";
import { recordPath } from "../../query/literals.ts";
import type { Row } from "./columns.ts";
import type { GridQuery } from "./grid-query.ts";

/** One page of an answer. */
export interface Page {
  readonly rows: readonly Row[];
  readonly nextLink: string | null;
}

/** The wanted number of rows in a page. */
const PAGE = 100;
/** Rows so far from the visible ones are dropped, and read again when they are needed. */
const KEPT_ROWS = 500;
/** Rows that the scrollbar shows beyond the last known row. */
const AHEAD = 20;

/** Returns the headers that ask for a page of some rows. */
export function sized(size = PAGE): Readonly<Record<string, string>> {
  return { Prefer: `maxpagesize=${size}` };
}

/** Reads a page of rows. */
export async function readPage(client: ServiceClient, url: string, signal: AbortSignal, size = PAGE): Promise<Page> {
  const { body } = await client.get(url, { signal, headers: sized(size) });
  const rows = rowsIn(body).filter((item): item is Row => typeof item === "object" && item !== null);
  return { rows, nextLink: textIn(body, "@odata.nextLink") };
}

/**
 * Reads a page at a next link. Where the service no longer knows the link, it goes on by position; without `$skip` it reads from the
 * first row on, and leaves out the rows that were there.
 */
export async function readNext(
  read: (url: string) => Promise<Page>,
  { first, goOn }: GridQuery,
  next: NextPage,
): Promise<Page> {
  const position = goOn?.(next.start) ?? null;
  try {
    return await read(next.url);
  } catch (error) {
    const isDead = error instanceof ServiceError && [400, 404, 410].includes(error.status) && next.start > 0;
    if (!isDead || next.url === position) throw error;
  }
  if (position !== null) return read(position);
  let [page, end] = [await read(first), 0];
  while ((end += page.rows.length) <= next.start && page.nextLink !== null) page = await read(page.nextLink);
  return { ...page, rows: page.rows.slice(Math.min(0, next.start - end) || page.rows.length) };
}

/** A page to read: the position of its first row, and its link. */
type NextPage = Readonly<{ start: number; url: string }>;

/**
 * The rows of a query, of which only those around the visible ones are in memory. The next page comes by next link, a page
 * elsewhere by `$skip`; without `$skip`, pages are read one after the other.
 */
export class PagedRows {
  /** The rows of the page that came first. */
  readonly sample: readonly Row[];
  /** The rows that the reader sees, and those to have before the reader sees them. */
  readonly wanted = signal<readonly [first: number, last: number]>([0, 0]);
  /** How many rows the service counted; null as long as it did not. */
  readonly counted = signal<number | null>(null);
  /** How many rows came before no next link followed; null as long as it is unknown. */
  readonly end = signal<number | null>(null);
  /** How many rows there are; null as long as it is unknown. */
  readonly total = computed(() => this.end.value ?? this.counted.value);
  /** How many rows a scrollbar shows: it grows where rows cannot be skipped. */
  readonly length = computed(() => {
    const counted = this.#query.skipTo === null ? null : this.counted.value;
    const known = Math.max(counted ?? 0, this.#reached.value + (counted === null ? AHEAD : 0));
    return this.end.value ?? known;
  });
  /** The next page to read, with its first row; null if the wanted rows are there. */
  readonly next = computed(() => this.#next());
  readonly #query: GridQuery;
  readonly #pageSize: number;
  readonly #rows = signal<ReadonlyMap<number, Row>>(new Map());
  readonly #reached = signal(0);
  readonly #links: Map<number, string>;

  constructor(query: GridQuery, first: Page) {
    this.#query = query;
    this.#links = new Map([[0, query.first]]);
    this.#pageSize = first.nextLink === null || first.rows.length === 0 ? PAGE : first.rows.length;
    this.sample = first.rows;
    this.add(0, first);
  }

  /** Returns a row; null if it is not in memory. */
  rowAt(index: number): Row | null {
    return this.#rows.value.get(index) ?? null;
  }

  /** Reads the row of a record again. It keeps its place. */
  async readAgain(client: ServiceClient, path: string): Promise<void> {
    const entity = toEntity((await client.get(this.#query.rowAt(path))).body);
    const { set } = this.#query.place;
    const next = (row: Row): Row => (recordPath(set, row) === path ? (entity?.values ?? row) : row);
    this.#rows.value = new Map(Array.from(this.#rows.value, ([index, row]) => [index, next(row)]));
  }

  /** Keeps a page. */
  add(start: number, { rows, nextLink }: Page): void {
    const [first, last] = this.wanted.value;
    const near = [...this.#rows.value].filter(([index]) => index > first - KEPT_ROWS && index < last + KEPT_ROWS);
    const end = start + rows.length;
    if (nextLink !== null) this.#links.set(end, nextLink);
    this.#rows.value = new Map([...near, ...rows.map((row, at) => [start + at, row] as const)]);
    this.#reached.value = Math.max(this.#reached.value, end);
    if (nextLink === null) this.end.value = end;
  }

  #next(): NextPage | null {
    const [first, last] = this.wanted.value;
    let index = first;
    while (this.#rows.value.has(index)) index += 1;
    if (index > last || index >= (this.end.value ?? Infinity)) return null;
    const linked = Math.max(...[...this.#links.keys()].filter((start) => start <= index));
    const { first: url, skipTo } = this.#query;
    const isLinked = skipTo === null || index < linked + this.#pageSize;
    const start = isLinked ? linked : index - (index % this.#pageSize);
    return { start, url: this.#links.get(start) ?? skipTo?.(start) ?? url };
  }
}
