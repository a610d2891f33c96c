/**
 * The limit over PostgreSQL: the same requests, written by hand over the driver `pg` with named statements. Related entities
 * are read for the whole page: a statement for each of them would wait for the network each time.
 */
import { Pool, types } from "pg";
import { filterOf, groupingOf, serveLimit, type LimitAnswer, type LimitRow, type Send } from "./limit-http.ts";
import { makePostgresDrafts } from "./limit-postgres-drafts.ts";
import { makePostgresExpansions } from "./limit-postgres-expansions.ts";
import { POSTGRES_ORDER_COLUMNS, makeQueries } from "./limit-postgres-rows.ts";
import { databasePlace } from "./server-messages.ts";

const CONNECTIONS = 8;

// The text of a timestamp is almost the text in the response.
types.setTypeParser(types.builtins.TIMESTAMPTZ, (text) => `${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
const pool = new Pool({
  connectionString: databasePlace(),
  max: CONNECTIONS,
  idleTimeoutMillis: 0,
  options: "-c timezone=UTC",
});
const query = makeQueries(pool);
const expansions = makePostgresExpansions(query);

const ORDERS = `SELECT ${POSTGRES_ORDER_COLUMNS} FROM orders`;
const BY_KEY = { name: "order", text: `${ORDERS} WHERE id = $1` };
const PAGE = { name: "orders", text: `${ORDERS} ORDER BY id LIMIT $1 OFFSET $2` };
const BY_DATE = { name: "orders-by-date", text: `${ORDERS} ORDER BY "orderDate" DESC, id DESC LIMIT $1 OFFSET $2` };
const PRODUCTS = {
  name: "products",
  text: `SELECT id AS "Id", name AS "Name", price AS "Price", (count(*) OVER ())::int AS total
    FROM products WHERE price > $1 AND strpos(name, $2) > 0 ORDER BY id LIMIT $3`,
};

const FOUND = 'freight > $1 AND strpos("shipName", $2) > 0';
const ORDERS_FOUND = { name: "orders-found", text: `${ORDERS} WHERE ${FOUND} ORDER BY id LIMIT $3` };
const ORDERS_COUNTED = { name: "orders-counted", text: `SELECT count(*)::int AS total FROM orders WHERE ${FOUND}` };

const TOTALS = `sum(freight) AS "Total", '#Decimal' AS "N@odata.type", count(*)::int AS "N" FROM orders`;
const BY_CUSTOMER = `SELECT "customerId" AS "CustomerId", ${TOTALS} GROUP BY "customerId"`;
const GROUPS = {
  byCustomer: { name: "by-customer", text: `${BY_CUSTOMER} ORDER BY "customerId"` },
  byMonth: {
    name: "by-month",
    text: `SELECT '#Int32' AS "Y@odata.type", extract(year FROM "orderDate")::int AS "Y",
      '#Int32' AS "M@odata.type", extract(month FROM "orderDate")::int AS "M", ${TOTALS} GROUP BY 2, 4 ORDER BY 2, 4`,
  },
  greatest: { name: "greatest-sums", text: `${BY_CUSTOMER} ORDER BY "Total" DESC, "customerId" LIMIT 10` },
};

serveLimit({
  order: (root, id, send) => answer(orderText(root, id), send),
  orders: (root, options, send) => answer(orderPageText(root, options), send),
  products: (root, options, send) => answer(productPageText(root, options), send),
  drafts: makePostgresDrafts(query),
});

function answer(text: Promise<string>, send: Send): void {
  text.then(
    (made) => send({ status: 200, text: made }),
    (error: unknown) => send({ status: 500, text: String(error) } satisfies LimitAnswer),
  );
}

async function orderText(root: string, id: number): Promise<string> {
  const [order] = await query(BY_KEY, [id]);
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Orders/$entity`,
    "@odata.id": `${root}/Orders(${String(id)})`,
    ...order,
  });
}

async function orderPageText(root: string, options: ReadonlyMap<string, string>): Promise<string> {
  if (options.has("$expand")) return expansions(root, options);
  if (options.has("$filter")) return foundOrdersText(root, options);
  const grouping = groupingOf(root, options);
  if (grouping !== null) {
    return JSON.stringify({ "@odata.context": grouping.context, value: await query(GROUPS[grouping.kind], []) });
  }
  const statement = options.has("$orderby") ? BY_DATE : PAGE;
  const value = await query(statement, [Number(options.get("$top")), Number(options.get("$skip") ?? 0)]);
  return JSON.stringify({ "@odata.context": `${root}/$metadata#Orders`, value });
}

async function foundOrdersText(root: string, options: ReadonlyMap<string, string>): Promise<string> {
  const { price, text } = filterOf(options);
  const [value, [counted]] = await Promise.all([
    query(ORDERS_FOUND, [price, text, Number(options.get("$top"))]),
    query(ORDERS_COUNTED, [price, text]),
  ]);
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Orders`,
    "@odata.count": counted?.["total"] ?? 0,
    value,
  });
}

async function productPageText(root: string, options: ReadonlyMap<string, string>): Promise<string> {
  const { price, text } = filterOf(options);
  const rows: readonly LimitRow[] = await query(PRODUCTS, [price, text, Number(options.get("$top"))]);
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Products(Id,Name,Price)`,
    "@odata.count": rows[0]?.["total"] ?? 0,
    value: rows.map(({ Id, Name, Price }) => ({ Id, Name, Price })),
  });
}
