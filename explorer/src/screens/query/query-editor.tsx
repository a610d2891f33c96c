import type { JSX, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { complete, type Completion } from "../../query/completion.ts";
import type { OpenSession } from "../../state/session.ts";
import type { Draft } from "./use-draft.ts";

/** The suggestions that are open, and the one that Enter inserts; -1 for none. */
interface Open extends Completion {
  readonly active: number;
}

/** The arrow keys lead to the others. */
const MOST_SHOWN = 8;

/** What the field of the text does with its suggestions. */
interface Suggesting {
  readonly open: Open | null;
  readonly suggest: (text: string, cursor: number, isAsked?: boolean) => void;
  readonly move: (step: number) => void;
  readonly close: () => void;
  readonly insert: (index: number) => void;
}

/** Edits the text of a query. Suggestions open below it as one types, or with Ctrl+Space. */
export function QueryEditor(props: {
  readonly session: OpenSession;
  readonly draft: Draft;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isFaulty: boolean;
  readonly onRun: () => void;
}): JSX.Element {
  const { draft, field } = props;
  const id = useId();
  const suggesting = useSuggesting(props);
  const { open, suggest, close } = suggesting;
  return (
    <div class="query-editor">
      <label class="field-label" for={id}>
        Text of the query
      </label>
      <textarea
        ref={field}
        id={id}
        class="input code"
        rows={4}
        spellcheck={false}
        autocapitalize="off"
        dir="ltr"
        value={draft.text}
        placeholder="Orders?$filter=Total gt 5&$top=10"
        aria-autocomplete="list"
        aria-controls={open === null ? undefined : `${id}-list`}
        aria-activedescendant={open === null || open.active < 0 ? undefined : `${id}-${String(open.active)}`}
        aria-invalid={props.isFaulty || undefined}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget: { value, selectionStart } }) => {
          draft.change(value);
          suggest(value, selectionStart);
        }}
        onKeyDown={(event) => onKey(event, suggesting, props.onRun)}
        onPointerDown={close}
        onBlur={() => {
          close();
          draft.settle();
        }}
      />
      {open === null ? null : <Suggestions id={id} open={open} onChoose={suggesting.insert} />}
      <span class="field-hint" id={`${id}-hint`}>
        Suggestions: Ctrl+Space or Alt+↓, then Enter or Tab. Run: Ctrl+Enter.
      </span>
    </div>
  );
}

function useSuggesting({ session, draft, field }: Parameters<typeof QueryEditor>[0]): Suggesting {
  const [open, setOpen] = useState<Open | null>(null);
  const cursor = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (cursor.current === null) return;
    field.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });
  const suggest = (text: string, at: number, isAsked = false): void => {
    const found = complete(text, at, session.model, session.client.root);
    const word = text.slice(found.from, at);
    const isDone = found.items.length === 0 || (!isAsked && found.items[0]?.insert === word);
    setOpen(isDone ? null : { ...found, active: word === "" && !isAsked ? -1 : 0 });
    const { length } = found.items;
    if (!isDone) session.announce(length === 1 ? "1 suggestion" : `${String(length)} suggestions`);
    else if (isAsked) session.announce("No suggestions");
  };
  const insert = (index: number): void => {
    const chosen = open?.items[index];
    if (open === null || chosen === undefined) return;
    const text = draft.text.slice(0, open.from) + chosen.insert + draft.text.slice(open.to);
    const at = open.from + chosen.insert.length;
    cursor.current = at;
    draft.change(text);
    if (/[=(/]$/u.test(chosen.insert)) suggest(text, at);
    else setOpen(null);
  };
  const move = (step: number): void => {
    if (open === null) return;
    const count = open.items.length;
    setOpen({ ...open, active: (Math.max(open.active, step < 0 ? 0 : -1) + step + count) % count });
  };
  const close = (): void => setOpen(null);
  return { open, suggest, move, close, insert };
}

function onKey(event: KeyboardEvent, suggesting: Suggesting, run: () => void): void {
  const { open, move, close, insert, suggest } = suggesting;
  const field = event.currentTarget;
  const isControl = event.ctrlKey || event.metaKey;
  const handled = (act: () => void): void => {
    event.preventDefault();
    act();
  };
  if (isControl && event.key === "Enter") {
    close();
    handled(run);
  } else if (
    ((isControl && event.key === " ") || (event.altKey && event.key === "ArrowDown")) &&
    field instanceof HTMLTextAreaElement
  ) {
    handled(() => suggest(field.value, field.selectionStart, true));
  } else if (open !== null) {
    const { active } = open;
    if (event.key === "ArrowDown") handled(move.bind(null, 1));
    else if (event.key === "ArrowUp") handled(move.bind(null, -1));
    else if (event.key === "Escape") handled(close);
    else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) handled(insert.bind(null, active));
    else if (/^(?:Arrow|Home|End|Page)/u.test(event.key)) close();
  }
}

function Suggestions(props: {
  readonly id: string;
  readonly open: Open;
  readonly onChoose: (index: number) => void;
}): JSX.Element {
  const { id, open } = props;
  const { items, active } = open;
  const first = Math.max(0, Math.min(active - Math.floor(MOST_SHOWN / 2), items.length - MOST_SHOWN));
  return (
    <div class="suggestions">
      <ul id={`${id}-list`} role="listbox" aria-label="Suggestions">
        {items.slice(first, first + MOST_SHOWN).map(({ label, kind, description }, at) => (
          <li
            key={first + at}
            id={`${id}-${String(first + at)}`}
            role="option"
            aria-selected={first + at === active}
            aria-setsize={items.length}
            aria-posinset={first + at + 1}
            onMouseDown={(event) => {
              event.preventDefault();
              props.onChoose(first + at);
            }}
          >
            <code>{label}</code>
            <span class="dim small">{description === null ? kind : `${kind} · ${description}`}</span>
          </li>
        ))}
      </ul>
      {items.length > MOST_SHOWN ? (
        <p class="dim small">{`${String(first + 1)} to ${String(first + MOST_SHOWN)} of ${String(items.length)}`}</p>
      ) : null}
    </div>
  );
}
