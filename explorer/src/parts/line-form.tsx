import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, type ButtonProps } from "./button.tsx";
import { TextField } from "./field.tsx";

/** Shows a field with a button beside it that uses what was typed. */
export function LineForm(props: {
  readonly class: string;
  readonly label: string;
  readonly placeholder: string;
  readonly role?: "search" | undefined;
  readonly type?: "text" | "search" | undefined;
  readonly inputMode?: "numeric" | undefined;
  readonly first?: string | undefined;
  readonly button: Pick<ButtonProps, "icon" | "label" | "children">;
  readonly onSubmit: (text: string) => void;
}): JSX.Element {
  const { label, placeholder, type, inputMode } = props;
  const [text, setText] = useState(props.first ?? "");
  return (
    <form
      class={props.class}
      role={props.role}
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit(text.trim());
      }}
    >
      <TextField isLabelHidden {...{ label, placeholder, type, inputMode }} value={text} onInput={setText} />
      <Button type="submit" {...props.button} />
    </form>
  );
}
