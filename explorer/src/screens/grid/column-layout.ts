import type { RefObject, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { ScreenProps } from "../../state/session.ts";
import { columnWidth, frozenOf, withWidth } from "./arranged-columns.ts";
import type { Column } from "./columns.ts";

/** The widths of columns, how a pointer changes them, and where the frozen ones stay. */
export type ColumnLayout = ReturnType<typeof useColumnLayout>;
type Box = RefObject<HTMLElement | null>;
type Drag = TargetedPointerEvent<HTMLElement>;

/** Lays out the columns of a table in a box. A pointer drags the edge of a heading: the view has the width afterwards. */
export function useColumnLayout({ session, view }: ScreenProps, columns: readonly Column[], box: Box) {
  const [dragged, setDragged] = useState<Pick<Column, "name" | "width"> | null>(null);
  const widthOf = ({ name, width }: Column): number => (name === dragged?.name ? dragged.width : width);
  const edgeOf = (column: Column) => {
    const resize = (width: number | null): void => {
      setDragged(null);
      if (width !== column.width) session.go(withWidth(view, column.name, width), { replace: true });
    };
    const widthAt = ({ currentTarget: edge, clientX }: Drag): number => {
      const { left = 0, width = 1 } = edge.parentElement?.getBoundingClientRect() ?? {};
      return columnWidth(((clientX - left + edge.offsetWidth / 2) / width) * widthOf(column));
    };
    return {
      onPointerDown: (event: Drag) => {
        // The page selects no text meanwhile.
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: Drag) => {
        const isHeld = event.currentTarget.hasPointerCapture(event.pointerId);
        if (isHeld) setDragged({ name: column.name, width: widthAt(event) });
      },
      onPointerUp: (event: Drag) => resize(widthAt(event)),
      onPointerCancel: () => setDragged(null),
      onDblClick: () => resize(null),
    };
  };
  return { widthOf, edgeOf, stays: useFrozen(box, frozenOf(view), [columns, dragged]) };
}

/** Returns the distances in pixels at which columns stay, and last, where they end: they take half of the box at most. */
function useFrozen(box: Box, frozen: number, changes: readonly unknown[]): readonly number[] {
  const [stays, setStays] = useState<readonly number[]>([0]);
  useLayoutEffect(() => {
    const measure = (): void => {
      const heads = [...(box.current?.querySelectorAll("th") ?? [])].slice(0, frozen);
      const widths = heads.map((head) => head.getBoundingClientRect().width);
      const ends = [0, ...widths.map((_, at) => widths.slice(0, at + 1).reduce((sum, width) => sum + width))];
      const fitting = ends.filter((end) => end <= (box.current?.clientWidth ?? 0) / 2);
      setStays((before) => (before.join() === fitting.join() ? before : fitting));
    };
    const observer = new ResizeObserver(measure);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [frozen, ...changes]);
  return stays;
}
