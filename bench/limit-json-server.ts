/**
 * The other limit over SQLite: the same requests, but SQLite writes the JSON. It is the faster way for pages and expansions,
 * because no row becomes an object.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { makeDrafts } from "./limit-drafts.ts";
import { expansionOf, filterOf, groupingOf, JOINED, joinedOf, serveLimit } from "./limit-http.ts";
import { databasePlace } from "./server-messages.ts";

/** A number as JavaScript writes it: SQLite would write 10.0. */
const number = (column: string): string =>
  `iif(${column} = CAST(${column} AS INTEGER), CAST(${column} AS INTEGER), ${column})`;
const flag = (column: string): string => `json(iif(${column}, 'true', 'false'))`;

const ORDER = `json_object('Id', o.id, 'CustomerId', o.customerId, 'OrderDate', o.orderDate, 'ShippedDate', o.shippedDate,
  'Status', o.status, 'Freight', ${number("o.freight")}, 'Paid', ${flag("o.paid")}, 'ShipName', o.shipName,
  'ShipCity', o.shipCity, 'ShipRegion', o.shipRegion, 'TrackingId', o.trackingId, 'Note', o.note`;
const PRODUCT = `json_object('Id', p.id, 'Name', p.name, 'CategoryId', p.categoryId, 'Price', ${number("p.price")},
  'Stock', p.stock, 'Discontinued', ${flag("p.discontinued")})`;
const CUSTOMER = `(SELECT json_object('Id', c.id, 'Name', c.name, 'City', c.city, 'Region', c.region, 'Email', c.email)
  FROM customers c WHERE c.id = o.customerId)`;
const LINES = `(SELECT json_group_array(json_object('Id', l.id, 'OrderId', l.orderId, 'ProductId', l.productId,
    'Quantity', l.quantity, 'Price', ${number("l.price")}, 'Product', (SELECT ${PRODUCT} FROM products p WHERE p.id = l.productId)))
  FROM (SELECT * FROM lines WHERE orderId = o.id ORDER BY id) l)`;
const FEW = `json_object('Id', o.id, 'OrderDate', o.orderDate, 'Freight', ${number("o.freight")},
  'Customer', (SELECT json_object('Id', c.id, 'Name', c.name) FROM customers c WHERE c.id = o.customerId),
  'Lines', (SELECT json_group_array(json_object('@odata.id', ?3 || '/Lines(' || l.id || ')', 'Quantity', l.quantity, 'Price', ${number("l.price")},
      'Product', (SELECT json_object('@odata.id', ?3 || '/Products(' || p.id || ')', 'Name', p.name) FROM products p WHERE p.id = l.productId)))
    FROM (SELECT * FROM lines WHERE orderId = o.id ORDER BY price DESC, id DESC LIMIT 2) l))`;
const FOUND = "o.freight > ? AND instr(o.shipName, ?) > 0";

const database = new DatabaseSync(databasePlace());
database.exec("PRAGMA synchronous = full");

/** Prepares a statement for the objects of a page, as one text. */
function page(object: string, rest: string): StatementSync {
  return database.prepare(`SELECT group_concat(it, ',') AS text FROM (SELECT ${object} AS it ${rest})`);
}

const orderByKey = database.prepare(`SELECT ${ORDER}) AS text FROM orders o WHERE o.id = ?`);
const orders = page(`${ORDER})`, "FROM orders o ORDER BY o.id LIMIT ? OFFSET ?");
const ordersByDate = page(`${ORDER})`, "FROM orders o ORDER BY o.orderDate DESC, o.id DESC LIMIT ? OFFSET ?");
const expanded = page(
  `${ORDER}, 'Customer', ${CUSTOMER}, 'Lines', ${LINES})`,
  "FROM orders o ORDER BY o.id LIMIT ? OFFSET ?",
);
const selected = page(FEW, "FROM orders o ORDER BY o.id LIMIT ?1 OFFSET ?2");
const ordersFound = page(`${ORDER})`, `FROM orders o WHERE ${FOUND} ORDER BY o.id LIMIT ?`);
const ordersCounted = database.prepare(`SELECT count(*) AS total FROM orders o WHERE ${FOUND}`);
const ordersJoined = page(`${ORDER})`, `FROM ${JOINED} ORDER BY o.id LIMIT ?`);
const joinedCounted = database.prepare(`SELECT count(*) AS total FROM ${JOINED}`);
const PRODUCTS = "FROM products p WHERE p.price > ? AND instr(p.name, ?) > 0";
const products = page(
  `json_object('Id', p.id, 'Name', p.name, 'Price', ${number("p.price")})`,
  `${PRODUCTS} ORDER BY p.id LIMIT ?`,
);
const productsCounted = database.prepare(`SELECT count(*) AS total ${PRODUCTS}`);

const TOTALS = `'Total', ${number("t")}, 'N@odata.type', '#Decimal', 'N', n)`;
const SUMS = "sum(o.freight) AS t, count(*) AS n FROM orders o";
const BY_CUSTOMER = `FROM (SELECT o.customerId AS c, ${SUMS} GROUP BY o.customerId`;
const GROUP = `json_object('CustomerId', c, ${TOTALS}`;
const groups = {
  byCustomer: page(GROUP, `${BY_CUSTOMER} ORDER BY o.customerId)`),
  byMonth: page(
    `json_object('Y@odata.type', '#Int32', 'Y', y, 'M@odata.type', '#Int32', 'M', m, ${TOTALS}`,
    `FROM (SELECT CAST(substr(o.orderDate, 1, 4) AS INTEGER) AS y, CAST(substr(o.orderDate, 6, 2) AS INTEGER) AS m, ${SUMS}
      GROUP BY y, m ORDER BY y, m)`,
  ),
  greatest: page(GROUP, `${BY_CUSTOMER} ORDER BY t DESC, c LIMIT 10)`),
};

type Query = ReadonlyMap<string, string>;
type Values = readonly (string | number)[];

serveLimit({
  order: (root, id, send) => {
    const text = textOf(orderByKey, [id]);
    const context = `${root}/$metadata#Orders/$entity`;
    const self = `${root}/Orders(${String(id)})`;
    send({ status: 200, text: `{"@odata.context":"${context}","@odata.id":"${self}",${text.slice(1)}` });
  },
  orders: (root, query, send) => send({ status: 200, text: orderPage(root, query) }),
  products: (root, query, send) => {
    const { price, text } = filterOf(query);
    const counted = productsCounted.get(price, text)?.["total"];
    const value = textOf(products, [price, text, Number(query.get("$top"))]);
    send({ status: 200, text: collection(`${root}/$metadata#Products(Id,Name,Price)`, value, Number(counted)) });
  },
  drafts: makeDrafts(database),
});

function orderPage(root: string, query: Query): string {
  const context = `${root}/$metadata#Orders`;
  const top = Number(query.get("$top"));
  if (query.has("$expand")) {
    const { skip, isSelected, context: ofExpansion } = expansionOf(root, query);
    return collection(ofExpansion, isSelected ? textOf(selected, [top, skip, root]) : textOf(expanded, [top, skip]));
  }
  const grouping = groupingOf(root, query);
  if (grouping !== null) return collection(grouping.context, textOf(groups[grouping.kind], []));
  if (!query.has("$filter")) {
    const statement = query.has("$orderby") ? ordersByDate : orders;
    return collection(context, textOf(statement, [top, Number(query.get("$skip") ?? 0)]));
  }
  const joined = joinedOf(query);
  const { price, text } = filterOf(query);
  const [found, counted, values] =
    joined === null ? [ordersFound, ordersCounted, [price, text]] : [ordersJoined, joinedCounted, joined];
  const total = Number(counted.get(...values)?.["total"]);
  return collection(context, textOf(found, [...values, top]), total);
}

function textOf(statement: StatementSync, values: Values): string {
  return String(statement.get(...values)?.["text"] ?? "");
}

function collection(context: string, objects: string, count?: number): string {
  const counted = count === undefined ? "" : `"@odata.count":${String(count)},`;
  return `{"@odata.context":"${context}",${counted}"value":[${objects}]}`;
}
