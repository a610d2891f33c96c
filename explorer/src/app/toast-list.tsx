import type { JSX } from "preact";
import { Button } from "../parts/button.tsx";
import type { Toasts } from "../state/toasts.ts";

/** Shows short messages, such as of a deletion that can be undone. Screen readers say them as they appear. */
export function ToastList({ toasts }: { readonly toasts: Toasts }): JSX.Element {
  return (
    <div class="toasts" role="status" aria-label="Messages">
      {toasts.list.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <p>{text}</p>
          {action === null ? null : (
            <Button
              onClick={() => {
                toasts.close(id);
                toasts.attempt(action.run);
              }}
            >
              {action.label}
            </Button>
          )}
          <Button kind="quiet" icon="close" label="Close this message" onClick={() => toasts.close(id)} />
        </div>
      ))}
    </div>
  );
}
