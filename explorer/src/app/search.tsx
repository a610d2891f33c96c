import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { type Finding, findInModel } from "../model/find-in-model.ts";
import { Icon } from "../parts/icon.tsx";
import type { OpenSession } from "../state/session.ts";
import { type View, viewOf } from "../state/view.ts";

const MOST_FINDINGS = 12;

/** Shows the search over sets, properties and operations. The key `/` leads to it. */
export function Search({ session }: { readonly session: OpenSession }): JSX.Element {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useSlash(input);
  const findings = useMemo(() => findInModel(session.model, text, MOST_FINDINGS), [session.model, text]);
  const show = (finding: Finding | undefined): void => {
    if (finding === undefined) return;
    setText("");
    setOpen(false);
    session.go(viewOfFinding(finding));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const step = event.key === "ArrowDown" ? 1 : -1;
    if (event.key === "Enter") show(findings[chosen]);
    else if (event.key === "Escape") setOpen(false);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      setChosen((chosen + step + findings.length) % Math.max(findings.length, 1));
    }
  };
  const isShown = isOpen && text.trim() !== "";
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={input}
        class="input"
        type="text"
        role="combobox"
        aria-label="Search sets, properties and operations"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && findings.length > 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="Search this service"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      {text === "" ? <kbd aria-hidden="true">/</kbd> : null}
      <Findings id={id} isShown={isShown} findings={findings} chosen={chosen} onShow={show} />
      <span class="hidden" role="status">
        {isShown ? countText(findings.length) : ""}
      </span>
    </search>
  );
}

function countText(count: number): string {
  if (count === 0) return "Nothing found";
  return count === 1 ? "1 result" : `${count === MOST_FINDINGS ? "The first " : ""}${count} results`;
}

function viewOfFinding({ kind, name, set }: Finding): View {
  if (kind === "operation") return viewOf("operation", name);
  return viewOf("grid", set ?? name);
}

function Findings(props: {
  readonly id: string;
  readonly isShown: boolean;
  readonly findings: readonly Finding[];
  readonly chosen: number;
  readonly onShow: (finding: Finding) => void;
}): JSX.Element {
  const { id, findings, chosen } = props;
  return (
    <div class="search-list" id={`${id}-list`} role="listbox" aria-label="Results" hidden={!props.isShown}>
      {findings.map((finding, index) => (
        <div
          key={`${finding.kind} ${finding.set ?? ""} ${finding.name} ${index}`}
          id={`${id}-${index}`}
          class="search-option"
          role="option"
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            // The list must not close before the click has arrived.
            event.preventDefault();
          }}
          onClick={() => props.onShow(finding)}
        >
          <span>{finding.name}</span>
          <span class="tag">{finding.kind === "property" ? `in ${finding.set ?? ""}` : finding.kind}</span>
          {finding.description === null ? null : <span class="dim small">{finding.description}</span>}
        </div>
      ))}
      {findings.length === 0 ? <p class="search-note">Nothing of this service has that name.</p> : null}
    </div>
  );
}

const WRITES = "input, textarea, select, dialog, [contenteditable]";

/** The key `/` moves the focus to the search, except where it writes text. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(WRITES) !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
