import { Kysely, type Transaction as KyselyTransaction, sql } from "kysely";
import {
  action,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasRequired,
  odataError,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, onTestFinished } from "vitest";
import type { Door, HeaderTable } from "./doors.ts";
import { recordingLogger } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Customer = entityType("Customer", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 20 }),
  version: edm.int32().computed(),
});
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  note: edm.string().nullable(),
});
const Entry = entityType("Entry", { id: edm.int32().key(), text: edm.string() });

const CUSTOMER_ROWS = [1, 2, 3].map((id) => ({ id, name: `C${String(id)}`, version: 1 }));
const ALL = ["read", "create", "replace", "patch", "delete"] as const;

/** The tables of the main database. */
interface Database {
  readonly customers: { readonly id: number; readonly name: string; readonly version: number };
  readonly orders: { readonly id: number; readonly customer_id: number; readonly note: string | null };
  readonly audit: { readonly id: number; readonly text: string };
}

/** A call of a handler, as the handler saw it. */
export interface SeenCall {
  readonly handler: string;
  readonly user: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hasTransaction: boolean;
}

/**
 * A service with customers and orders in one database, stock in another, a journal of handlers without transactions, and an
 * audit of handlers that write through the transaction.
 */
export async function batchShop(options: Partial<ServiceOptions> = {}) {
  const { db, close } = await openSql();
  onTestFinished(close);
  const other = new Kysely<unknown>({ dialect: sqliteDialect(":memory:") });
  await sql`create table customers (id integer primary key, name text not null check (name <> 'refused'), version integer not null)`.execute(
    db,
  );
  await sql`create table orders (id integer primary key, customer_id integer not null references customers (id) deferrable initially deferred, note text)`.execute(
    db,
  );
  await sql`create table audit (id integer primary key, text text not null)`.execute(db);
  await sql`insert into customers values (1, 'Ada', 1), (2, 'Bo', 1), (3, 'Cy', 1)`.execute(db);
  await sql`insert into orders values (10, 1, 'first'), (11, 2, null)`.execute(db);
  await sql`create table stock (id integer primary key, text text not null)`.execute(other);
  const calls: SeenCall[] = [];
  const journal: Array<{ id: number; text: string }> = [{ id: 1, text: "one" }];
  const see = (handler: string, context: Parameters<NonNullable<typeof createEntry>>[1]): void => {
    calls.push({
      handler,
      user: context.user?.id,
      method: context.request.method,
      url: context.request.url,
      headers: Object.fromEntries(context.request.headers),
      hasTransaction: context.transaction !== undefined,
    });
  };
  const createEntry = (
    entry: { readonly id: number; readonly text: string },
    context: Parameters<NonNullable<Parameters<typeof entitySet<typeof Entry>>[1]["create"]>>[1],
  ) => {
    see("create", context);
    if (entry.text === "refuse") return odataError(409, "Refused", "The journal refuses this text.");
    if (entry.text === "fail") throw new Error("a secret of the journal");
    journal.push({ ...entry });
    return entry;
  };
  const logger = recordingLogger();
  const service = odataService({
    prefix: "/odata",
    namespace: "Shop",
    logger,
    authenticate: (request) => {
      const id = request.headers.get("authorization");
      return id === null ? null : { id };
    },
    entitySets: [
      sqlEntitySet(Customer, {
        db,
        table: "customers",
        operations: ALL,
        rowVersion: "version",
        etag: ["version"],
        allowDeepInsert: true,
        navigation: { orders: hasMany(Order, { target: "Orders", on: { id: "customerId" } }) },
        functions: {
          Least: fn({
            bound: "collection",
            params: { n: edm.int32() },
            returns: edm.collection(Customer),
            handler: ({ n }) => CUSTOMER_ROWS.slice(0, n),
          }),
        },
        actions: {
          Rename: action({
            bound: "entity",
            transactional: true,
            params: { name: edm.string() },
            handler: async (key, { name }, context) => {
              const open = (context.transaction ?? db) as KyselyTransaction<Database>;
              await sql`update customers set name = ${name} where id = ${key}`.execute(open);
            },
          }),
          Greet: action({ bound: "entity", returns: edm.string(), handler: (key) => `hello ${String(key)}` }),
        },
      }),
      sqlEntitySet(Order, {
        db,
        table: "orders",
        operations: ALL,
        columns: { customerId: "customer_id" },
        navigation: { customer: hasRequired(Customer, { target: "Customers", on: { customerId: "id" } }) },
      }),
      sqlEntitySet(Entry, { name: "Stock", db: other, table: "stock", operations: ALL }),
      entitySet(Entry, {
        name: "Journal",
        getAll: (context) => {
          see("getAll", context);
          return journal;
        },
        getByKey: (key) => journal.find(({ id }) => id === key) ?? null,
        create: createEntry,
      }),
      entitySet(Entry, {
        name: "Audit",
        transactional: true,
        getByKey: async (key, context) => {
          const open = (context.transaction ?? db) as KyselyTransaction<Database>;
          return (await open.selectFrom("audit").selectAll().where("id", "=", key).executeTakeFirst()) ?? null;
        },
        create: async (entry, context) => {
          see("audit", context);
          const open = (context.transaction ?? db) as KyselyTransaction<Database>;
          await sql`insert into audit values (${entry.id}, ${entry.text})`.execute(open);
          return entry;
        },
      }),
    ],
    functions: { Double: fn({ params: { n: edm.int32() }, returns: edm.int32(), handler: ({ n }) => 2 * n }) },
    actions: {
      Reset: action({ handler: () => undefined }),
      Log: action({
        transactional: true,
        params: { id: edm.int32(), text: edm.string() },
        handler: async ({ id, text }, context) => {
          const open = (context.transaction ?? db) as KyselyTransaction<Database>;
          await sql`insert into audit values (${id}, ${text})`.execute(open);
        },
      }),
    },
    ...options,
  });
  /** Returns the rows of a table, for the state after a batch. */
  const rowsOf = async (table: keyof Database): Promise<readonly unknown[]> =>
    (await sql`select * from ${sql.table(table)} order by id`.execute(db)).rows;
  return { service, db, other, journal, calls, logger, rowsOf };
}

/** One part of a batch: the request line, its headers, and its body. */
export interface SentPart {
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly id?: string;
}

/** Writes a batch as most clients do; a list is a change set. */
export function multipart(parts: Parts, boundary = "batch_7"): string {
  const written = parts.map((part, index) => {
    if (!isChangeSet(part)) return httpPart(part);
    const inner = `changeset_${String(index)}`;
    const operations = part.map((each) => `--${inner}\r\n${httpPart(each)}\r\n`).join("");
    return `Content-Type: multipart/mixed; boundary=${inner}\r\n\r\n${operations}--${inner}--\r\n`;
  });
  return `${written.map((each) => `--${boundary}\r\n${each}\r\n`).join("")}--${boundary}--\r\n`;
}

function isChangeSet(part: SentPart | readonly SentPart[]): part is readonly SentPart[] {
  return Array.isArray(part);
}

function httpPart({ request, headers = {}, body, id }: SentPart): string {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  const lines = Object.entries({ ...json, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const contentId = id === undefined ? "" : `Content-ID: ${id}\r\n`;
  const text = typeof body === "string" || body === undefined ? (body ?? "") : JSON.stringify(body);
  return `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${contentId}\r\n${request} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** The headers of a batch. */
export const MULTIPART: Readonly<Record<string, string>> = { "Content-Type": "multipart/mixed; boundary=batch_7" };

/** One response of a batch. */
export interface ReceivedPart {
  readonly id: string | undefined;
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // Bodies have every form, and each test checks its own.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly json: any;
}

/** Reads a response as strictly as the strictest client: exact spelling, CRLF, and nothing around the parts. */
export function received(contentType: string | undefined, text: string): Array<ReceivedPart | ReceivedPart[]> {
  const match = /^multipart\/mixed; boundary=(batchresponse_[a-f0-9-]+)$/.exec(contentType ?? "");
  if (match === null) throw new Error(`not a batch: ${String(contentType)} ${text}`);
  return partsOf(text, match[1] ?? "").map((part) => {
    const inner = /^Content-Type: multipart\/mixed; boundary=(changesetresponse_[a-z0-9-]+)\r\n\r\n/.exec(part);
    if (inner === null) return readPart(part);
    // The line break before a delimiter belongs to the delimiter.
    return partsOf(`${part.slice(inner[0].length)}\r\n`, inner[1] ?? "").map(readPart);
  });
}

function partsOf(text: string, boundary: string): string[] {
  const closing = `--${boundary}--\r\n`;
  if (!text.endsWith(closing)) throw new Error(`not closed by ${closing}: ${text}`);
  const open = text.slice(0, -closing.length);
  if (open === "") return [];
  const [before, ...parts] = open.split(`--${boundary}\r\n`);
  if (before !== "" || parts.some((part) => !part.endsWith("\r\n"))) throw new Error(`text around parts: ${text}`);
  return parts.map((part) => part.slice(0, -2));
}

function readPart(part: string): ReceivedPart {
  const match =
    /^Content-Type: application\/http\r\nContent-Transfer-Encoding: binary\r\n(?:Content-ID: ([^\r]+)\r\n)?\r\nHTTP\/1\.1 (\d{3}) ([^\r]+)\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(
      part,
    );
  if (match === null) throw new Error(`not a part: ${part}`);
  const [whole, id, status, reason = "", lines = ""] = match;
  const headers = Object.fromEntries(
    lines
      .split("\r\n")
      .filter((line) => line !== "")
      .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
  const text = part.slice(whole.length);
  const isJson = headers["Content-Type"]?.startsWith("application/json") === true;
  const json = isJson && text !== "" ? (JSON.parse(text) as unknown) : undefined;
  return { id, status: Number(status), reason, headers, text, json };
}

/** The parts of a batch, as `multipart` writes them. */
export type Parts = ReadonlyArray<SentPart | readonly SentPart[]>;

/** Opens the shop, for requests through a door; `batch` sends a batch and reads its responses. */
export async function shopBehind(door: Door, options: Partial<ServiceOptions> = {}) {
  const shop = await batchShop(options);
  const send = door.to(shop.service);
  const batch = async (parts: Parts, headers: HeaderTable = {}) => {
    const answer = await send("/odata/$batch", { ...MULTIPART, ...headers }, "POST", multipart(parts));
    expect(answer.status, answer.text).toBe(200);
    return received(answer.headers["content-type"], answer.text);
  };
  return { ...shop, send, batch };
}

/** The responses of a change set that succeeded. */
export function whole(part: ReceivedPart | ReceivedPart[] | undefined): ReceivedPart[] {
  if (!Array.isArray(part)) throw new Error(`no change set: ${JSON.stringify(part)}`);
  return part;
}

/** The one response of an operation, or of a change set that failed. */
export function single(part: ReceivedPart | ReceivedPart[] | undefined): ReceivedPart {
  if (part === undefined || Array.isArray(part)) throw new Error(`no single response: ${JSON.stringify(part)}`);
  return part;
}
