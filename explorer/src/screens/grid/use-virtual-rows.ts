import {
  Virtualizer,
  type VirtualItem,
  elementScroll,
  observeElementOffset,
  observeElementRect,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Browsers limit the height of an element: more rows than these are reached by moving the part that is shown. */
const MOST_ROWS = 400_000;
/** So near to an edge of the part, it moves. */
const EDGE = 30;

/** In rem, as the style sheet has them. */
const ROW_HEIGHT = 2.25;
const HEAD_HEIGHT = 2.5;

/** The rows to render, and the room before and after them. */
export interface VirtualRows {
  readonly rows: readonly number[];
  readonly before: number;
  readonly after: number;
  /** The rows that the reader sees. */
  readonly first: number;
  readonly last: number;
  /** How many rows a key moves by a page. */
  readonly pageLength: number;
  readonly scrollTo: (row: number, align?: "auto" | "start") => void;
}

/** Renders the rows of a table that are visible in a box, and a few more. */
export function useVirtualRows(box: RefObject<HTMLElement | null>, length: number): VirtualRows {
  const [, setRound] = useState(0);
  const [origin, setOrigin] = useState(0);
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const options = {
    count: Math.min(length - origin, MOST_ROWS),
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT * rem,
    paddingStart: HEAD_HEIGHT * rem,
    scrollPaddingStart: HEAD_HEIGHT * rem,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => {
      setRound((round) => round + 1);
    },
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
  });
  const scrollTo = (row: number, align: "auto" | "start" = "auto"): void => {
    const isInPart = row >= origin && row < origin + MOST_ROWS;
    const next = isInPart ? origin : Math.max(0, Math.min(row, length - 1) - MOST_ROWS / 2);
    if (next !== origin) {
      setOrigin(next);
      virtualizer.setOptions({ ...options, count: Math.min(length - next, MOST_ROWS) });
    }
    virtualizer.scrollToIndex(row - next, { align });
  };
  const range = virtualizer.calculateRange() ?? { startIndex: 0, endIndex: 0 };
  // The heading covers the first row of the range.
  const first = origin + Math.max(0, Math.ceil((virtualizer.scrollOffset ?? 0) / (ROW_HEIGHT * rem) - 0.01));
  const last = origin + range.endIndex;
  const isAtEdge =
    (origin > 0 && range.startIndex < EDGE) || (origin + MOST_ROWS < length && range.endIndex > MOST_ROWS - EDGE);
  useLayoutEffect(() => {
    if (!isAtEdge) return;
    const next = Math.max(0, Math.min(first - MOST_ROWS / 2, length - MOST_ROWS));
    setOrigin(next);
    virtualizer.scrollToIndex(first - next, { align: "start" });
  }, [isAtEdge]);
  const items = virtualizer.getVirtualItems();
  return {
    ...roomOf(items, HEAD_HEIGHT * rem, virtualizer.getTotalSize()),
    rows: items.map(({ index }) => index + origin),
    first,
    last,
    pageLength: Math.max(1, range.endIndex - range.startIndex - 2),
    scrollTo,
  };
}

function roomOf(items: readonly VirtualItem[], head: number, size: number): { before: number; after: number } {
  const [start, end] = [items[0]?.start ?? head, items.at(-1)?.end ?? head];
  return { before: start - head, after: Math.max(0, size - end) };
}
