import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { writeOdc, writePbids } from "../../../src/payload/connection-files.ts";
import { COPY_FORMS, type CopiedQuery } from "../copy/copied-query.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { saveFile } from "../parts/save-file.ts";
import type { ScreenProps } from "../state/session.ts";
import { hrefOf } from "../state/view.ts";

/** A text that the clipboard did not take. */
interface Refused {
  readonly label: string;
  readonly text: string;
}

/** Shows a menu that copies the query of a view in the language of another tool. */
export function CopyMenu({ session, view }: ScreenProps): JSX.Element {
  const [refused, setRefused] = useState<Refused | null>(null);
  const copy = (label: string, text: string): void => {
    copyText(text).then(
      () => {
        session.toasts.show(`Copied: ${label}`);
      },
      () => setRefused({ label, text }),
    );
  };
  const query = copiedQuery({ session, view });
  return (
    <>
      <Menu
        label="Copy as"
        icon="copy"
        items={[
          ...Object.entries(COPY_FORMS).map(([label, write]) => ({
            label,
            onSelect: () => copy(label, write(query)),
          })),
          ...fileItems(session, query),
          {
            label: "Link to this view",
            onSelect: () => copy("link", new URL(hrefOf(view), location.href).href),
          },
        ]}
      />
      {refused === null ? null : <RefusedText {...refused} onClose={() => setRefused(null)} />}
    </>
  );
}

function copiedQuery({ session, view }: ScreenProps): CopiedQuery {
  return {
    root: session.client.root,
    path: view.path,
    options: new Map([...view.options].filter(([name]) => /^[$@]/u.test(name))),
    headers: { Accept: "application/json", ...session.credentials.headers },
  };
}

/** Files of the service where it offers them, otherwise files that the page makes. */
function fileItems({ about, client, model }: ScreenProps["session"], query: CopiedQuery): readonly MenuItem[] {
  const title = about.title ?? model.title;
  const name = title.replaceAll(/[^\p{L}\p{N} _-]/gu, "_");
  const files = about.connectionFiles;
  const item = (label: string, path: string | undefined, ending: string, write: () => string): MenuItem => ({
    label: `${label} file (.${ending})`,
    icon: "download",
    onSelect: () =>
      path === undefined ? saveFile(new Blob([write()]), `${name}.${ending}`) : location.assign(client.urlOf(path)),
  });
  return [
    item("Excel", files?.excel, "odc", () => writeOdc(query.root, title)),
    item("Power BI", files?.powerBi, "pbids", () => writePbids(query.root)),
  ];
}

/** The clipboard is missing in pages of HTTP, and users may forbid it. */
async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard === undefined) throw new Error("This page has no clipboard.");
  await clipboard.writeText(text);
}

function RefusedText({ label, text, onClose }: Refused & { readonly onClose: () => void }): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    area.current?.focus();
    area.current?.select();
  }, []);
  return (
    <Dialog title={`Copy: ${label}`} onClose={onClose}>
      <p class="field-hint">
        The browser does not let the page copy. The text is selected: copy it with your keyboard.
      </p>
      <textarea ref={area} class="input code copy-text" readOnly rows={12} aria-label={label} value={text} />
    </Dialog>
  );
}
