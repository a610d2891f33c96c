import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { LineForm } from "../../parts/line-form.tsx";
import { hrefOf, viewOf, withOptions } from "../../state/view.ts";
import { ColumnsDialog } from "./columns-dialog.tsx";
import { CsvDialog } from "./csv-dialog.tsx";
import { FilterDialog } from "./filter-dialog.tsx";
import { filterTargets } from "./filter-parts.ts";
import type { GridProps } from "./grid-props.ts";
import { GroupDialog } from "./group-dialog.tsx";

interface ToolbarProps extends GridProps {
  readonly total: number | null;
  /** The path whose filter is open; empty for one to choose, null for none. */
  readonly filtering: string | null;
  readonly onFilter: (path: string | null) => void;
}

/** Shows what changes the query: search, filter, columns, groups; and what makes a file of it. */
export function Toolbar(props: ToolbarProps): JSX.Element {
  const { session, view, query, columns, filtering, onFilter } = props;
  const [open, setOpen] = useState<string | null>(null);
  const { set, type } = query.place;
  const isPlain = type.kind === "entity" && !view.options.has("$apply");
  const targets = filterTargets(query.place, columns, view);
  const close = (): void => {
    setOpen(null);
    onFilter(null);
  };
  const some = columns.length < type.properties.size ? ` (${columns.length} of ${type.properties.size})` : "";
  const tools = [
    { icon: "filter", label: "Filter", isShown: targets.length > 0 },
    { icon: "columns", label: "Columns", isShown: isPlain },
    { icon: "chart", label: "Group", isShown: set?.abilities.canApply === true && set.type === type },
    { icon: "download", label: "CSV", isShown: true },
  ] as const;
  const shown = filtering === null ? open : "Filter";
  return (
    <div class="grid-tools">
      {isPlain && set?.abilities.canSearch === true ? (
        <LineForm
          class="grid-search"
          role="search"
          type="search"
          label="Search the rows"
          placeholder="Search the rows"
          first={view.options.get("$search")}
          button={{ icon: "search", label: "Search the rows" }}
          onSubmit={(text) => session.go(withOptions(view, { $search: text === "" ? null : text, row: null }))}
        />
      ) : null}
      {tools.map(({ icon, label, isShown }) =>
        isShown ? (
          <Button key={label} icon={icon} popup="dialog" onClick={() => setOpen(label)}>
            {label}
            {label === "Columns" ? some : ""}
          </Button>
        ) : null,
      )}
      {set?.abilities.canCreate === true && view.path === set.name ? (
        <ButtonLink icon="add" href={hrefOf(viewOf("edit", set.name))}>
          New record
        </ButtonLink>
      ) : null}
      {shown === "Filter" ? <FilterDialog {...props} targets={targets} path={filtering ?? ""} onClose={close} /> : null}
      {shown === "Columns" ? <ColumnsDialog {...props} onClose={close} /> : null}
      {shown === "Group" && set !== null ? <GroupDialog {...props} set={set} onClose={close} /> : null}
      {shown === "CSV" ? <CsvDialog {...props} onClose={close} /> : null}
    </div>
  );
}
