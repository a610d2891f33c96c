import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { copyAsOdc, copyAsPbids } from "../copy/connection-files.ts";
import type { CopiedQuery } from "../copy/copied-query.ts";
import { copyAsCurl } from "../copy/curl.ts";
import { copyAsFetch } from "../copy/fetch.ts";
import { copyAsODataQuery } from "../copy/odata-query.ts";
import { copyAsPowerQuery } from "../copy/power-query.ts";
import { copyAsPowerShell } from "../copy/powershell.ts";
import { copyAsUi5 } from "../copy/ui5.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { saveFile } from "../parts/save-file.ts";
import type { ScreenProps } from "../state/session.ts";

/** The forms of a query, by their names. */
const FORMS: Readonly<Record<string, (query: CopiedQuery) => string>> = {
  "curl (bash)": copyAsCurl,
  "curl (PowerShell)": copyAsPowerShell,
  fetch: copyAsFetch,
  "Power Query M": copyAsPowerQuery,
  "UI5 binding": copyAsUi5,
  "odata-query": copyAsODataQuery,
  "Link to this view": () => location.href,
};

/** Files that open the service, by their endings. */
const FILES: Readonly<Record<string, (query: CopiedQuery, title: string) => string>> = {
  odc: copyAsOdc,
  pbids: copyAsPbids,
};

/** Shows a button for a dialog that copies the query of a view in the language of another tool. */
export function CopyAs(props: ScreenProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="copy" popup="dialog" onClick={() => setOpen(true)}>
        Copy as
      </Button>
      {isOpen ? <CopyDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const REFUSED = "The browser does not let the page copy. The text is selected: copy it with your keyboard.";

function CopyDialog(props: ScreenProps & { readonly onClose: () => void }): JSX.Element {
  const { client, credential, about } = props.session;
  const { path, options } = props.view;
  const [copied, setCopied] = useState({ text: "", note: "" });
  const query: CopiedQuery = {
    root: client.root,
    path,
    options: new Map([...options].filter(([name]) => /^[$@]/u.test(name))),
    headers: { Accept: "application/json", ...credential.value?.headers },
  };
  const copy = async (label: string, text: string): Promise<void> => {
    // Pages of HTTP have no clipboard, and users may forbid it.
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setCopied({ text, note: isCopied ? `Copied: ${label}` : REFUSED });
  };
  return (
    <Dialog title="Copy as" onClose={props.onClose}>
      <div class="row">
        {Object.entries(FORMS).map(([label, write], index) => (
          <Button key={label} autofocus={index === 0} onClick={() => void copy(label, write(query))}>
            {label}
          </Button>
        ))}
        {Object.entries(FILES).map(([ending, write]) => (
          <Button
            key={ending}
            icon="download"
            onClick={() => saveFile(new Blob([write(query, about.title)]), `${about.title}.${ending}`)}
          >
            {`.${ending}`}
          </Button>
        ))}
      </div>
      <p role="status">{copied.note}</p>
      {copied.text === "" ? null : (
        <textarea
          ref={(area) => area?.select()}
          class="input code copy-text"
          readOnly
          rows={8}
          aria-label={copied.note}
          value={copied.text}
        />
      )}
    </Dialog>
  );
}
