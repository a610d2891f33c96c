import type { JSX } from "preact";
import { rowsIn } from "../../client/service-client.ts";
import { pageLocale } from "../../format/locale.ts";
import { countText, showValue } from "../../format/show-value.ts";
import { labelText } from "../../model/label-properties.ts";
import { Loadable } from "../../parts/loadable.tsx";
import type { FilterCondition } from "../../query/filter-tree.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { resourceUrl } from "../../state/view.ts";
import type { Column, Row } from "./columns.ts";
import type { GridProps } from "./grid-table.tsx";
import { type Counted, readSummary, type SummedColumn, type Summary, summarySteps } from "./summary.ts";

interface SummaryProps extends GridProps {
  readonly column: Column;
  readonly summed: SummedColumn;
  /** Chooses rows by a value; null where the set permits no filter. */
  readonly onPick: ((conditions: readonly FilterCondition[]) => void) | null;
}

/** Shows what is in a column, as totals of the service. */
export function ColumnSummary(props: SummaryProps): JSX.Element {
  const { session, view, column, summed, onPick } = props;
  const chosen = summarySteps(view.options);
  const aliases = [...view.options].filter(([name]) => name.startsWith("@"));
  const loading = useLoaded(`${view.path} ${column.name} ${JSON.stringify(chosen)}`, (signal) =>
    readSummary(summed, async (parallel) => {
      const steps = parallel.length === 1 ? parallel : [`concat(${parallel.join(",")})`];
      const options = new Map([...aliases, ["$apply", [...chosen, ...steps].join("/")] as const]);
      const { body } = await session.client.get(resourceUrl({ path: view.path, options }), { signal });
      return rowsIn(body).filter((row): row is Row => typeof row === "object" && row !== null);
    }),
  );
  const shown = (value: unknown): string =>
    showValue(value, column.isIdentifier ? null : column.type, undefined, { zone: session.zone.value }).text;
  const textOf = ({ value, until, row }: Counted): string => {
    const label = column.navigation === null ? null : labelText(column.label, row[column.navigation.name]);
    if (until !== undefined) return `${shown(value)} – ${shown(until)}`;
    return value === null ? "null" : [shown(value), label ?? []].flat().join(" ");
  };
  return (
    <Loadable loading={loading} label={`Summing up ${column.name}`} lines={4}>
      {(summary) => (
        <>
          <p>{factsText(summary, shown)}</p>
          <Bars name="Ranges of values" items={summary.ranges} {...{ textOf, onPick }} />
          <Bars name="Most frequent values" items={summary.values} {...{ textOf, onPick }} />
        </>
      )}
    </Loadable>
  );
}

function factsText({ rows, empty, different, least, greatest }: Summary, shown: (value: unknown) => string): string {
  const share = new Intl.NumberFormat(pageLocale(), { style: "percent", maximumFractionDigits: 1 }).format(
    empty / rows,
  );
  const none = empty === 0 ? "none null" : `${showValue(empty, null).text} null (${share})`;
  const range = least === null ? "" : ` · from ${shown(least)} to ${shown(greatest)}`;
  return `${countText(rows, "row")} · ${none} · ${countText(different, "different value")}${range}`;
}

/** Shows how often values occur, each as a bar that chooses its rows. */
function Bars(props: {
  readonly name: string;
  readonly items: readonly Counted[];
  readonly textOf: (item: Counted) => string;
  readonly onPick: SummaryProps["onPick"];
}): JSX.Element | null {
  const { name, items, textOf, onPick } = props;
  const most = Math.max(1, ...items.map(({ count }) => count));
  return items.length === 0 ? null : (
    <ul class="summary-bars" aria-label={name}>
      {items.map((item, at) => (
        <li key={at}>
          <button
            type="button"
            disabled={onPick === null || item.conditions.length === 0}
            onClick={() => onPick?.(item.conditions)}
          >
            <span class="summary-bar" style={{ width: `${(item.count / most) * 100}%` }} />
            <span class="summary-text">{textOf(item)}</span>
            <span class="summary-count">{showValue(item.count, null).text}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
