import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { showValue } from "../format/show-value.ts";
import type { PropertyType } from "../model/model.ts";
import { SessionContext } from "../state/session.ts";

const MOST_CHARACTERS = 300;

/** Shows the beginning of a value on one line; its tooltip is the exact value where the text is another. */
export function ValueCell(props: {
  readonly value: unknown;
  readonly type: PropertyType | null;
  /** Whether the time of a midnight is shown; true if absent. */
  readonly hasTime?: boolean;
}): JSX.Element {
  const { value, type, hasTime = true } = props;
  const zone = useContext(SessionContext)?.zone.value ?? "UTC";
  const { kind, text, exact } = showValue(value, type, undefined, { zone, hasTime });
  const isOther = text !== exact && kind !== "null";
  return (
    <span
      class={`value value-${kind}`}
      dir={kind === "text" ? "auto" : undefined}
      title={isOther ? exact.slice(0, MOST_CHARACTERS * 4) : undefined}
      data-exact={(isOther && kind !== "binary") || text.length > MOST_CHARACTERS ? exact : undefined}
    >
      {text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
    </span>
  );
}
