import type { JSX, TargetedKeyboardEvent } from "preact";
import { useContext, useEffect, useId, useState } from "preact/hooks";
import { memberOf } from "../client/json-members.ts";
import { rowsIn } from "../client/service-client.ts";
import { countText, isNumeric } from "../format/show-value.ts";
import { labelText } from "../model/label-properties.ts";
import { typedOf } from "../query/literals.ts";
import { exactOptions, type Reference, searchOptions } from "../query/reference.ts";
import { SessionContext } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";
import { resourceUrl } from "../state/view.ts";
import { TextField } from "./field.tsx";
import { EmptyBox, type ValueFieldProps } from "./value-field.tsx";

/** An entity to refer to. */
type Choice = Readonly<{ typed: string; label: string | null }>;

type ReferenceFieldProps = ValueFieldProps & { readonly reference: Reference };

/**
 * Shows a field for a foreign key: a text that it has, or a part of the label of its entity, which is chosen in a list. Where
 * the service refuses to search, it is a field like others.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function ReferenceField(props: ReferenceFieldProps): JSX.Element {
  const list = `${useId()}-list`;
  const { choices, own, active, choose, onInput, control } = useCombobox(props);
  const controlled = choices.length === 0 ? {} : { "aria-controls": list };
  const descendant = choices[active] === undefined ? {} : { "aria-activedescendant": `${list}-${active}` };
  return (
    <div class="reference">
      <TextField
        {...props}
        value={props.typed ?? ""}
        placeholder={props.typed === null && props.isNullable ? "null" : ""}
        hint={own ?? props.hint}
        onInput={onInput}
        control={{ role: "combobox", "aria-autocomplete": "list", ...control, ...controlled, ...descendant }}
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
function useCombobox({ reference, typed, onChange }: ReferenceFieldProps) {
  /** The text to search, and the choice to which the reader moved; null while the list is closed. */
  const [open, setOpen] = useState<{ readonly text: string; readonly at: number | null } | null>(null);
  const [isHurried, setHurried] = useState(false);
  const { choices, own, isReady, meant } = useChoices(reference, typed ?? "", open?.text ?? null);
  const active = open?.at ?? (open?.text === "" ? -1 : meant);
  const choose = (choice?: Choice): void => {
    if (choice !== undefined) onChange(choice.typed);
    setOpen(null);
    setHurried(false);
  };
  useEffect(() => {
    // Who typed faster than the service searched chose the first.
    if (isHurried && isReady) choose(choices[active]);
  }, [isHurried, isReady]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (open === null) {
      if (step === undefined) return;
      setOpen({ text: "", at: null });
    } else if (step !== undefined) {
      setOpen({ ...open, at: Math.max(0, Math.min(active + step, choices.length - 1)) });
    } else if (key === "Enter" && open.text !== "" && !isReady) setHurried(true);
    else if (key === "Enter" && choices[active] !== undefined) choose(choices[active]);
    else if (key === "Escape") choose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onInput = (text: string): void => {
    onChange(text === "" ? null : text);
    setOpen({ text, at: null });
  };
  const onClick = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }): void => {
    // The next text replaces the value.
    if (open === null) currentTarget.select();
    setOpen(open ?? { text: "", at: null });
  };
  const control = { onKeyDown, onClick, onBlur: () => choose(), "aria-expanded": choices.length > 0 };
  return { choices, own, active, choose, onInput, control };
}

const REST_MILLISECONDS = 150;

/** Asks for the entity of a typed value, and for those whose label contains a text. */
function useChoices(reference: Reference, typed: string, text: string | null) {
  const session = useContext(SessionContext);
  const [asked, setAsked] = useState({ typed, text });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ typed, text }), asked.text === null ? 0 : REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed, text]);
  const { set, property, label } = reference;
  const useRead = (options: ReadonlyMap<string, string> | null) => {
    const url = options === null ? "" : resourceUrl({ path: set.name, options });
    return useLoaded(url, async (signal): Promise<readonly Choice[]> => {
      if (url === "" || session === null) return [];
      const { body } = await session.client.get(url, { signal, headers: { Prefer: "maxpagesize=8" } });
      const toChoice = (row: unknown) => ({
        typed: typedOf(memberOf(row, property.name), property),
        label: labelText(label, row),
      });
      return rowsIn(body).map(toChoice);
    }).state;
  };
  const exactly = exactOptions(reference, asked.typed);
  const exact = useRead(exactly);
  const found = useRead(asked.text === null ? null : searchOptions(reference, asked.text));
  const [same = [], others = []] = [exact, found].map((state) => (state.kind === "loaded" ? state.value : []));
  const all = [...(asked.text === "" ? [] : same), ...others];
  const choices =
    text === null || asked.text === null ? [] : [...new Map(all.map((each) => [each.typed, each])).values()];
  const isNow = asked.typed === typed && asked.text === text;
  const isReady = isNow && exact.kind !== "loading" && found.kind !== "loading";
  useEffect(() => {
    if (text !== null && isReady && found.kind === "loaded") session?.announce(countText(choices.length, "choice"));
  }, [text, isReady, choices.length]);
  const missing = exactly !== null && exact.kind === "loaded" && same.length === 0 ? `Not in ${set.name}` : null;
  // A number that no entity has means no other one.
  const meant = isReady && (same.length > 0 || exactly === null || !isNumeric(property.type)) ? 0 : -1;
  return { choices, isReady, meant, own: isNow ? (same[0]?.label ?? missing) : null };
}
