import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import { writeQueryText } from "../../query/option-text.ts";
import type { ScreenProps } from "../../state/session.ts";
import { Builder } from "./builder.tsx";
import { QueryEditor } from "./query-editor.tsx";
import { ShownFault } from "./query-fault.tsx";
import { faultIn } from "./query-view.ts";
import { Result } from "./result.tsx";
import { useDraft } from "./use-draft.ts";

/** Asks: a query as text and as a form, which edit each other, and its first rows. */
export function Query({ session, view }: ScreenProps): JSX.Element {
  const draft = useDraft({ session, view });
  const field = useRef<HTMLTextAreaElement>(null);
  // What is being written is no fault yet.
  const fault = draft.isSettled && draft.text.trim() !== "" ? faultIn(draft.text, session.client.root) : null;
  const goTo = (position: number): void => {
    const [word = ""] = /^[\p{L}\p{N}_$]*/u.exec(draft.text.slice(position)) ?? [];
    field.current?.focus();
    field.current?.setSelectionRange(position, position + word.length);
  };
  const run = (): void => {
    const found = faultIn(draft.text, session.client.root);
    if (found === null) return draft.send();
    draft.settle();
    goTo(found.position);
    return session.announce(found.message);
  };
  return (
    <div class="query">
      <Heading>Query</Heading>
      <div class="query-panes">
        <section class="query-text" aria-label="Text">
          <QueryEditor {...{ session, draft, field, isFaulty: fault !== null, onRun: run }} />
          {fault === null ? null : <ShownFault text={draft.text} fault={fault} onGo={() => goTo(fault.position)} />}
          <div class="row">
            <Button kind="primary" onClick={run}>
              Run
            </Button>
            {draft.sent !== null && draft.sent.text !== draft.text ? (
              <span class="dim small">The result below is of an earlier text.</span>
            ) : null}
          </div>
          {draft.sent === null ? (
            <Empty title="Ask this service">
              <p>Write the name of a set, or choose one in the form. The first rows appear here.</p>
            </Empty>
          ) : (
            <Result session={session} sent={draft.sent} onGo={goTo} />
          )}
        </section>
        <Builder
          session={session}
          view={draft.view}
          onChange={(path, options) => draft.change(writeQueryText({ path, options }))}
        />
      </div>
    </div>
  );
}
