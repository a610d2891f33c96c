import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import type { QueryFault } from "../../query/check-query.ts";
import { excerptAt } from "./query-view.ts";

/** Shows a fault of a text with the place underlined, and a button that leads there. */
export function ShownFault(props: {
  readonly text: string;
  readonly fault: QueryFault;
  readonly onGo: () => void;
  /** Whether the message stands above already. */
  readonly isSaid?: boolean;
}): JSX.Element {
  const { before, fault, after } = excerptAt(props.text, props.fault.position);
  return (
    <div class="query-fault">
      {props.isSaid === true ? null : <p class="field-error">{props.fault.message}</p>}
      <code dir="ltr">
        {before}
        <mark>{fault}</mark>
        {after}
      </code>
      <Button onClick={props.onGo}>Go to the place</Button>
    </div>
  );
}
