import type { JSX } from "preact";
import { SelectField } from "../../parts/field.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import type { View } from "../../state/view.ts";

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
        <QueryOptions
          key={view.path}
          {...{ model, place, options: sent }}
          onChange={(options) => onChange(view.path, options)}
        />
      )}
    </section>
  );
}
