import type { JSX } from "preact";
import { Button } from "../../parts/button.tsx";
import { Popover } from "../../parts/popover.tsx";
import { ColumnFilter } from "../../parts/query-form/column-filter.tsx";
import { conditionsOf, type FilterCondition, type FilterNode, filterOf } from "../../query/filter-tree.ts";
import { isLimited, limitsOf, withLimits } from "../../query/limits.ts";
import { referenceOf } from "../../query/reference.ts";
import { memberAt } from "../../query/resolve-type.ts";
import { type View, withOptions } from "../../state/view.ts";
import { columnWidth, frozenOf, withColumns, withWidth } from "./arranged-columns.ts";
import { ColumnSummary } from "./column-summary.tsx";
import type { Column } from "./columns.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps, OpenMenu } from "./grid-table.tsx";
import { summedColumn, withConditions } from "./summary.ts";

type MenuProps = GridProps & OpenMenu & Readonly<{ columns: readonly Column[]; onClose: () => void }>;

/** Shows what is in a column, filters by it, and arranges it. */
export function HeadingMenu(props: MenuProps): JSX.Element {
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
          reference={referenceOf(session.model, query.place, name)}
          onShow={(next) => show([...others, ...next])}
          {...{ property }}
        />
      )}
      <ColumnTools {...props} />
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

/** Moves, hides, freezes and resizes a column, with keys, too. */
function ColumnTools({ session, view, query, columns, column, onClose }: MenuProps): JSX.Element {
  const at = columns.findIndex(({ name }) => name === column.name);
  const { name, width } = columns[at] ?? column;
  const others = columns.flatMap((each) => (each.name === name ? [] : each.name));
  const frozen = frozenOf(view);
  const move = (to: number): void => {
    session.go(withColumns(query.place, view, others.toSpliced(to, 0, name)));
    session.announce(`${name} is column ${to + 1} of ${columns.length}`);
  };
  const hide = (): void => {
    onClose();
    const kept = at < frozen && view.options.has("frozen") ? withOptions(view, { frozen: `${frozen - 1}` }) : view;
    session.go(withColumns(query.place, kept, others, name));
  };
  const show = (next: View) => (): void => session.go(next, { replace: true });
  const freeze = (count: number) => show(withOptions(view, { frozen: `${count}` }));
  const [wider, narrower] = [columnWidth(width + 2), columnWidth(width - 2)];
  const tools: readonly [text: string, isPossible: boolean, onClick: () => void][] = [
    ["Move left", at > 0, () => move(at - 1)],
    ["Move right", at < others.length, () => move(at + 1)],
    ["Hide", others.length > 0, hide],
    at < frozen ? ["Unfreeze", true, freeze(at)] : ["Freeze", true, freeze(at + 1)],
    ["Wider", wider > width, show(withWidth(view, name, wider))],
    ["Narrower", narrower < width, show(withWidth(view, name, narrower))],
  ];
  return (
    <div class="row column-tools" role="group" aria-label="Column">
      {tools.map(([text, isPossible, onClick], index) => (
        <Button key={index} isIdle={!isPossible} onClick={isPossible ? onClick : undefined}>
          {text}
        </Button>
      ))}
    </div>
  );
}
