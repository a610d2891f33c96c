import type { Pool } from "pg";
import type { LimitRow } from "./limit-http.ts";

/** The columns of orders and drafts under the names of their properties. */
export const POSTGRES_ORDER_COLUMNS = `id AS "Id", "customerId" AS "CustomerId", "orderDate" AS "OrderDate",
  "shippedDate" AS "ShippedDate", status AS "Status", freight AS "Freight", paid AS "Paid", "shipName" AS "ShipName",
  "shipCity" AS "ShipCity", "shipRegion" AS "ShipRegion", "trackingId" AS "TrackingId", note AS "Note"`;

/** A statement that each connection prepares once. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** Runs a named statement. */
export type RunQuery = (statement: NamedStatement, values: readonly unknown[]) => Promise<LimitRow[]>;

/** Makes the function that runs statements on any connection of a pool. */
export function makeQueries(pool: Pool): RunQuery {
  return async ({ name, text }, values) => (await pool.query<LimitRow>({ name, text, values: [...values] })).rows;
}
