import { h, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A slice takes few milliseconds. */
const SLICE = 40;

/** Shows many children in an element, slice by slice: the page answers meanwhile. */
export function Sliced(props: {
  readonly as: "ul" | "tbody" | "g";
  readonly class?: string;
  readonly children: readonly JSX.Element[];
}): JSX.Element {
  const [shown, setShown] = useState(SLICE);
  const isBusy = shown < props.children.length || undefined;
  useEffect(() => {
    if (isBusy) setTimeout(() => setShown(shown + SLICE));
  }, [shown, isBusy]);
  return h(props.as, { class: props.class, "aria-busy": isBusy }, props.children.slice(0, shown));
}
