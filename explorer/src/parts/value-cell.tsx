import type { JSX } from "preact";
import { showValue } from "../format/show-value.ts";
import type { PropertyType } from "../model/model.ts";

const MOST_CHARACTERS = 300;

/** Shows the beginning of a value on one line; its tooltip is the exact value where the text is another. */
export function ValueCell(props: { readonly value: unknown; readonly type: PropertyType | null }): JSX.Element {
  const { kind, text, exact } = showValue(props.value, props.type);
  return (
    <span
      class={`value value-${kind}`}
      dir={kind === "text" ? "auto" : undefined}
      title={text === exact || kind === "null" ? undefined : exact.slice(0, MOST_CHARACTERS * 4)}
    >
      {text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
    </span>
  );
}
