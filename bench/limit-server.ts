/**
 * The limit over SQLite: a server that a careful programmer writes by hand for exactly these requests, with `node:http`,
 * prepared statements and `JSON.stringify`, and no framework.
 */
import { DatabaseSync } from "node:sqlite";
import { makeDrafts } from "./limit-drafts.ts";
import { makeExpansions } from "./limit-expansions.ts";
import { filterOf, groupingOf, JOINED, joinedOf, serveLimit, type LimitRow } from "./limit-http.ts";
import { ORDER_COLUMNS } from "./limit-rows.ts";
import { databasePlace } from "./server-messages.ts";

/** The columns of orders in a join, where another table has an `id`, too. */
const JOINED_COLUMNS = ORDER_COLUMNS.replace("id AS Id", "o.id AS Id");
const ORDERS = `SELECT ${ORDER_COLUMNS} FROM orders`;

const database = new DatabaseSync(databasePlace());
// The default of sqliteDialect: a commit waits for the disk.
database.exec("PRAGMA synchronous = full");
const expansions = makeExpansions(database);
const orderByKey = database.prepare(`${ORDERS} WHERE id = ?`);
const orders = database.prepare(`${ORDERS} ORDER BY id LIMIT ? OFFSET ?`);
const ordersByDate = database.prepare(`${ORDERS} ORDER BY orderDate DESC, id DESC LIMIT ? OFFSET ?`);
const FOUND = "freight > ? AND instr(shipName, ?) > 0";
const ordersFound = database.prepare(`${ORDERS} WHERE ${FOUND} ORDER BY id LIMIT ?`);
const ordersCounted = database.prepare(`SELECT count(*) AS total FROM orders WHERE ${FOUND}`);
const ordersJoined = database.prepare(`SELECT ${JOINED_COLUMNS} FROM ${JOINED} ORDER BY o.id LIMIT ?`);
const joinedCounted = database.prepare(`SELECT count(*) AS total FROM ${JOINED}`);
const products = database.prepare(`SELECT id AS Id, name AS Name, price AS Price, count(*) OVER () AS total
  FROM products WHERE price > ? AND instr(name, ?) > 0 ORDER BY id LIMIT ?`);
const TOTALS = `sum(freight) AS Total, '#Decimal' AS "N@odata.type", count(*) AS N FROM orders`;
const BY_CUSTOMER = `SELECT customerId AS CustomerId, ${TOTALS} GROUP BY customerId`;
const BY_MONTH = `SELECT '#Int32' AS "Y@odata.type", CAST(substr(orderDate, 1, 4) AS INTEGER) AS Y,
  '#Int32' AS "M@odata.type", CAST(substr(orderDate, 6, 2) AS INTEGER) AS M, ${TOTALS} GROUP BY Y, M ORDER BY Y, M`;
const groups = {
  byCustomer: database.prepare(`${BY_CUSTOMER} ORDER BY customerId`),
  byMonth: database.prepare(BY_MONTH),
  greatest: database.prepare(`${BY_CUSTOMER} ORDER BY Total DESC, customerId LIMIT 10`),
};

serveLimit({
  order: (root, id, send) => send({ status: 200, text: orderText(root, id) }),
  orders: (root, query, send) => send({ status: 200, text: orderPageText(root, query) }),
  products: (root, query, send) => send({ status: 200, text: productPageText(root, query) }),
  drafts: makeDrafts(database),
});

function orderText(root: string, id: number): string {
  const order: LimitRow = orderByKey.get(id) ?? {};
  order["Paid"] = order["Paid"] === 1;
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Orders/$entity`,
    "@odata.id": `${root}/Orders(${String(id)})`,
    ...order,
  });
}

function orderPageText(root: string, query: ReadonlyMap<string, string>): string {
  if (query.has("$expand")) return expansions(root, query);
  if (query.has("$filter")) return foundOrdersText(root, query);
  const grouping = groupingOf(root, query);
  if (grouping !== null) {
    return JSON.stringify({ "@odata.context": grouping.context, value: groups[grouping.kind].all() });
  }
  const statement = query.has("$orderby") ? ordersByDate : orders;
  const value: LimitRow[] = statement.all(Number(query.get("$top")), Number(query.get("$skip") ?? 0));
  for (const order of value) order["Paid"] = order["Paid"] === 1;
  return JSON.stringify({ "@odata.context": `${root}/$metadata#Orders`, value });
}

function foundOrdersText(root: string, query: ReadonlyMap<string, string>): string {
  const joined = joinedOf(query);
  const { price, text } = filterOf(query);
  const [found, counted, values] =
    joined === null ? [ordersFound, ordersCounted, [price, text]] : [ordersJoined, joinedCounted, joined];
  const value: LimitRow[] = found.all(...values, Number(query.get("$top")));
  for (const order of value) order["Paid"] = order["Paid"] === 1;
  const count = counted.get(...values)?.["total"] ?? 0;
  return JSON.stringify({ "@odata.context": `${root}/$metadata#Orders`, "@odata.count": count, value });
}

function productPageText(root: string, query: ReadonlyMap<string, string>): string {
  const { price, text } = filterOf(query);
  const rows = products.all(price, text, Number(query.get("$top")));
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Products(Id,Name,Price)`,
    "@odata.count": rows[0]?.["total"] ?? 0,
    value: rows.map(({ Id, Name, Price }) => ({ Id, Name, Price })),
  });
}
