import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../parts/button.tsx";
import { type ApplyForm, readApply } from "../../query/apply-text.ts";
import { type FilterNode, NO_FILTER, writeFilter } from "../../query/filter-tree.ts";
import { literalText } from "../../query/literals.ts";
import { operatorFor, operatorsFor } from "../../query/operators.ts";
import { readOrderBy } from "../../query/order-by-text.ts";
import { type View, hrefOf, withOptions } from "../../state/view.ts";
import { partsOf, shapeAt, withParts } from "./filter-parts.ts";
import type { GridProps } from "./grid-props.ts";
import { ungrouped } from "./group-view.ts";

/** Shows what limits and orders the rows: each with a link that removes it. */
export function Chips(props: GridProps & { readonly onFilter: (path: string) => void }): JSX.Element | null {
  const { view } = props;
  const parts = partsOf(view);
  const chips = [
    ...parts.map((part, index) => (
      <Chip
        key={`filter-${index}`}
        without={withParts(
          view,
          parts.filter((other) => other !== part),
        )}
      >
        <Part {...props} part={part} />
      </Chip>
    )),
    ...[...view.options].flatMap(([name, value]) => {
      const text = optionText(name, value);
      return text === null ? (
        []
      ) : (
        <Chip key={name} without={name === "$apply" ? ungrouped(view) : withOptions(view, { [name]: null, row: null })}>
          <a href={hrefOf({ ...view, screen: "query" })}>{text}</a>
        </Chip>
      );
    }),
  ];
  if (chips.length === 0) return null;
  return (
    <ul class="grid-chips" aria-label="What limits the rows">
      {chips}
    </ul>
  );
}

function Chip({ without, children }: { readonly without: View; readonly children: ComponentChildren }): JSX.Element {
  return (
    <li class="grid-chip">
      {children}
      <a class="grid-remove" href={hrefOf(without)} aria-label="Remove" title="Remove">
        <Icon name="close" />
      </a>
    </li>
  );
}

/** A condition opens its form; what the form cannot show leads to the text. */
function Part(
  props: GridProps & { readonly part: FilterNode; readonly onFilter: (path: string) => void },
): JSX.Element {
  const { part, view, query, columns } = props;
  const shape = part.kind === "condition" ? shapeAt(query.place, columns, part.path) : null;
  const operator = shape === null || part.kind !== "condition" ? null : operatorFor(part, operatorsFor(shape));
  if (part.kind !== "condition" || operator === null) {
    return <a href={hrefOf({ ...view, screen: "query" })}>{writeFilter({ ...NO_FILTER, items: [part] })}</a>;
  }
  const values = operator.values === "none" ? "" : ` ${part.values.map(literalText).join(", ")}`;
  return (
    <button type="button" class="grid-edit" onClick={() => props.onFilter(part.path)}>
      {`${part.path} ${operator.label}${values}`}
    </button>
  );
}

/** Returns what an option does, where neither the table nor another part shows it. */
function optionText(name: string, value: string): string | null {
  switch (name) {
    case "$top":
      return `First ${value} rows`;
    case "$skip":
      return `Without the first ${value} rows`;
    case "$search":
      return `Search: ${value}`;
    case "$compute":
      return `Computed: ${value}`;
    case "$orderby":
      return readOrderBy(value) === null ? `Sorted by ${value}` : null;
    case "$apply": {
      const form = readApply(value);
      return form === null ? `Totals: ${value}` : groupText(form);
    }
    default:
      return null;
  }
}

function groupText({ filter, groupBy, totals, limit }: ApplyForm): string {
  const groups = groupBy.length === 0 ? "One total of all" : `Grouped by ${groupBy.join(", ")}`;
  const columns = totals.length === 0 ? "" : `: ${totals.map(({ alias }) => alias).join(", ")}`;
  const rows = filter === "" ? "" : ` where ${filter}`;
  const most = limit === null ? "" : `, ${limit.end} ${limit.count} by ${limit.by}`;
  return groups + columns + rows + most;
}
