import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { ApplyBuilder, Choice } from "../../parts/query-form/apply-builder.tsx";
import { NO_GROUPS, readApply, titleOf, type Total } from "../../query/apply-text.ts";
import { limitsOf, stepsOf } from "../../query/limits.ts";
import { readOrderBy, writeOrderBy } from "../../query/order-by-text.ts";
import { hrefOf, type View } from "../../state/view.ts";
import { changedView } from "./grid-query.ts";
import type { GridProps } from "./grid-table.tsx";

/** Shows groups and totals beside the rows, which change with each choice. */
export function GroupsPanel(props: GridProps & { readonly onClose: () => void }): JSX.Element {
  const { session, view, query, onClose } = props;
  const { steps } = limitsOf(view.options);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const close = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") onClose();
  };
  return (
    <section class="groups-panel" aria-labelledby="groups-panel" onKeyDown={close}>
      <div class="dialog-head">
        <h2 id="groups-panel" ref={title} tabIndex={-1}>
          Groups and totals
        </h2>
        <Button kind="quiet" icon="close" label="Close groups and totals" onClick={onClose} />
      </div>
      {readApply(steps) === null ? (
        <a href={hrefOf({ ...view, screen: "query" })}>Edit these steps as text</a>
      ) : (
        <ApplyBuilder
          model={session.model}
          place={query.place}
          text={steps}
          onChange={(text) => session.go(withSteps(view, text))}
          offer={(total) =>
            steps.includes("groupby(") ? <Sorting key={total.alias} {...props} total={total} /> : null
          }
        />
      )}
    </section>
  );
}

const OFFERS = [
  ["Largest first", ""],
  ["Top 10", "10"],
] as const;

/** Offers to sort the groups by a total. */
function Sorting({ session, view, total }: GridProps & { readonly total: Total }): JSX.Element {
  const key = writeOrderBy([{ path: total.alias, isDescending: true }]);
  return (
    <span class="choices spread">
      {OFFERS.map(([text, rows]) => {
        const isChosen = view.options.get("$orderby") === key && (view.options.get("$top") ?? "") === rows;
        const [order, top] = isChosen ? ["", ""] : [key, rows];
        const pick = (): void => session.go(changedView(view, [...view.options, ["$orderby", order], ["$top", top]]));
        const title = `${text}: ${titleOf(total.method, total.path)}`;
        return <Choice key={text} {...{ text, title, isChosen }} onPick={pick} />;
      })}
    </span>
  );
}

/** Returns a view with other groups and totals. Sort keys that no column has any more go, and the limit with them. */
function withSteps(view: View, text: string): View {
  const isGrouped = view.options.has("$apply");
  const apply = text === "" || !isGrouped ? text : [...stepsOf(limitsOf(view.options)), text].join("/");
  const { dates = [], groupBy, totals } = readApply(text) ?? NO_GROUPS;
  const names = new Set([...groupBy, ...[...dates, ...totals].map(({ alias }) => alias)]);
  const order = view.options.get("$orderby") ?? "";
  const kept = writeOrderBy(readOrderBy(order)?.filter(({ path }) => isGrouped && names.has(path)) ?? []);
  const top = kept === order && isGrouped ? (view.options.get("$top") ?? "") : "";
  return changedView(view, [...view.options, ["$apply", apply], ["$orderby", kept], ["$top", top]]);
}
