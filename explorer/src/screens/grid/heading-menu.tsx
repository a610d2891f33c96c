import type { JSX } from "preact";
import { Popover } from "../../parts/popover.tsx";
import { ColumnFilter } from "../../parts/query-form/column-filter.tsx";
import { conditionsOf, type FilterCondition, type FilterNode, filterOf } from "../../query/filter-tree.ts";
import { isLimited, limitsOf, withLimits } from "../../query/limits.ts";
import { memberAt } from "../../query/resolve-type.ts";
import { ColumnSummary } from "./column-summary.tsx";
import { changedView } from "./grid-query.ts";
import type { GridProps, OpenMenu } from "./grid-table.tsx";
import { summedColumn, withConditions } from "./summary.ts";

/** Shows what is in a column, and filters by it. */
export function HeadingMenu(props: GridProps & OpenMenu & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, column, anchor, onClose } = props;
  const { name } = column;
  const property = memberAt(query.place.type, name)?.property;
  const all = conditionsOf(limitsOf(view.options).filter);
  const isOwn = (each: (typeof all)[number]): each is FilterCondition =>
    each.kind === "condition" && each.path === name;
  const own = all.filter(isOwn);
  // No filter finds the first rows of a query.
  const canPick = column.isFilterable && !isLimited(view.options);
  const summed = summedColumn(query.place, column);
  const others = all.filter((each) => !isOwn(each));
  const show = (items: readonly FilterNode[]): void => {
    onClose();
    session.go(changedView(view, withLimits(view.options, { filter: filterOf(items) })));
  };
  return (
    <Popover title={name} {...{ anchor, onClose }}>
      {property === undefined || !column.isFilterable ? null : (
        <ColumnFilter
          path={name}
          zone={session.zone.value}
          conditions={own}
          onShow={(next) => show([...others, ...next])}
          {...{ property }}
        />
      )}
      {summed === null ? (
        <p class="dim">The set permits no totals of these values.</p>
      ) : (
        <ColumnSummary
          {...props}
          summed={summed}
          onPick={canPick ? (picked) => show(withConditions(all, picked)) : null}
        />
      )}
    </Popover>
  );
}
