import type { JSX } from "preact";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { readExpand, readSelect, writeExpand, writeSelect } from "../../query/expand-tree.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import type { View } from "../../state/view.ts";
import { ApplyBuilder } from "./apply-builder.tsx";
import { CheckList } from "./check-list.tsx";
import { ExpandBuilder } from "./expand-builder.tsx";
import { FilterBuilder } from "./filter-builder.tsx";
import { type QueryPlace, sortPaths } from "./filter-paths.ts";
import { OrderBuilder } from "./order-builder.tsx";
import { Section } from "./section.tsx";

/** Edits a query as a form: of each option what the set permits. */
export function Builder({
  session,
  view,
  onChange,
}: ScreenProps & { readonly onChange: (path: string, options: View["options"]) => void }): JSX.Element {
  const { model } = session;
  const place = resolvePath(model, view.path);
  const sets = [...model.sets.keys()];
  const sent = new Map([...view.options].filter(([name]) => /^[$@]/u.test(name)));
  const textOf = (name: string): string => sent.get(name) ?? "";
  const set = (name: string) => (text: string) => {
    const options = new Map(sent);
    if (text === "") options.delete(name);
    else options.set(name, text);
    onChange(view.path, options);
  };
  return (
    <section class="query-form" aria-label="Form">
      <SelectField
        label="Set"
        value={sets.includes(view.path) ? view.path : ""}
        choices={[
          ...(sets.includes(view.path)
            ? []
            : [{ value: "", label: view.path === "" ? "Choose a set" : "Another path" }]),
          ...sets.map((name) => ({ value: name, label: name })),
        ]}
        onChange={(name) => {
          if (name !== "") onChange(name, new Map());
        }}
      />
      {place === null ? (
        <p class="dim">
          {view.path === ""
            ? "The form appears with the set."
            : "The model does not say what this path leads to: write the options as text."}
        </p>
      ) : (
        <Options key={view.path} {...{ session, view, place, isCollection: place.isCollection, textOf, set }} />
      )}
    </section>
  );
}

interface OptionsProps extends ScreenProps {
  readonly place: QueryPlace;
  readonly isCollection: boolean;
  readonly textOf: (name: string) => string;
  readonly set: (name: string) => (text: string) => void;
}

function Options(props: OptionsProps): JSX.Element {
  const { session, place, textOf, set } = props;
  const abilities = place.set?.abilities;
  const expand = readExpand(textOf("$expand"));
  const select = readSelect(textOf("$select"));
  const computed = Array.from(
    textOf("$compute").matchAll(/\sas\s+([\p{L}_][\p{L}\p{N}_]*)/gu),
    ([, name = ""]) => name,
  );
  return (
    <>
      {props.isCollection ? <CollectionOptions {...props} /> : null}
      <Section title="Properties" text={textOf("$select")}>
        {select === null ? (
          <OptionText name="$select" {...props} />
        ) : (
          <CheckList
            label="All, or only"
            names={[...place.type.properties.keys(), ...computed]}
            chosen={select}
            onChange={(paths) => {
              set("$select")(writeSelect(paths));
            }}
          />
        )}
      </Section>
      {place.type.navigations.size === 0 || abilities?.canExpand === false ? null : (
        <Section title="Related entities" text={textOf("$expand")}>
          {expand === null ? (
            <OptionText name="$expand" {...props} />
          ) : (
            <ExpandBuilder
              model={session.model}
              place={place}
              nodes={expand}
              onChange={(nodes) => {
                set("$expand")(writeExpand(nodes));
              }}
            />
          )}
        </Section>
      )}
      {abilities?.canCompute === true ? (
        <Section title="Further columns" text={textOf("$compute")}>
          <OptionText name="$compute" {...props} />
          <p class="field-hint">
            Such as <code>Price mul 2 as Double</code>
          </p>
        </Section>
      ) : null}
    </>
  );
}

function CollectionOptions(props: OptionsProps): JSX.Element {
  const { place, textOf, set } = props;
  const abilities = place.set?.abilities;
  return (
    <>
      {abilities?.canFilter === false ? null : (
        <Section title="Filter" text={textOf("$filter")}>
          <FilterBuilder place={place} text={textOf("$filter")} onChange={set("$filter")} />
        </Section>
      )}
      {abilities?.canSearch === false ? null : (
        <TextField label="Search" type="search" value={textOf("$search")} onInput={set("$search")} />
      )}
      {abilities?.canSort === false ? null : (
        <Section title="Order" text={textOf("$orderby")}>
          <OrderBuilder paths={sortPaths(place)} text={textOf("$orderby")} onChange={set("$orderby")} />
        </Section>
      )}
      {abilities?.canApply === true ? (
        <Section title="Groups and totals" text={textOf("$apply")}>
          <ApplyBuilder place={place} text={textOf("$apply")} onChange={set("$apply")} />
        </Section>
      ) : null}
      <div class="row query-numbers">
        {abilities?.canTop === false ? null : (
          <TextField label="At most" inputMode="numeric" value={textOf("$top")} onInput={set("$top")} />
        )}
        {abilities?.canSkip === false ? null : (
          <TextField label="Without the first" inputMode="numeric" value={textOf("$skip")} onInput={set("$skip")} />
        )}
        {abilities?.canCount === false ? null : (
          <CheckField
            label="Count all"
            checked={textOf("$count") === "true"}
            onChange={(counts) => {
              set("$count")(counts ? "true" : "");
            }}
          />
        )}
      </div>
    </>
  );
}

function OptionText({ name, textOf, set }: OptionsProps & { readonly name: string }): JSX.Element {
  return <TextField label={`${name} as text`} isLabelHidden isCode isLong value={textOf(name)} onInput={set(name)} />;
}
