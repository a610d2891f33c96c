import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CsvFile, MAX_CSV_ROWS } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/loadable.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { type Loaded, type Loading, useLoaded } from "../../state/use-loaded.ts";
import { pathSegments } from "../../state/view.ts";
import { typeOf } from "./column.ts";
import { type GridProps, rowsText } from "./grid-props.ts";
import { readPage } from "./use-rows.ts";

const CSV_PAGE = 1000;

type CsvProps = GridProps & { readonly total: number | null; readonly onClose: () => void };

/** Makes a file of all rows of the query, page by page, and shows how far it is. */
export function CsvDialog(props: CsvProps): JSX.Element {
  const { total, view, onClose } = props;
  const { file, rows, loading } = useCsv(props);
  const { state, stop } = loading;
  const name = `${pathSegments(view.path).at(-1)?.replace(/\(.*/su, "") ?? "rows"}.csv`;
  const save = (): void => saveFile(file.toBlob(), name);
  const isReading = state.kind === "loading";
  useEffect(() => {
    if (state.kind === "loaded") save();
  }, [state.kind]);
  return (
    <Dialog
      title={`Rows as ${name}`}
      onClose={onClose}
      actions={
        isReading ? (
          <Button onClick={stop}>Stop</Button>
        ) : (
          <>
            {rows === 0 ? null : (
              <Button onClick={save}>Save {state.kind === "loaded" ? "again" : "these rows"}</Button>
            )}
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </>
        )
      }
    >
      <div class="stack" role="status">
        {isReading ? (
          <progress
            class="grid-progress"
            aria-label="Rows"
            max={Math.min(total ?? MAX_CSV_ROWS, MAX_CSV_ROWS)}
            value={rows}
          />
        ) : null}
        <p>{sentenceOf(state, rows, total)}</p>
      </div>
      {state.kind === "failed" ? <Failure error={state.error} /> : null}
    </Dialog>
  );
}

function sentenceOf(state: Loaded<boolean>, count: number, total: number | null): string {
  const rows = rowsText(count);
  const of = total === null ? "" : ` of ${showValue(total, null).text}`;
  const most = showValue(MAX_CSV_ROWS, null).text;
  const isMore = total !== null && total > MAX_CSV_ROWS;
  switch (state.kind) {
    case "loading":
      return `${rows}${of} read.${isMore ? ` The file will have the first ${most}.` : ""}`;
    case "stopped":
      return `You stopped after ${rows}${of}. The other rows are missing.`;
    case "failed":
      return `${rows}${of} were read. The other rows are missing.`;
    case "loaded":
      return state.value
        ? `The file was saved with ${rows}.`
        : `The file was saved with the first ${rows}${of}. The other rows are missing: a file has ${most} rows at most. Filter the rows to get them in parts.`;
  }
}

interface CsvRun {
  readonly file: CsvFile;
  readonly rows: number;
  /** Loads whether the file has all rows. */
  readonly loading: Loading<boolean>;
}

/** Reads the rows from the first on, for as long as the dialog is open. */
function useCsv({ session, query, columns }: CsvProps): CsvRun {
  const [file] = useState(
    () => new CsvFile(columns.map((column) => ({ title: column.name, path: column.path, type: typeOf(column) }))),
  );
  const [rows, setRows] = useState(0);
  const loading = useLoaded("", async (signal) => {
    for (let target: string | null = query.plain; target !== null;) {
      const page = await readPage(session.client, target, signal, CSV_PAGE);
      const isCut = file.append(page.rows) < page.rows.length;
      setRows(file.rows);
      target = page.nextLink;
      if (isCut || (file.isFull && target !== null)) return false;
    }
    return true;
  });
  return { file, rows, loading };
}
