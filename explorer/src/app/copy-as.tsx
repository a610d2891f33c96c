import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { writeOdc, writePbids } from "../../../src/payload/connection-files.ts";
import { COPY_FORMS, type CopiedQuery } from "../copy/copied-query.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { saveFile } from "../parts/save-file.ts";
import type { ScreenProps } from "../state/session.ts";
import { sentOptions } from "../state/view.ts";

/** Files that open the service in Excel and Power BI, by their endings. They name its root without the slash. */
const FILES = { odc: writeOdc, pbids: writePbids } as const;

/** Shows a button for a dialog that copies the query of a view in the language of another tool. */
export function CopyAs({ session, view: { path, options } }: ScreenProps): JSX.Element {
  const { client, credential, about, toasts } = session;
  /** Null while the dialog is closed; otherwise the text that the clipboard refused, if any. */
  const [refused, setRefused] = useState<string | null>(null);
  const query: CopiedQuery = {
    root: client.root,
    path,
    options: sentOptions(options),
    headers: { Accept: "application/json", ...credential.value?.headers },
  };
  const copy = async (label: string, text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setRefused(null);
      toasts.show(`Copied: ${label}`);
    } catch {
      // Pages of HTTP have no clipboard, and users may forbid it.
      setRefused(text);
    }
  };
  const forms = { ...COPY_FORMS, "Link to this view": () => location.href };
  const texts = Object.entries(forms).map(([label, write], index) => (
    <Button key={label} autofocus={index === 0} onClick={() => void copy(label, write(query))}>
      {label}
    </Button>
  ));
  const files = Object.entries(FILES).map(([ending, write]) => {
    const [name, content] = [`${about.title}.${ending}`, write(client.root.slice(0, -1), about.title)];
    return (
      <Button key={ending} icon="download" onClick={() => saveFile(new Blob([content]), name)}>
        {name}
      </Button>
    );
  });
  return (
    <>
      <Button icon="copy" popup="dialog" onClick={() => setRefused("")}>
        Copy as
      </Button>
      {refused === null ? null : (
        <Dialog title="Copy as" onClose={() => setRefused(null)}>
          {refused === "" ? (
            <div class="row">{[...texts, ...files]}</div>
          ) : (
            <div class="stack">
              <p>The browser does not let the page copy. The text is selected: copy it with your keyboard.</p>
              <textarea
                ref={focusText}
                class="input code copy-text"
                readOnly
                aria-label="Text to copy"
                value={refused}
              />
            </div>
          )}
        </Dialog>
      )}
    </>
  );
}

function focusText(area: HTMLTextAreaElement | null): void {
  area?.focus();
  area?.select();
}
