/**
 * The limit: a server that a careful programmer writes by hand for exactly these requests, with `node:http`, prepared
 * statements and `JSON.stringify`, and no framework. It supports no other request and checks nothing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { makeDrafts } from "./limit-drafts.ts";
import { makeExpansions } from "./limit-expansions.ts";
import { ORDER_COLUMNS, type LimitAnswer, type LimitRow } from "./limit-rows.ts";
import { PREFIX } from "./scenarios.ts";
import { databasePlace, reportTo, SYNCHRONOUS } from "./server-messages.ts";

const HEADERS = {
  "OData-Version": "4.0",
  "Content-Type": "application/json;odata.metadata=minimal",
  Vary: "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
};

const ORDERS = `SELECT ${ORDER_COLUMNS} FROM orders`;

const database = new DatabaseSync(databasePlace());
database.exec(`PRAGMA synchronous = ${SYNCHRONOUS}`);
const drafts = makeDrafts(database);
const expansions = makeExpansions(database);
const orderByKey = database.prepare(`${ORDERS} WHERE id = ?`);
const orders = database.prepare(`${ORDERS} ORDER BY id LIMIT ? OFFSET ?`);
const ordersByDate = database.prepare(`${ORDERS} ORDER BY orderDate DESC, id DESC LIMIT ? OFFSET ?`);
const products = database.prepare(`SELECT id AS Id, name AS Name, price AS Price, count(*) OVER () AS total
  FROM products WHERE price > ? AND instr(name, ?) > 0 ORDER BY id LIMIT ?`);

const DRAFTS = `${PREFIX}/Drafts`;
const ORDER_KEY = `${PREFIX}/Orders(`;
const ORDER_PAGE = `${PREFIX}/Orders?`;
const PRODUCT_PAGE = `${PREFIX}/Products?`;
const PRODUCT_FILTER = /^contains\(Name,'(.*)'\) and Price gt (\d+)$/u;

const server = createServer((request, response) => {
  const target = request.url ?? "";
  const root = `http://${request.headers.host ?? ""}${PREFIX}`;
  if (target.startsWith(ORDER_KEY)) answer(response, orderText(root, Number(target.slice(ORDER_KEY.length, -1))));
  else if (target.startsWith(DRAFTS)) drafts(request, root, (made) => respond(response, made));
  else if (target.startsWith(ORDER_PAGE)) answer(response, orderPageText(root, options(target, ORDER_PAGE)));
  else if (target.startsWith(PRODUCT_PAGE)) answer(response, productPageText(root, options(target, PRODUCT_PAGE)));
  else refuse(request, response);
});

server.listen(0, "127.0.0.1", () => reportTo((server.address() as AddressInfo).port));

function orderText(root: string, id: number): string {
  const order: LimitRow = orderByKey.get(id) ?? {};
  order["Paid"] = order["Paid"] === 1;
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Orders/$entity`,
    "@odata.id": `${root}/Orders(${String(id)})`,
    ...order,
  });
}

function orderPageText(root: string, query: Map<string, string>): string {
  if (query.has("$expand")) return expansions(root, query);
  const statement = query.has("$orderby") ? ordersByDate : orders;
  const value: LimitRow[] = statement.all(Number(query.get("$top")), Number(query.get("$skip") ?? 0));
  for (const order of value) order["Paid"] = order["Paid"] === 1;
  return JSON.stringify({ "@odata.context": `${root}/$metadata#Orders`, value });
}

function productPageText(root: string, query: Map<string, string>): string {
  const [, text = "", price = ""] = PRODUCT_FILTER.exec(query.get("$filter") ?? "") ?? [];
  const rows = products.all(Number(price), text, Number(query.get("$top")));
  return JSON.stringify({
    "@odata.context": `${root}/$metadata#Products(Id,Name,Price)`,
    "@odata.count": rows[0]?.["total"] ?? 0,
    value: rows.map(({ Id, Name, Price }) => ({ Id, Name, Price })),
  });
}

function options(target: string, page: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const pair of target.slice(page.length).split("&")) {
    const equals = pair.indexOf("=");
    found.set(pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1)));
  }
  return found;
}

function answer(response: ServerResponse, text: string): void {
  respond(response, { status: 200, text });
}

function respond(response: ServerResponse, { status, text, headers }: LimitAnswer): void {
  response.writeHead(status, { ...HEADERS, ...headers, "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { "OData-Version": "4.0" });
  response.end(`The limit server knows no ${request.url ?? ""}.`);
}
