import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { TextField } from "../field.tsx";

/** The text of an option, and what changes it. */
export interface OptionText {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/**
 * Edits the text of an option as a value, or as text where no value says the same. What has no text yet, such as an unfinished
 * condition, stays as long as the text is the one that the value has written.
 */
export function OptionEditor<Value>(
  props: OptionText & {
    readonly label: string;
    readonly read: (text: string) => Value | null;
    readonly write: (value: Value) => string;
    readonly children: (value: Value, change: (value: Value) => void) => ComponentChildren;
  },
): JSX.Element {
  const { label, text, read, write, onChange } = props;
  const [edited, setEdited] = useState<{ readonly text: string; readonly value: Value } | null>(null);
  const value = edited?.text === text ? edited.value : read(text);
  if (value === null) {
    return <TextField label={`${label} as text`} isLabelHidden isCode isLong value={text} onInput={onChange} />;
  }
  const change = (next: Value): void => {
    const written = write(next);
    setEdited({ text: written, value: next });
    onChange(written);
  };
  return <>{props.children(value, change)}</>;
}
