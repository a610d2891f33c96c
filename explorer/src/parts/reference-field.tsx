import type { JSX } from "preact";
import { useContext, useEffect, useId, useState } from "preact/hooks";
import { memberOf } from "../client/json-members.ts";
import { rowsIn } from "../client/service-client.ts";
import { isNumeric } from "../format/show-value.ts";
import { labelText } from "../model/label-properties.ts";
import { typedOf } from "../query/literals.ts";
import { exactOptions, type Reference, searchOptions } from "../query/reference.ts";
import { SessionContext } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";
import { resourceUrl } from "../state/view.ts";
import { TextField } from "./field.tsx";
import { EmptyBox, ValueField, type ValueFieldProps } from "./value-field.tsx";

const REST_MILLISECONDS = 150;

/** Shows a field for a foreign key, or one that fits the type of another value. */
export function TypedField(props: ValueFieldProps & { readonly reference: Reference | null }): JSX.Element {
  const { reference } = props;
  return reference === null ? <ValueField {...props} /> : <ReferenceField {...props} reference={reference} />;
}

/**
 * Shows a field for a foreign key: a text that it has, or a part of the label of its entity. The browser lists entities, and
 * Enter chooses the first. Where the service refuses to search, it is a field like others.
 */
function ReferenceField(props: ValueFieldProps & { readonly reference: Reference }): JSX.Element {
  const { reference, onChange } = props;
  const list = useId();
  const typed = props.typed ?? "";
  /** Whether the reader searches, and pressed Enter before the service answered. */
  const [{ isSearch, isHurried }, setSearch] = useState({ isSearch: false, isHurried: false });
  const { choices, meant, label } = useChoices(reference, typed, isSearch);
  const end = (choice: string): void => {
    setSearch({ isSearch: false, isHurried: false });
    if (choice !== typed) onChange(choice);
  };
  useEffect(() => {
    if (isHurried && meant !== null) end(meant);
  }, [isHurried, meant]);
  return (
    <>
      <TextField
        {...props}
        value={typed}
        placeholder={props.typed === null && props.isNullable ? "null" : ""}
        hint={label ?? props.hint}
        onInput={(text) => {
          onChange(text === "" ? null : text);
          setSearch({ isSearch: text !== "", isHurried: false });
        }}
        control={{
          list,
          // The next text replaces the value.
          onFocus: ({ currentTarget }) => currentTarget.select(),
          onKeyDown: (event) => {
            if (event.key !== "Enter" || !isSearch || meant === typed) return;
            event.preventDefault();
            setSearch({ isSearch, isHurried: true });
          },
        }}
        beside={<EmptyBox {...props} />}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice.typed} value={choice.typed} label={choice.label ?? undefined} />
        ))}
      </datalist>
    </>
  );
}

/** Asks for the entity of a typed value, and for those whose label contains the text. */
function useChoices(reference: Reference, typed: string, isSearch: boolean) {
  const session = useContext(SessionContext);
  const [asked, setAsked] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { set, property } = reference;
  const useRead = (options: ReadonlyMap<string, string> | null) => {
    const url = options === null ? "" : resourceUrl({ path: set.name, options });
    const { state } = useLoaded(url, async (signal) => {
      if (url === "" || session === null) return [];
      const { body } = await session.client.get(url, { signal, headers: { Prefer: "maxpagesize=8" } });
      const typedIn = (row: unknown): string => typedOf(memberOf(row, property.name), property);
      return rowsIn(body).map((row) => ({ typed: typedIn(row), label: labelText(reference.label, row) }));
    });
    return { isLoading: state.kind === "loading", rows: state.kind === "loaded" ? state.value : null };
  };
  const exactly = exactOptions(reference, asked);
  const [own, found] = [useRead(exactly), useRead(isSearch ? searchOptions(reference, asked) : null)];
  const isReady = asked === typed && !own.isLoading && !found.isLoading;
  const isOwn = own.rows === null || own.rows.length > 0;
  // A number that no entity has means no other one.
  const isMeant = exactly !== null && (isOwn || isNumeric(property.type));
  const label = isOwn || exactly === null ? (own.rows?.[0]?.label ?? null) : `Not in ${set.name}`;
  const meant = isMeant ? typed : (found.rows?.[0]?.typed ?? typed);
  const choices = found.rows ?? [];
  // No answer changes what a number means.
  const isNumber = isNumeric(property.type) && exactOptions(reference, typed) !== null;
  return isReady ? { choices, meant, label } : { choices, meant: isNumber ? typed : null, label: null };
}
