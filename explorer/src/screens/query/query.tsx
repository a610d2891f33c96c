import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import { readQueryText, writeQueryText } from "../../query/option-text.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import { resourceUrl } from "../../state/resource-url.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { QueryEditor } from "./query-editor.tsx";
import { faultIn, textOf, withText } from "./query-view.ts";
import { Excerpt, Result } from "./result.tsx";

/** Asks: a query as text and as a form, which edit each other, and its first rows. The view has the query that ran last. */
export function Query({ session, view }: ScreenProps): JSX.Element {
  const { root } = session.client;
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(textOf(view));
  const [tried, setTried] = useState(text);
  useEffect(() => {
    setText(textOf(view));
    setTried(textOf(view));
  }, [view]);
  const meant = withText(view, text, root);
  const hasRun = resourceUrl(meant) === resourceUrl(view);
  // What is being written is no fault yet.
  const fault = tried === text && text !== "" ? faultIn(text, root) : null;
  const run = (): void => {
    const found = faultIn(text, root);
    setTried(text);
    if (found !== null) {
      field.current?.focus();
      field.current?.setSelectionRange(found.position, found.position);
      session.announce(found.message);
    } else if (hasRun) session.refresh();
    else session.go(meant);
  };
  return (
    <div class="query">
      <Heading>Query</Heading>
      <div class="query-panes">
        <section class="query-text" aria-label="Text">
          <QueryEditor {...{ session, field, text }} error={fault?.message ?? null} onInput={setText} onRun={run} />
          {fault === null ? null : <Excerpt text={text} position={fault.position} />}
          <div class="row">
            <Button kind="primary" onClick={run}>
              Run
            </Button>
            {hasRun ? null : <span class="dim small">This text has not run yet.</span>}
          </div>
          {faultIn(textOf(view), root) === null ? (
            <Result {...{ session, view }} />
          ) : (
            <Empty title="Write the name of a set, or choose one in the form" />
          )}
        </section>
        <Builder {...{ session, text }} onChange={setText} />
      </div>
    </div>
  );
}

/** Edits a query as a form: of each option what the set permits. */
function Builder(props: {
  readonly session: OpenSession;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const { model, client } = props.session;
  const { path, options } = readQueryText(props.text, client.root);
  const place = resolvePath(model, path);
  const sets = [...model.sets.keys()].map((name) => ({ value: name, label: name }));
  const other = { value: path, label: path === "" ? "Choose a set" : `Another path: ${path}` };
  return (
    <section class="query-form" aria-label="Form">
      <SelectField
        label="Set"
        value={path}
        choices={model.sets.has(path) ? sets : [other, ...sets]}
        onChange={props.onChange}
      />
      {place === null ? (
        <p class="dim">The form appears with a set of the model. Write the options of other paths as text.</p>
      ) : (
        <QueryOptions
          key={path}
          {...{ model, place, options }}
          onChange={(next) => props.onChange(writeQueryText({ path, options: next }))}
        />
      )}
    </section>
  );
}
