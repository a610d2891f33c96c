import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { TextField } from "../field.tsx";

/** The text of an option, and the function that changes it. */
export interface OptionText {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/**
 * Edits the text of an option as a value, or as text where no value has the same meaning. Parts without a text yet, such as an
 * unfinished condition, stay as long as the text is the one that the value has written.
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

/** Shows a part of a form that opens, and opens by itself once it says something. */
export function Section(
  props: Readonly<{ title: string; text: string; isShown?: boolean; children: ComponentChildren }>,
): JSX.Element | null {
  const { title, text, isShown = true, children } = props;
  const wasUsed = useRef(false);
  wasUsed.current ||= text !== "";
  return isShown ? (
    <details class="query-section" open={wasUsed.current}>
      <summary>
        <span class="field-label">{title}</span> <span class="dim small query-brief">{text}</span>
      </summary>
      {children}
    </details>
  ) : null;
}

/** Edits a list: a row for each item with a button that removes it, and buttons that add items. */
export function ListEditor<Item>(props: {
  /** The name of an item, such as "condition". */
  readonly what: string;
  readonly items: readonly Item[];
  readonly row: (item: Item, change: (item: Item) => void) => ComponentChildren;
  /** Buttons with the items that they add. */
  readonly added: readonly (readonly [text: string, item: Item])[];
  readonly onChange: (items: readonly Item[]) => void;
}): JSX.Element {
  const { what, items, onChange } = props;
  return (
    <div class="query-rows">
      {items.map((item, at) => {
        const remove = (): void => onChange(items.toSpliced(at, 1));
        return (
          <div class="filter-row" key={at}>
            {props.row(item, (next) => onChange(items.with(at, next)))}
            <Button kind="quiet" icon="close" label={`Remove ${what} ${at + 1}`} onClick={remove} />
          </div>
        );
      })}
      <div class="row">
        {props.added.map(([text, item]) => (
          <Button key={text} icon="add" onClick={() => onChange([...items, item])}>
            {text}
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Shows a list of choices whose name is for screen readers: its neighbours explain it. */
export function Pick<Choice>(props: {
  readonly label: string;
  /** The text that is shown: that of a choice, or another one. */
  readonly value: string;
  readonly choices: Iterable<readonly [text: string, choice: Choice]>;
  readonly onPick: (choice: Choice) => void;
}): JSX.Element {
  const { label, value, onPick } = props;
  const choices = new Map(props.choices);
  const texts = choices.has(value) ? [...choices.keys()] : [value, ...choices.keys()];
  return (
    <TextField
      isLabelHidden
      {...{ label, value }}
      choices={texts}
      onInput={(text) => {
        const choice = choices.get(text);
        if (choice !== undefined) onPick(choice);
      }}
    />
  );
}
