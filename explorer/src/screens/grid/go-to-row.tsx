import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";

/** Shows a field that leads to a row by its number. */
export function GoToRow(props: {
  readonly total: number;
  readonly goTo: { readonly current: ((row: number) => void) | null };
}): JSX.Element {
  const [text, setText] = useState("");
  return (
    <form
      class="grid-go"
      onSubmit={(event) => {
        event.preventDefault();
        const row = Number(text);
        if (row >= 1) props.goTo.current?.(Math.min(row, props.total) - 1);
      }}
    >
      <TextField
        label="Row number"
        isLabelHidden
        placeholder="Row"
        inputMode="numeric"
        value={text}
        onInput={(value) => setText(value.replaceAll(/\D/gu, ""))}
      />
      <Button type="submit">Go to row</Button>
    </form>
  );
}
