import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { type Finding, findInModel, readForSearch } from "../model/find-in-model.ts";
import type { OpenSession } from "../state/session.ts";
import { type View, viewOf } from "../state/view.ts";
import { Icon } from "./button.tsx";

/** Shows a field that finds a text. It lists names of the model, which lead to their views; Enter finds the text elsewhere. */
export function SearchBox(props: {
  readonly session: OpenSession;
  /** The name of the place: "all of this service". */
  readonly place: string;
  /** The text that was found last. */
  readonly found: string;
  readonly onFind: (text: string) => void;
}): JSX.Element {
  const { session, place, found, onFind } = props;
  const [text, setText] = useState(found);
  const id = useId();
  const [isRead, setRead] = useState(false);
  const list = isRead ? findInModel(session.model, text, 12) : [];
  const findings = new Map(list.map((each) => [titleOf(each), each]));
  return (
    <form
      class="search"
      role="search"
      aria-label={place}
      onSubmit={(event) => {
        event.preventDefault();
        setText(found);
        onFind(text.trim());
      }}
    >
      <Icon name="search" />
      <input
        class="input"
        aria-label={`Search ${place}`}
        placeholder={`Search ${place}`}
        autocomplete="off"
        list={id}
        onFocus={() => void readForSearch(session.model).then(() => setRead(true))}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          const finding = findings.get(value);
          setText(finding === undefined ? value : found);
          // The reader chose an entry of the list.
          if (finding !== undefined) session.go(viewOfFinding(finding));
        }}
      />
      {text === "" ? <kbd aria-hidden="true">/</kbd> : null}
      <datalist id={id}>
        {[...findings.keys()].map((title) => (
          <option key={title}>{title}</option>
        ))}
      </datalist>
    </form>
  );
}

/** Returns the view of a finding. */
export function viewOfFinding({ kind, name, set }: Finding): View {
  return kind === "operation" ? viewOf("operation", name) : viewOf("grid", set ?? name);
}

/** Browsers list titles that contain the typed text, which may be in the description alone. */
export function titleOf({ kind, name, set, description }: Finding): string {
  const title = kind === "property" ? `${name} in ${set ?? ""}` : `${name} (${kind})`;
  return description === null ? title : `${title}: ${description}`;
}
