import type { Zone } from "../../format/zone.ts";
import type { View } from "../../state/view.ts";
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
  const plan = planOf(request);
  const rows = await read(plan.view);
  const inUtc = isCut(plan, rows) ? planOf({ ...request, zone: "UTC" }) : plan;
  const isRead = inUtc === plan || inUtc.groups === null;
  return isRead ? { rows, zone: request.zone } : { rows: await read(inUtc.view), zone: "UTC" };
}

/** Returns whether the page would make totals of a part of the rows, which are no totals of the period. */
export function isCut({ period, groups }: ChartPlan, rows: readonly unknown[]): boolean {
  return period !== null && groups === null && rows.length > MOST;
}
