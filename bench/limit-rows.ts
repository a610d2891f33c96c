import type { SQLOutputValue } from "node:sqlite";
import type { LimitRow } from "./limit-http.ts";

/** The columns of orders and drafts under the names of their properties. */
export const ORDER_COLUMNS = `id AS Id, customerId AS CustomerId, orderDate AS OrderDate, shippedDate AS ShippedDate,
  status AS Status, freight AS Freight, paid AS Paid, shipName AS ShipName, shipCity AS ShipCity,
  shipRegion AS ShipRegion, trackingId AS TrackingId, note AS Note`;

/** Converts the row of one entity for the response: SQLite has no booleans. */
export function withBooleans(row: Record<string, SQLOutputValue> | undefined, column: string): LimitRow | null {
  if (row === undefined) return null;
  const entity: LimitRow = row;
  entity[column] = entity[column] === 1;
  return entity;
}
