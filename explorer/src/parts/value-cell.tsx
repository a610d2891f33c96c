import type { JSX } from "preact";
import { showValue } from "../format/show-value.ts";
import type { PropertyType } from "../model/model.ts";

const MOST_CHARACTERS = 300;

/** Shows a value on one line; its tooltip is the exact value where the text is another. Nothing is cut but by the style. */
export function ValueCell({
  value,
  type,
}: {
  readonly value: unknown;
  readonly type: PropertyType | null;
}): JSX.Element {
  const { kind, text, exact } = showValue(value, type);
  const isLong = text.length > MOST_CHARACTERS;
  return (
    <span
      class={`value value-${kind}`}
      dir={kind === "text" ? "auto" : undefined}
      title={text === exact || kind === "null" ? undefined : exact.slice(0, MOST_CHARACTERS * 4)}
    >
      {isLong ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
    </span>
  );
}
