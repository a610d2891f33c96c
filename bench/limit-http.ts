import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { makeItems } from "./array-items.ts";
import { GROUPINGS, PREFIX } from "./scenarios.ts";
import { metadataOfOurs, reportTo } from "./server-messages.ts";

/** A row with its related rows. */
export type LimitRow = Record<string, unknown>;

/** A response of a limit server. */
export interface LimitAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a response, now or later. */
export type Send = (answer: LimitAnswer) => void;

/** The requests that a limit server knows, each by the part of the target that decides its response. */
export interface LimitRoutes {
  order(root: string, id: number, send: Send): void;
  orders(root: string, query: ReadonlyMap<string, string>, send: Send): void;
  products(root: string, query: ReadonlyMap<string, string>, send: Send): void;
  drafts(request: IncomingMessage, root: string, send: Send): void;
}

const HEADERS = {
  "OData-Version": "4.0",
  "Content-Type": "application/json;odata.metadata=minimal",
  Vary: "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
};
const PART_HEADERS = `{"OData-Version":"4.0","Content-Type":"application/json;odata.metadata=minimal"}`;
const DRAFTS = `${PREFIX}/Drafts`;
const ORDER_KEY = `${PREFIX}/Orders(`;
const ORDER_PAGE = `${PREFIX}/Orders?`;
const PRODUCT_PAGE = `${PREFIX}/Products?`;
const ITEM_PAGE = `${PREFIX}/Items?`;
const BATCH = `${PREFIX}/$batch`;
const METADATA = `${PREFIX}/$metadata`;
const FILTER = /^contains\((?:Ship)?Name,'(.*)'\) and (?:Price|Freight) gt (\d+)$/u;
const ALONG = /^Customer\/City eq '(.*)' and Lines\/any\(l:l\/Product\/Price gt (\d+)\)$/u;

/** Serves the routes with `node:http` and nothing else. Supports no other request and checks nothing. */
export function serveLimit(routes: LimitRoutes): void {
  const items = answerItems();
  const metadata = metadataOfOurs();
  const server = createServer((request, response) => {
    const target = request.url ?? "";
    const root = `http://${request.headers.host ?? ""}${PREFIX}`;
    const send: Send = (answer) => respond(response, answer);
    if (target.startsWith(ORDER_KEY)) routes.order(root, Number(target.slice(ORDER_KEY.length, -1)), send);
    else if (target.startsWith(DRAFTS)) routes.drafts(request, root, send);
    else if (target.startsWith(ORDER_PAGE)) routes.orders(root, options(target, ORDER_PAGE), send);
    else if (target.startsWith(PRODUCT_PAGE)) routes.products(root, options(target, PRODUCT_PAGE), send);
    else if (target.startsWith(ITEM_PAGE)) send({ status: 200, text: items(root, options(target, ITEM_PAGE)) });
    else if (target === BATCH) answerBatch(routes, request, root, send);
    else if (target === METADATA) response.writeHead(200, metadata.headers).end(metadata.body);
    else refuse(request, response);
  });
  server.listen(0, "127.0.0.1", () => reportTo((server.address() as AddressInfo).port));
}

/** The operands of `contains(Name,'…') and Price gt …`, and of the same filter of orders. */
export function filterOf(query: ReadonlyMap<string, string>): { readonly text: string; readonly price: number } {
  const [, text = "", price = ""] = FILTER.exec(query.get("$filter") ?? "") ?? [];
  return { text, price: Number(price) };
}

/** The tables and the condition of the filter along navigations; its values are those of `joinedOf`. */
export const JOINED = `orders o JOIN customers c ON c.id = o.customerId WHERE c.city = ? AND EXISTS
  (SELECT 1 FROM lines l JOIN products p ON p.id = l.productId WHERE l.orderId = o.id AND p.price > ?)`;

/** The operands of `Customer/City eq '…' and Lines/any(l:l/Product/Price gt …)`; null for another filter. */
export function joinedOf(query: ReadonlyMap<string, string>): readonly [city: string, price: number] | null {
  const [, city, price] = ALONG.exec(query.get("$filter") ?? "") ?? [];
  return city === undefined ? null : [city, Number(price)];
}

/** The page of orders with expansions: with `$select` on each level, or without. */
export function expansionOf(
  root: string,
  query: ReadonlyMap<string, string>,
): { readonly top: number; readonly skip: number; readonly isSelected: boolean; readonly context: string } {
  const isSelected = query.has("$select");
  const selected = isSelected ? "(Id,OrderDate,Freight,Customer(Id,Name),Lines(Quantity,Price,Product(Name)))" : "";
  return {
    top: Number(query.get("$top")),
    skip: Number(query.get("$skip") ?? 0),
    isSelected,
    context: `${root}/$metadata#Orders${selected}`,
  };
}

/** The groups of orders that the limit servers know. */
export interface Grouping {
  readonly kind: "byCustomer" | "byMonth" | "greatest";
  readonly context: string;
}

/** Returns the groups of a page of orders; null for orders themselves. */
export function groupingOf(root: string, query: ReadonlyMap<string, string>): Grouping | null {
  const steps = query.get("$apply");
  if (steps === undefined) return null;
  const context = (keys: string): string => `${root}/$metadata#Orders(${keys},Total,N)`;
  if (steps === GROUPINGS.byMonth) return { kind: "byMonth", context: context("Y,M") };
  return { kind: query.has("$top") ? "greatest" : "byCustomer", context: context("CustomerId") };
}

/** Reads the JSON body of a request. */
export function readBody<T>(request: IncomingMessage, use: (given: Readonly<Record<string, T>>) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => use(JSON.parse(Buffer.concat(chunks).toString()) as Readonly<Record<string, T>>));
}

/** Answers a JSON batch of key reads. It knows no other operation. */
function answerBatch(routes: LimitRoutes, request: IncomingMessage, root: string, send: Send): void {
  readBody<ReadonlyArray<{ readonly id: string; readonly url: string }>>(request, ({ requests = [] }) => {
    const responses: string[] = [];
    let open = requests.length;
    for (const [index, { id, url }] of requests.entries()) {
      routes.order(root, Number(url.slice(url.indexOf("(") + 1, -1)), ({ status, text }) => {
        responses[index] = `{"id":"${id}","status":${String(status)},"headers":${PART_HEADERS},"body":${text}}`;
        open -= 1;
        if (open === 0) send({ status: 200, text: `{"responses":[${responses.join(",")}]}` });
      });
    }
  });
}

/** Filters an array in the most obvious way. */
function answerItems(): (root: string, query: ReadonlyMap<string, string>) => string {
  const items = makeItems();
  return (root, query) => {
    const { text, price } = filterOf(query);
    const found = items.filter((item) => item.price > price && item.name.includes(text));
    return JSON.stringify({
      "@odata.context": `${root}/$metadata#Items(Id,Name,Price)`,
      "@odata.count": found.length,
      value: found
        .slice(0, Number(query.get("$top")))
        .map(({ id, name, price: Price }) => ({ Id: id, Name: name, Price })),
    });
  };
}

function options(target: string, page: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of target.slice(page.length).split("&")) {
    const equals = pair.indexOf("=");
    found.set(pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1)));
  }
  return found;
}

function respond(response: ServerResponse, { status, text, headers }: LimitAnswer): void {
  response.writeHead(status, { ...HEADERS, ...headers, "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { "OData-Version": "4.0" });
  response.end(`The limit server knows no ${request.url ?? ""}.`);
}
