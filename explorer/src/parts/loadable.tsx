import type { ComponentChildren, JSX } from "preact";
import type { Loading } from "../state/use-loaded.ts";
import { Busy } from "./busy.tsx";
import { Failure, Stopped } from "./failure.tsx";

/** Shows what was loaded, or that it is loading, was stopped, or failed. */
export function Loadable<Value>(props: {
  readonly loading: Loading<Value>;
  /** Such as "Loading Orders". */
  readonly label: string;
  readonly lines?: number | undefined;
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  const { state, stop, again } = props.loading;
  switch (state.kind) {
    case "loading":
      return <Busy label={props.label} onStop={stop} lines={props.lines ?? 5} />;
    case "stopped":
      return <Stopped onAgain={again} />;
    case "failed":
      return <Failure error={state.error} onAgain={again} />;
    case "loaded":
      return <>{props.children(state.value)}</>;
  }
}
