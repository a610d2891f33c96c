import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Model } from "../../model/model.ts";
import { type ApplyForm, readApply, titleOf, type Total, writeApply } from "../../query/apply-text.ts";
import { TextField } from "../field.tsx";
import type { QueryPlace } from "./filter-paths.ts";
import { type GroupChoice, groupRows, totalRows } from "./group-choices.ts";
import { OptionEditor, type OptionText } from "./option-editor.tsx";

interface BuilderProps {
  readonly model: Model;
  readonly place: QueryPlace;
  /** Shows more choices for a chosen total. */
  readonly offer?: ((total: Total) => ComponentChildren) | undefined;
}

/** Edits groups and totals; other steps stay text. */
export function ApplyBuilder({ model, place, offer, ...option }: OptionText & BuilderProps): JSX.Element {
  return (
    <OptionEditor label="Steps" read={readApply} write={writeApply} {...option}>
      {(form, change) => <Choices {...{ model, place, form, offer, change }} />}
    </OptionEditor>
  );
}

/** A longer list has a field that searches it. */
const MOST_ROWS = 8;

function Choices(
  props: BuilderProps & { readonly form: ApplyForm; readonly change: (form: ApplyForm) => void },
): JSX.Element {
  const { model, place, form, offer, change } = props;
  const [text, setText] = useState("");
  const label = "Find a property";
  const lists = { Groups: groupRows(place, form), Totals: totalRows(place, form, model) };
  const isLong = Object.values(lists).some(({ length }) => length > MOST_ROWS);
  const chosen = (choices: readonly GroupChoice[]): readonly Total[] =>
    form.totals.filter(({ method, path }) => choices.some(({ title }) => title === titleOf(method, path)));
  return (
    <>
      {isLong ? <TextField {...{ label }} isLabelHidden placeholder={label} value={text} onInput={setText} /> : null}
      {Object.entries(lists).map(([title, rows]) => (
        <fieldset key={title} class="choice-list">
          <legend class="field-label">{title}</legend>
          {rows
            .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
            .map(({ name, choices }) => (
              <div key={name} class="choice-row">
                <span dir="auto">{name}</span>
                <span class="choices">
                  {choices.map((choice) => (
                    <Choice key={choice.title} {...choice} onPick={() => change(choice.next)} />
                  ))}
                </span>
                {title === "Totals" ? chosen(choices).map((total) => offer?.(total)) : null}
              </div>
            ))}
        </fieldset>
      ))}
    </>
  );
}

/** Shows a choice that is made or not. */
export function Choice(props: Omit<GroupChoice, "next"> & { readonly onPick: () => void }): JSX.Element {
  const { text, title, isChosen, onPick } = props;
  return (
    <button type="button" class="choice" aria-pressed={isChosen} aria-label={title} title={title} onClick={onPick}>
      {text}
    </button>
  );
}
