import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "../../client/service-error.ts";
import { CsvFile, MAX_CSV_ROWS } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { pathSegments } from "../../state/path-segments.ts";
import { typeOf } from "./column.ts";
import { type GridProps, rowsText } from "./grid-props.ts";
import { readPage } from "./use-rows.ts";

const CSV_PAGE = 1000;

type CsvState =
  | { readonly kind: "reading" | "stopped" }
  | { readonly kind: "done"; readonly isWhole: boolean }
  | { readonly kind: "failed"; readonly error: unknown };

type CsvProps = GridProps & { readonly total: number | null; readonly onClose: () => void };

/** Makes a file of all rows of the query, page by page, and shows how far it is. */
export function CsvDialog(props: CsvProps): JSX.Element {
  const { total, view, onClose } = props;
  const { file, rows, state, stop } = useCsv(props);
  const name = `${pathSegments(view.path).at(-1)?.replace(/\(.*/su, "") ?? "rows"}.csv`;
  const save = (): void => {
    saveFile(file.toBlob(), name);
  };
  const isReading = state.kind === "reading";
  useEffect(() => {
    if (state.kind === "done") save();
  }, [state.kind]);
  return (
    <Dialog
      title={`Rows as ${name}`}
      onClose={onClose}
      actions={
        <>
          {isReading ? <Button onClick={stop}>Stop</Button> : null}
          {isReading || rows === 0 ? null : (
            <Button onClick={save}>Save {state.kind === "done" ? "again" : "these rows"}</Button>
          )}
          {isReading ? null : (
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          )}
        </>
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

function sentenceOf(state: CsvState, rows: number, total: number | null): string {
  const of = total === null ? "" : ` of ${showValue(total, null).text}`;
  switch (state.kind) {
    case "reading": {
      const isMore = total !== null && total > MAX_CSV_ROWS;
      return `${rowsText(rows)}${of} read.${isMore ? ` The file will have the first ${showValue(MAX_CSV_ROWS, null).text}.` : ""}`;
    }
    case "stopped":
      return `You stopped after ${rowsText(rows)}${of}. The other rows are missing.`;
    case "failed":
      return `${rowsText(rows)}${of} were read. The other rows are missing.`;
    case "done":
      return state.isWhole
        ? `The file was saved with ${rowsText(rows)}.`
        : `The file was saved with the first ${rowsText(rows)}${of}. The other rows are missing: a file has ${showValue(MAX_CSV_ROWS, null).text} rows at most. Filter the rows to get them in parts.`;
  }
}

interface CsvRun {
  readonly file: CsvFile;
  readonly rows: number;
  readonly state: CsvState;
  readonly stop: () => void;
}

/** Reads the rows from the first on, for as long as the dialog is open. */
function useCsv({ session, query, columns }: CsvProps): CsvRun {
  const [file] = useState(
    () =>
      new CsvFile(
        columns.map((column) => ({ title: column.name, path: column.path, type: typeOf(column) })),
        { hasMark: true },
      ),
  );
  const [rows, setRows] = useState(0);
  const [state, setState] = useState<CsvState>({ kind: "reading" });
  const controller = useRef(new AbortController());
  useEffect(() => {
    const { signal } = controller.current;
    const read = async (): Promise<boolean> => {
      for (let target: string | null = query.plain; target !== null;) {
        const page = await readPage(session.client, target, signal, CSV_PAGE);
        const isCut = file.append(page.rows) < page.rows.length;
        setRows(file.rows);
        target = page.nextLink;
        if (isCut || (file.isFull && target !== null)) return false;
      }
      return true;
    };
    read().then(
      (isWhole) => setState({ kind: "done", isWhole }),
      (error: unknown) => setState(isAbort(error) ? { kind: "stopped" } : { kind: "failed", error }),
    );
    return () => controller.current.abort();
  }, []);
  return {
    file,
    rows,
    state,
    stop: () => controller.current.abort(),
  };
}
