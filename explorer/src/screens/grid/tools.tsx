import type { JSX, TargetedEvent } from "preact";
import { useState } from "preact/hooks";
import { CsvFile } from "../../format/csv.ts";
import { showValue } from "../../format/show-value.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loadable } from "../../parts/loadable.tsx";
import { QueryOptions } from "../../parts/query-form/columns-builder.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { pathSegments } from "../../state/path-segments.ts";
import type { ScreenProps } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { cellNode, type Column } from "./columns.ts";
import { changedView, conditionsOf, filterOf, gridQuery, type GridQuery, type Options } from "./grid-query.ts";
import { type Page, readPage } from "./paged-rows.ts";

/** What the parts of a grid get. */
export interface GridProps extends ScreenProps {
  readonly query: GridQuery;
  /** Opens the form of the query, with options that it begins with. */
  readonly onEdit: (begun?: Options) => void;
}

/** Shows what changes the query, and what makes a file of its rows. */
export function Tools(props: GridProps & { readonly columns: readonly Column[] }): JSX.Element {
  const { view, query, onEdit } = props;
  const { set } = query.place;
  const [isSaving, setSaving] = useState(false);
  return (
    <div class="grid-tools">
      <Button icon="filter" popup="dialog" onClick={() => onEdit()}>
        Filter, sort, group, columns
      </Button>
      <Button icon="download" popup="dialog" onClick={() => setSaving(true)}>
        CSV
      </Button>
      {set?.abilities.canCreate === true && view.path === set.name ? (
        <ButtonLink icon="add" href={hrefOf(viewOf("edit", set.name))}>
          New record
        </ButtonLink>
      ) : null}
      {isSaving ? <CsvDialog {...props} onClose={() => setSaving(false)} /> : null}
    </div>
  );
}

const LIMITS = /^\$(?:search|compute|apply|orderby|skip|top)$/u;

/** Shows what limits and orders the rows: each with a link that removes it. */
export function Chips({ view, onEdit }: GridProps): JSX.Element | null {
  const { options } = view;
  const conditions = conditionsOf(options.get("$filter"));
  const chips = [
    ...conditions.map((each, at) => [filterOf([each]), "$filter", filterOf(conditions.toSpliced(at, 1))] as const),
    ...[...options]
      .filter(([name]) => LIMITS.test(name))
      .map(([name, text]) => [`${name.slice(1)}: ${text}`, name, ""] as const),
  ];
  return chips.length === 0 ? null : (
    <ul class="grid-chips" aria-label="What limits the rows">
      {chips.map(([text, name, others]) => (
        <li key={text} class="grid-chip">
          <button type="button" onClick={() => onEdit()}>
            {text}
          </button>
          <a
            class="grid-remove"
            href={hrefOf(changedView(view, [...options, [name, others]]))}
            aria-label={`Remove ${text}`}
          >
            <Icon name="close" />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Shows a form for the query. What it says holds once the reader shows the rows. */
export function QueryDialog(props: GridProps & { readonly begun: Options; readonly onClose: () => void }): JSX.Element {
  const { session, view, query, begun, onClose } = props;
  const [options, setOptions] = useState<Options>(() => new Map([...view.options, ...begun]));
  const show = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wrong = event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]");
    wrong?.focus();
    if (wrong !== null) return;
    onClose();
    session.go(changedView(view, options));
  };
  const form = { model: session.model, place: query.place, options, onChange: setOptions, expandOf: cellNode };
  return (
    <Dialog title="Filter, sort, group, columns" onClose={onClose}>
      <form class="stack grid-form" onSubmit={show}>
        <QueryOptions {...form} />
        <div class="dialog-actions">
          <Button kind="primary" type="submit">
            Show
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Writes a number of rows for a reader. */
export function rowsText(count: number): string {
  return `${showValue(count, null).text} ${count === 1 ? "row" : "rows"}`;
}

const CSV_PAGE = 1000;

/** Makes a file of all rows of a query, page by page, and saves it. */
function CsvDialog(
  props: GridProps & { readonly columns: readonly Column[]; readonly onClose: () => void },
): JSX.Element {
  const { session, view, columns, query, onClose } = props;
  const name = `${pathSegments(view.path).at(-1)?.replace(/\(.*/su, "") ?? "rows"}.csv`;
  const [read, setRead] = useState(0);
  const first = (gridQuery(session.model, view, false) ?? query).first;
  const loading = useLoaded(first, async (signal) => {
    const file = new CsvFile(
      columns.map((column) => ({ ...column, title: column.name })),
      { hasMark: true },
    );
    let [next, isWhole]: [string | null, boolean] = [first, true];
    while (next !== null && isWhole) {
      const page: Page = await readPage(session.client, next, signal, CSV_PAGE);
      isWhole = file.append(page.rows) === page.rows.length && !(file.isFull && page.nextLink !== null);
      next = page.nextLink;
      setRead(file.rows);
    }
    saveFile(file.toBlob(), name);
    return isWhole
      ? ""
      : " The other rows are missing, since a file has no more. Filter the rows to get them in parts.";
  });
  return (
    <Dialog title={`Rows as ${name}`} onClose={onClose}>
      <Loadable loading={loading} label={`${rowsText(read)} read`} lines={0}>
        {(rest) => <p role="status">{`The file was saved with ${rowsText(read)}.${rest}`}</p>}
      </Loadable>
    </Dialog>
  );
}
