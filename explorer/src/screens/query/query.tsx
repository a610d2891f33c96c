import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import { readQueryText, writeQueryText } from "../../query/option-text.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { resourceUrl, withOptions } from "../../state/view.ts";
import { QueryEditor } from "./query-editor.tsx";
import { faultIn, textOf, withText } from "./query-view.ts";
import { Excerpt, Result } from "./result.tsx";

const PAUSE_MILLISECONDS = 400;

/** Asks: a query as text and as a form, which edit each other, and its first rows. The view has the query that ran last. */
export function Query({ session, view }: ScreenProps): JSX.Element {
  const { root } = session.client;
  const field = useRef<HTMLTextAreaElement>(null);
  const known = textOf(view);
  const [text, setText] = useState(view.options.get("draft") ?? known);
  const [tried, setTried] = useState(known);
  const last = useRef(known);
  useEffect(() => {
    if (last.current !== known) {
      setText(known);
      setTried(known);
    }
    last.current = known;
  }, [known]);
  // A text that has not run yet is a choice of the page. Browsers limit how often a page changes its URL.
  const draft = text === known ? null : text;
  useEffect(() => {
    const keep = (): void => session.go(withOptions(view, { draft }), { replace: true });
    const timer = draft === (view.options.get("draft") ?? null) ? undefined : setTimeout(keep, PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [draft, view]);
  const meant = withText(withOptions(view, { draft: null, row: null }), text, root);
  const hasRun = resourceUrl(meant) === resourceUrl(view);
  // A text that is being written has no fault yet.
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

/** Edits a query as a form, with the options that the set permits. */
function Builder(props: {
  readonly session: OpenSession;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): JSX.Element {
  const { model, client } = props.session;
  const { path, options } = readQueryText(props.text, client.root);
  const place = resolvePath(model, path);
  const sets = [...model.sets.keys()];
  const other = { value: path, label: path === "" ? "Choose a set" : `Another path: ${path}` };
  return (
    <section class="query-form" aria-label="Form">
      <TextField
        label="Set"
        value={path}
        choices={model.sets.has(path) ? sets : [other, ...sets]}
        onInput={props.onChange}
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
