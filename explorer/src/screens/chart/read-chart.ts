import { valueAt } from "../../format/csv.ts";
import { dayOf, daysOf, type Zone } from "../../format/zone.ts";
import { totalOf } from "../../query/exact-total.ts";
import type { View } from "../../state/view.ts";
import { type ChartChoice, COUNT } from "./chart-choice.ts";
import { type ChartPlan, planOf, type PlanRequest } from "./chart-plan.ts";

/** The most rows that a chart reads. */
export const MOST = 2000;

/** The rows of a chart, and the zone of its calendar. */
export interface ChartRows {
  readonly rows: readonly unknown[];
  readonly zone: Zone;
}

/**
 * Reads the rows of a chart. The service does not know when the clock of the reader changes: if there are more rows than the page
 * reads, the service groups them all in UTC.
 * @param read returns the rows of a view, and one more than the most if there are more
 */
export async function readChart(
  request: PlanRequest,
  read: (view: View) => Promise<readonly unknown[]>,
): Promise<ChartRows> {
  const { zone } = request;
  const plan = planOf(request);
  const rows = await read(plan.view);
  if (plan.totals === null) return { rows, zone };
  if (!isCut(plan, rows)) return { rows: groupRows(rows, plan, request.choice.method), zone };
  const inUtc = planOf({ ...request, zone: "UTC" });
  return inUtc.totals === null ? { rows: await read(inUtc.view), zone: "UTC" } : { rows, zone };
}

/** Returns whether the page would make totals of a part of the rows, which are no totals of the period. */
export function isCut({ totals }: ChartPlan, rows: readonly unknown[]): boolean {
  return totals !== null && rows.length > MOST;
}

/** Makes the rows that the service would make if it knew the zone: for each period its first day, its totals, and the number of its rows. */
export function groupRows(
  rows: readonly unknown[],
  { dates, zone, totals }: ChartPlan,
  method: ChartChoice["method"],
): readonly unknown[] {
  const groups = new Map<string, unknown[]>();
  const [date] = dates;
  for (const row of rows) {
    const value = valueAt(row, date?.path.split("/") ?? []);
    const instant = new Date(typeof value === "string" ? value : Number.NaN);
    const isThere = date !== undefined && !Number.isNaN(instant.getTime());
    const [first = ""] = isThere ? daysOf(date.unit, dayOf(instant, date.of === "date" ? "UTC" : zone)) : [];
    const own = groups.get(first) ?? [];
    own.push(row);
    groups.set(first, own);
  }
  return Array.from(groups, ([first, own]) => {
    const made = (totals ?? []).map(({ alias, path }) => {
      const values = own.map((row) => valueAt(row, path?.split("/") ?? []));
      return [alias, path === null ? own.length : totalOf(values, method)] as const;
    });
    return { ...Object.fromEntries(made), [date?.alias ?? ""]: first === "" ? null : first, [COUNT]: own.length };
  });
}
