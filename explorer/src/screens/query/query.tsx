import type { EditorView } from "@codemirror/view";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import type { QueryFault } from "../../query/check-query.ts";
import { complete } from "../../query/completion.ts";
import { readQueryText, writeQueryText } from "../../query/option-text.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { resourceUrl, withOptions } from "../../state/view.ts";
import { CodeEditor, type CodeEditorProps } from "./code-editor.tsx";
import { faultIn, textOf, wordAt, withText } from "./query-view.ts";
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
  const last = useRef(known);
  useEffect(() => {
    if (last.current !== known) {
      setText(known);
      setTried(known);
    }
    last.current = known;
  }, [known]);
  useDraft({ session, view }, text === known ? null : text);
  const meant = withText(withOptions(view, { draft: null, row: null }), text, root);
  const hasRun = resourceUrl(meant) === resourceUrl(view);
  // A text that is being written has no fault yet.
  const fault = tried === text && text !== "" ? faultIn(text, root) : null;
  const run = (): void => {
    const found = faultIn(text, root);
    setTried(text);
    if (found !== null) {
      editor.current?.focus();
      editor.current?.dispatch({ selection: { anchor: found.position } });
      session.announce(found.message);
      return;
    }
    const { queries } = session;
    queries.value = [...new Set([text, ...queries.value])].slice(0, MOST_QUERIES);
    if (hasRun) session.refresh();
    else session.go(meant);
  };
  return (
    <div class="query">
      <Heading>Query</Heading>
      <div class="query-panes">
        <section class="query-text" aria-label="Text">
          <QueryField {...{ session, text, fault, editor }} onInput={setText} onRun={run} />
          <div class="row">
            <Button kind="primary" onClick={run}>
              Run
            </Button>
            <Earlier queries={session.queries.value} onChoose={setText} />
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

/** Keeps a text that has not run yet in the URL. Browsers limit how often a page changes its URL. */
function useDraft({ session, view }: ScreenProps, draft: string | null): void {
  useEffect(() => {
    const keep = (): void => session.go(withOptions(view, { draft }), { replace: true });
    const timer = draft === (view.options.get("draft") ?? null) ? undefined : setTimeout(keep, PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [draft, view]);
}

/** Edits the text, and says what is wrong with it. */
function QueryField(props: {
  readonly session: OpenSession;
  readonly text: string;
  readonly fault: QueryFault | null;
  readonly editor: CodeEditorProps["editor"];
  readonly onInput: (text: string) => void;
  readonly onRun: () => void;
}): JSX.Element {
  const { session, text, fault, editor, onInput, onRun } = props;
  const { model, client } = session;
  return (
    <div class="field">
      <span class="field-label">Text of the query</span>
      <CodeEditor
        label="Text of the query"
        placeholder="Orders?$filter=Total gt 5&$top=10"
        value={text}
        fault={fault === null ? null : { ...wordAt(text, fault.position), message: fault.message }}
        complete={(written, cursor) => complete(written, cursor, model, client.root)}
        {...{ onInput, onRun, editor }}
      />
      {fault === null ? null : (
        <span class="field-error" role="alert">
          {fault.message}
        </span>
      )}
      <span class="field-hint">Run: Ctrl+Enter. Suggestions: Ctrl+Space. Tab leaves the text.</span>
    </div>
  );
}

/** Offers the queries that ran since the page was opened, the last one first. */
function Earlier(props: {
  readonly queries: readonly string[];
  readonly onChoose: (text: string) => void;
}): JSX.Element | null {
  const { queries, onChoose } = props;
  if (queries.length === 0) return null;
  const label = { value: "", label: "Earlier queries" };
  return (
    <TextField
      label="Earlier queries"
      isLabelHidden
      value=""
      choices={[label, ...queries]}
      onInput={(text) => (text === "" ? undefined : onChoose(text))}
    />
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
