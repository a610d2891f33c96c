import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { SelectField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import { type QueryText, readQueryText, writeQueryText } from "../../query/option-text.ts";
import { resolvePath } from "../../query/resolve-type.ts";
import { resourceUrl } from "../../state/resource-url.ts";
import type { ScreenProps } from "../../state/session.ts";
import type { View } from "../../state/view.ts";
import { QueryEditor } from "./query-editor.tsx";
import { faultIn, textOf, withText } from "./query-view.ts";
import { Excerpt, Result } from "./result.tsx";

/** Asks: a query as text and as a form, which edit each other, and its first rows. */
export function Query({ session, view }: ScreenProps): JSX.Element {
  const { root } = session.client;
  const field = useRef<HTMLTextAreaElement>(null);
  const own = useRef<View | null>(null);
  const [text, setText] = useState(textOf(view));
  const [sent, setSent] = useState<{ readonly view: View | null; readonly round: number }>({ view: null, round: 0 });
  const meant = withText(view, text, root);
  const isSettled = resourceUrl(meant) === resourceUrl(view);
  const fault = faultIn(text, root);
  const send = (next: View): void => setSent(({ round }) => ({ view: next, round: round + 1 }));
  const settle = (): void => {
    if (isSettled) return;
    own.current = meant;
    // A query that was sent stays in the history.
    session.go(meant, { replace: view !== sent.view });
  };
  const run = (): void => {
    settle();
    if (fault === null) return send(meant);
    field.current?.focus();
    field.current?.setSelectionRange(fault.position, fault.position);
    return session.announce(fault.message);
  };
  useEffect(() => {
    if (own.current === view) return;
    setText(textOf(view));
    if (faultIn(textOf(view), root) === null) send(view);
  }, [view]);
  // What is being written is no fault yet.
  const shown = isSettled && text.trim() !== "" ? fault : null;
  return (
    <div class="query" onFocusOut={settle}>
      <Heading>Query</Heading>
      <div class="query-panes">
        <section class="query-text" aria-label="Text">
          <QueryEditor {...{ session, field, text }} error={shown?.message ?? null} onInput={setText} onRun={run} />
          {shown === null ? null : <Excerpt text={text} position={shown.position} />}
          <div class="row">
            <Button kind="primary" onClick={run}>
              Run
            </Button>
            {sent.view === null || resourceUrl(sent.view) === resourceUrl(meant) ? null : (
              <span class="dim small">The result below is of an earlier text.</span>
            )}
          </div>
          {sent.view === null ? (
            <Empty title="Ask this service">
              <p>Write the name of a set, or choose one in the form. The first rows appear here.</p>
            </Empty>
          ) : (
            <Result key={sent.round} session={session} view={sent.view} />
          )}
        </section>
        <Builder
          {...{ session, view }}
          query={readQueryText(text, root)}
          onChange={(next) => setText(writeQueryText(next))}
        />
      </div>
    </div>
  );
}

/** Edits a query as a form: of each option what the set permits. */
function Builder({
  session,
  query,
  onChange,
}: ScreenProps & {
  readonly query: QueryText;
  readonly onChange: (query: QueryText) => void;
}): JSX.Element {
  const { model } = session;
  const { path, options } = query;
  const place = resolvePath(model, path);
  const sets = [...model.sets.keys()].map((name) => ({ value: name, label: name }));
  const other = { value: path, label: path === "" ? "Choose a set" : `Another path: ${path}` };
  return (
    <section class="query-form" aria-label="Form">
      <SelectField
        label="Set"
        value={path}
        choices={model.sets.has(path) ? sets : [other, ...sets]}
        onChange={(name) => onChange({ path: name, options: new Map() })}
      />
      {place === null ? (
        <p class="dim">The form appears with a set of the model. Write the options of other paths as text.</p>
      ) : (
        <QueryOptions
          key={path}
          {...{ model, place, options }}
          onChange={(next) => onChange({ path, options: next })}
        />
      )}
    </section>
  );
}
