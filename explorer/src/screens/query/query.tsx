import type { EditorView } from "@codemirror/view";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import type { OptionText } from "../../parts/query-form/option-editor.tsx";
import { complete } from "../../query/completion.ts";
import { readQueryText, writeQueryText } from "../../query/option-text.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { ScreenProps } from "../../state/session.ts";
import { resourceUrl, withOptions } from "../../state/view.ts";
import { CodeEditor } from "./code-editor.tsx";
import { faultIn, faultOfService, textOf, withText } from "./query-view.ts";
import { Result } from "./result.tsx";

const PAUSE_MILLISECONDS = 400;
const MOST_QUERIES = 50;

/** Asks: a query as text and as a form, which edit each other, and its first rows. The view has the query that ran last. */
export function Query({ session, view }: ScreenProps): JSX.Element {
  const { root } = session.client;
  const editor = useRef<EditorView | null>(null);
  const known = textOf(view);
  const [text, setText] = useState(view.options.get("draft") ?? known);
  const [tried, setTried] = useState(known);
  const [refused, setRefused] = useState("");
  const last = useRef(known);
  useEffect(() => {
    if (last.current !== known) for (const set of [setText, setTried]) set(known);
    last.current = known;
  }, [known]);
  useDraft({ session, view }, text === known ? null : text);
  const meant = withText(withOptions(view, { draft: null, row: null }), text, root);
  const hasRun = resourceUrl(meant) === resourceUrl(view);
  // A text that is being written has no fault yet.
  const own = tried === text && text !== "" ? faultIn(text, root) : null;
  const fault = own ?? (hasRun ? faultOfService(text, root, refused) : null);
  const run = (): void => {
    const found = faultIn(text, root);
    setTried(text);
    const { queries } = session;
    if (found === null) queries.value = [...new Set([text, ...queries.value])].slice(0, MOST_QUERIES);
    editor.current?.focus();
    if (found !== null) editor.current?.dispatch({ selection: { anchor: found.position } });
    else if (hasRun) session.refresh();
    else session.go(meant);
  };
  return (
    <div class="query">
      <Heading>Query</Heading>
      <div class="query-panes">
        <section class="query-text" aria-label="Text">
          <CodeEditor
            {...{ editor, fault }}
            label="Text of the query"
            hint="Run: Ctrl+Enter. Suggestions: Ctrl+Space. Tab leaves the text."
            placeholder="Orders?$filter=Total gt 5&$top=10"
            value={text}
            complete={(written, cursor) => complete(written, cursor, session.model, root)}
            onInput={setText}
            onRun={run}
          />
          <Actions queries={session.queries.value} hasRun={hasRun} onRun={run} onChoose={setText} />
          {faultIn(textOf(view), root) === null ? (
            <Result {...{ session, view }} onRefused={setRefused} />
          ) : (
            <Empty title="Write the name of a set, or choose one in the form" />
          )}
        </section>
        <Builder {...{ session, text }} onChange={setText} />
      </div>
    </div>
  );
}

/** Keeps a text that has not run yet in the URL. Browsers limit how often a page changes its URL. */
function useDraft({ session, view }: ScreenProps, draft: string | null): void {
  useEffect(() => {
    const keep = (): void => session.go(withOptions(view, { draft }), { replace: true });
    const timer = draft === (view.options.get("draft") ?? null) ? undefined : setTimeout(keep, PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [draft, view]);
}

/** Offers to run the text, and the queries that ran since the page was opened, the last one first. */
function Actions(
  props: Readonly<{ queries: readonly string[]; hasRun: boolean; onRun: () => void; onChoose: (text: string) => void }>,
): JSX.Element {
  const label = "Earlier queries";
  const choices = [{ value: "", label }, ...props.queries];
  return (
    <div class="row">
      <Button kind="primary" onClick={props.onRun}>
        Run
      </Button>
      {choices.length === 1 ? null : (
        <TextField {...{ label, choices }} isLabelHidden value="" onInput={props.onChoose} />
      )}
      {props.hasRun ? null : <span class="dim small">This text has not run yet.</span>}
    </div>
  );
}

/** Edits a query as a form, with the options that the set permits. */
function Builder({ session, text, onChange }: OptionText & Pick<ScreenProps, "session">): JSX.Element {
  const { model, client } = session;
  const { path, options } = readQueryText(text, client.root);
  const place = resolvePath(model, path);
  const sets = [...model.sets.keys()];
  const other = { value: path, label: path === "" ? "Choose a set" : `Another path: ${path}` };
  return (
    <section class="query-form" aria-label="Form">
      <TextField label="Set" value={path} choices={model.sets.has(path) ? sets : [other, ...sets]} onInput={onChange} />
      {place === null ? (
        <p class="dim">The form appears with a set of the model. Write the options of other paths as text.</p>
      ) : (
        <QueryOptions
          key={path}
          {...{ model, place, options }}
          onChange={(next) => onChange(writeQueryText({ path, options: next }))}
        />
      )}
    </section>
  );
}
