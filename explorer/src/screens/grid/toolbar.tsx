import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { hrefOf, viewOf, withOptions } from "../../state/view.ts";
import { ColumnsDialog } from "./columns-dialog.tsx";
import { CsvDialog } from "./csv-dialog.tsx";
import { FilterDialog } from "./filter-dialog.tsx";
import { filterTargets } from "./filter-targets.ts";
import { GroupDialog } from "./group-dialog.tsx";
import type { GridProps } from "./rows.tsx";

interface ToolbarProps extends GridProps {
  readonly total: number | null;
  /** The path whose filter is open; empty for one to choose, null for none. */
  readonly filtering: string | null;
  readonly onFilter: (path: string | null) => void;
}

/** Shows what changes the query: search, filter, columns, groups; and what makes a file of it. */
export function Toolbar(props: ToolbarProps): JSX.Element {
  const { view, query, columns, filtering, onFilter } = props;
  const [open, setOpen] = useState<"columns" | "group" | "csv" | null>(null);
  const { set, type } = query.place;
  const isApplied = view.options.has("$apply");
  const isEntity = type.kind === "entity";
  const targets = filterTargets(query.place, columns, isApplied);
  const close = (): void => {
    setOpen(null);
  };
  return (
    <div class="grid-tools">
      {isEntity && !isApplied && (set?.abilities.canSearch ?? false) ? <SearchForm {...props} /> : null}
      {targets.length === 0 ? null : (
        <Button
          icon="filter"
          popup="dialog"
          onClick={() => {
            onFilter("");
          }}
        >
          Filter
        </Button>
      )}
      {isApplied || !isEntity ? null : (
        <Button
          icon="columns"
          popup="dialog"
          onClick={() => {
            setOpen("columns");
          }}
        >
          {columns.length < type.properties.size ? `Columns (${columns.length} of ${type.properties.size})` : "Columns"}
        </Button>
      )}
      {set?.abilities.canApply === true ? (
        <Button
          icon="chart"
          popup="dialog"
          onClick={() => {
            setOpen("group");
          }}
        >
          Group
        </Button>
      ) : null}
      <Button
        icon="download"
        popup="dialog"
        onClick={() => {
          setOpen("csv");
        }}
      >
        CSV
      </Button>
      {set?.abilities.canCreate === true && view.path === set.name ? (
        <ButtonLink icon="add" href={hrefOf(viewOf("edit", set.name))}>
          New record
        </ButtonLink>
      ) : null}
      {filtering === null ? null : (
        <FilterDialog
          {...props}
          key={filtering}
          targets={targets}
          path={filtering}
          onClose={() => {
            onFilter(null);
          }}
        />
      )}
      {open === "columns" ? <ColumnsDialog {...props} onClose={close} /> : null}
      {open === "group" && set !== null ? <GroupDialog {...props} set={set} onClose={close} /> : null}
      {open === "csv" ? <CsvDialog {...props} onClose={close} /> : null}
    </div>
  );
}

function SearchForm({ session, view }: GridProps): JSX.Element {
  const [text, setText] = useState(view.options.get("$search") ?? "");
  return (
    <form
      class="grid-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        session.go(withOptions(view, { $search: text.trim() === "" ? null : text.trim(), row: null }));
      }}
    >
      <TextField
        label="Search the rows"
        isLabelHidden
        type="search"
        placeholder="Search the rows"
        value={text}
        onInput={setText}
      />
      <Button type="submit" icon="search" label="Search the rows" />
    </form>
  );
}
