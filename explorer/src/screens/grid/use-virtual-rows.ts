import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Browsers limit the height of an element: more rows than these are reached by moving the part that is shown. */
const MOST_ROWS = 400_000;
/** So near to an end of the part, it moves. */
const EDGE = 30;
/** Rows that exist above and below the visible ones. */
const OVERSCAN = 8;

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
  readonly scrollTo: (row: number, align?: "nearest" | "start") => void;
}

/** Chooses the rows of a table that are visible in a box that scrolls. Each has the same height. */
export function useVirtualRows(box: RefObject<HTMLElement | null>, length: number): VirtualRows {
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const [origin, setOrigin] = useState(0);
  const [{ top, height }, setSight] = useState({ top: 0, height: 0 });
  const pending = useRef<number | null>(null);
  const size = ROW_HEIGHT * rem;
  const room = Math.max(size, height - HEAD_HEIGHT * rem);
  const count = Math.min(length - origin, MOST_ROWS);
  useSight(box, setSight);
  useLayoutEffect(() => {
    // The table has its new height now.
    if (pending.current !== null && box.current !== null) box.current.scrollTop = pending.current;
    pending.current = null;
  });
  const scrollTo = (row: number, align: "nearest" | "start" = "nearest"): void => {
    const isInPart = row >= origin && row < origin + MOST_ROWS;
    const part = isInPart ? origin : Math.max(0, Math.min(row - MOST_ROWS / 2, length - MOST_ROWS));
    const start = (row - part) * size;
    const lowest = align === "start" || !isInPart ? start : Math.max(0, start + size - room);
    pending.current = Math.max(lowest, Math.min(start, top));
    setOrigin(part);
    setSight({ top: pending.current, height });
  };
  const first = Math.max(0, Math.min(Math.ceil(top / size - 0.01), count - 1));
  const last = Math.max(first, Math.min(Math.floor((top + room) / size), count - 1));
  const isAtEdge = (origin > 0 && first < EDGE) || (origin + count < length && last > count - EDGE);
  useLayoutEffect(() => {
    if (!isAtEdge) return;
    const part = Math.max(0, Math.min(origin + first - MOST_ROWS / 2, length - MOST_ROWS));
    pending.current = (origin + first - part) * size;
    setOrigin(part);
  }, [isAtEdge]);
  const [from, to] = [Math.max(0, first - OVERSCAN), Math.min(last + OVERSCAN, count - 1)];
  return {
    rows: Array.from({ length: to - from + 1 }, (_, index) => origin + from + index),
    before: from * size,
    after: (count - 1 - to) * size,
    first: origin + first,
    last: origin + last,
    pageLength: Math.max(1, Math.floor(room / size) - 1),
    scrollTo,
  };
}

/** Tells what a box shows of its content, now and whenever it changes. */
function useSight(
  box: RefObject<HTMLElement | null>,
  onChange: (sight: { readonly top: number; readonly height: number }) => void,
): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const read = (): void => {
      onChange({ top: element.scrollTop, height: element.clientHeight });
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, []);
}
