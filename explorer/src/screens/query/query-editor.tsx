import type { JSX, RefObject, TargetedEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { complete } from "../../query/completion.ts";
import type { OpenSession } from "../../state/session.ts";

const MOST_SHOWN = 12;

/** Edits the text of a query. Buttons below it complete the word at the cursor. */
export function QueryEditor(props: {
  readonly session: OpenSession;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly error: string | null;
  readonly onInput: (text: string) => void;
  readonly onRun: () => void;
}): JSX.Element {
  const { session, field, text, error, onInput, onRun } = props;
  const [cursor, setCursor] = useState(text.length);
  // The form moves the cursor, too.
  useEffect(() => setCursor(field.current?.selectionStart ?? text.length), [text]);
  const { from, to, items } = complete(text, cursor, session.model, session.client.root);
  const useful = items.filter((item) => item.insert !== text.slice(from, cursor));
  const more = useful.length - MOST_SHOWN;
  const follow = ({ currentTarget }: TargetedEvent<HTMLTextAreaElement>): void => {
    setCursor(currentTarget.selectionStart);
    if (currentTarget.value !== text) onInput(currentTarget.value);
  };
  const insert = (word: string): void => {
    field.current?.setRangeText(word, from, to, "end");
    field.current?.focus();
    onInput(text.slice(0, from) + word + text.slice(to));
  };
  return (
    <div class="query-editor">
      <TextField
        label="Text of the query"
        hint="Run: Ctrl+Enter. The buttons below complete the word at the cursor."
        placeholder="Orders?$filter=Total gt 5&$top=10"
        isCode
        isLong
        error={error}
        value={text}
        onInput={onInput}
        control={{
          ref: field,
          rows: 4,
          dir: "ltr",
          onInput: follow,
          onKeyUp: follow,
          onClick: follow,
          onKeyDown: ({ key, ctrlKey, metaKey }) => (key === "Enter" && (ctrlKey || metaKey) ? onRun() : undefined),
        }}
      />
      <div class="row" role="group" aria-label="Suggestions">
        {useful.slice(0, MOST_SHOWN).map((item) => (
          <Button key={item.label} kind="quiet" onClick={() => insert(item.insert)}>
            <code>{item.label}</code>
          </Button>
        ))}
        <span class="dim small">{more > 0 ? `${more} more as you type` : ""}</span>
      </div>
    </div>
  );
}
