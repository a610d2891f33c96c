import type { JSX, TargetedKeyboardEvent } from "preact";
import { useContext, useEffect, useId, useState } from "preact/hooks";
import { itemsIn, memberOf } from "../client/json-members.ts";
import { countText, isNumeric } from "../format/show-value.ts";
import { labelText } from "../model/label-properties.ts";
import { typedOf } from "../query/literals.ts";
import { exactOptions, type Reference, searchOptions } from "../query/reference.ts";
import { SessionContext } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";
import { resourceUrl } from "../state/view.ts";
import { type ControlAttributes, TextField } from "./field.tsx";
import { EmptyBox, type ValueFieldProps } from "./value-field.tsx";

/** An entity to refer to. */
interface Choice {
  readonly typed: string;
  readonly label: string | null;
}

const REST_MILLISECONDS = 150;

type ReferenceFieldProps = ValueFieldProps & { readonly reference: Reference };

/**
 * Shows a field for a foreign key: a text that it has, or a part of the label of its entity, which is chosen in a list. Where
 * the service refuses to search, it is a field like others.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function ReferenceField(props: ReferenceFieldProps): JSX.Element {
  const list = `${useId()}-list`;
  const { choices, own, active, choose, control } = useCombobox(props, list);
  return (
    <div class="reference">
      <TextField
        {...props}
        value={props.typed ?? ""}
        placeholder={props.typed === null && props.isNullable ? "null" : ""}
        hint={own ?? props.hint}
        onInput={() => undefined}
        control={control}
        beside={<EmptyBox {...props} />}
      />
      {choices.length === 0 ? null : (
        <ul class="reference-list" id={list} role="listbox" aria-label={props.reference.set.name}>
          {choices.map((choice, at) => (
            <li
              key={choice.typed}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === active}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
            >
              {choice.label === null ? null : <bdi>{choice.label}</bdi>}
              <code class="dim">{choice.typed}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Moves and chooses by keys in the list, which opens when the reader types or clicks. */
function useCombobox({ reference, typed, onChange }: ReferenceFieldProps, list: string) {
  /** The text to search; null while the list is closed. */
  const [text, setText] = useState<string | null>(null);
  const [moved, setMoved] = useState<number | null>(null);
  const [isHurried, setHurried] = useState(false);
  const { choices, own, isReady, meant } = useChoices(reference, typed ?? "", text);
  const active = moved ?? (text === "" ? -1 : meant);
  const choose = (choice: Choice | undefined): void => {
    if (choice !== undefined) onChange(choice.typed);
    setText(null);
    setMoved(null);
    setHurried(false);
  };
  useEffect(() => {
    // Who typed faster than the service searched chose the first.
    if (isHurried && isReady) choose(choices[active]);
  }, [isHurried, isReady]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isEnter = text !== null && event.key === "Enter";
    if (step !== undefined) {
      if (text === null) setText("");
      else setMoved(Math.max(0, Math.min(active + step, choices.length - 1)));
    } else if (isEnter && text !== "" && !isReady) setHurried(true);
    else if (isEnter && choices[active] !== undefined) choose(choices[active]);
    else if (text !== null && event.key === "Escape") choose(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const control: ControlAttributes = {
    role: "combobox",
    "aria-expanded": choices.length > 0,
    "aria-autocomplete": "list",
    "aria-controls": choices.length > 0 ? list : undefined,
    "aria-activedescendant": choices[active] === undefined ? undefined : `${list}-${active}`,
    onKeyDown,
    onInput: ({ currentTarget: { value } }) => {
      onChange(value === "" ? null : value);
      setText(value);
      setMoved(null);
    },
    onClick: ({ currentTarget }) => {
      // The next text replaces the value.
      if (text === null) currentTarget.select();
      setText(text ?? "");
    },
    onBlur: () => choose(undefined),
  };
  return { choices, own, active, choose, control };
}

/** Asks for the entity of a typed value, and for those whose label contains a text. */
function useChoices(reference: Reference, typed: string, text: string | null) {
  const session = useContext(SessionContext);
  const [asked, setAsked] = useState({ typed, text });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ typed, text }), asked.text === null ? 0 : REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed, text]);
  const { set, property, label } = reference;
  const read = async (url: string, signal: AbortSignal): Promise<readonly Choice[]> => {
    if (url === "" || session === null) return [];
    const { body } = await session.client.get(url, { signal, headers: { Prefer: "maxpagesize=8" } });
    return itemsIn(body, "value").map((row) => ({
      typed: typedOf(memberOf(row, property.name), property),
      label: labelText(label, row),
    }));
  };
  const urlOf = (options: ReadonlyMap<string, string> | null): string =>
    options === null ? "" : resourceUrl({ path: set.name, options });
  const [ownUrl, listUrl] = [
    urlOf(exactOptions(reference, asked.typed)),
    asked.text === null ? "" : urlOf(searchOptions(reference, asked.text)),
  ];
  const exact = useLoaded(ownUrl, (signal) => read(ownUrl, signal)).state;
  const found = useLoaded(listUrl, (signal) => read(listUrl, signal)).state;
  const [same = [], others = []] = [exact, found].map((state) => (state.kind === "loaded" ? state.value : []));
  const first = asked.text === "" ? [] : same;
  const all = [...new Map([...first, ...others].map((each) => [each.typed, each])).values()];
  const choices = text === null || asked.text === null ? [] : all;
  const isNow = asked.typed === typed && asked.text === text;
  const isReady = isNow && [exact, found].every(({ kind }) => kind !== "loading");
  useEffect(() => {
    if (text !== null && isReady && found.kind === "loaded") session?.announce(countText(choices.length, "choice"));
  }, [text, isReady, choices.length]);
  const isMissing = ownUrl !== "" && exact.kind === "loaded" && same.length === 0;
  return {
    choices,
    isReady,
    /** The choice that a text means: none for a number that no entity has. */
    meant: isReady && (same.length > 0 || ownUrl === "" || !isNumeric(property.type)) ? 0 : -1,
    own: isNow ? (same[0]?.label ?? (isMissing ? `${set.name} has nothing with this value.` : null)) : null,
  };
}
