import type { JSX } from "preact";

/** Shows what the model says of something; nothing if it says nothing. */
export function Description({ text }: { readonly text: string | null }): JSX.Element | null {
  return text === null ? null : (
    <p class="dim measure" dir="auto">
      {text}
    </p>
  );
}
