import { sql } from "kysely";
import { action, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";
import { connectionsOf, hearStatements } from "./sent-statements.ts";

const Item = entityType("Item", { id: edm.int32().key(), text: edm.string() });

/** The errors of servers about a statement that the session does not have, or has for other columns. */
const FAULTS: Readonly<Record<DatabaseName, readonly (readonly [message: string, fields: object])[]>> = {
  sqlite: [],
  postgres: [
    ['prepared statement "s1" does not exist', { code: "26000" }],
    ["cached plan must not change result type", { code: "0A000" }],
    // A server may translate its messages, but not the names of its functions.
    ["gecachter Plan darf den Ergebnistyp nicht ändern", { code: "0A000", routine: "RevalidateCachedQuery" }],
  ],
  mariadb: [
    ["Prepared statement needs to be re-prepared", { errno: 1615 }],
    ["Unknown prepared statement handler (1) given to mysqld_stmt_execute", { errno: 1243 }],
  ],
};

const LATER = {
  status: 503,
  retryAfter: "1",
  error: { code: "ServiceUnavailable", message: "The tables of the database have changed. Try again later." },
};

const CASES = ENGINES.flatMap(({ name, title, open }) =>
  FAULTS[name].map(([message, fields]) => ({
    title,
    message,
    open,
    fault: () => Object.assign(new Error(message), fields),
  })),
);

describe.each(CASES)("$title: $message", ({ open, fault }) => {
  let opened: OpenDatabase;
  let service: ReturnType<typeof odataService>;
  let permit = (): void => undefined;

  beforeAll(async () => {
    opened = await open();
    const { db } = opened;
    await sql`create table outdated_items (id int primary key, text varchar(20) not null)`.execute(db);
    const items = sqlEntitySet(Item, {
      db,
      table: "outdated_items",
      operations: ["read", "create", "patch", "delete"],
    });
    service = odataService({
      prefix: "",
      logger: { error: () => {}, warn: () => {}, info: () => {} },
      entitySets: [items],
      actions: {
        Add: action({
          handler: async (_parameters, context) => {
            await context.inTransaction((inner) => inner.sets(items).create({ id: 7, text: "seven" }));
          },
        }),
      },
    });
    await service.ready();
  });
  beforeEach(async () => {
    await sql`delete from outdated_items`.execute(opened.db);
    await sql`insert into outdated_items values (1, 'one')`.execute(opened.db);
  });
  afterEach(() => permit());
  afterAll(() => opened.close());

  /** The next statements of the table fail, or all of them. */
  async function refuse(times: number): Promise<void> {
    let left = times;
    permit = hearStatements(await connectionsOf(opened.db), ({ sql: text }) => {
      if (!text.includes("outdated_items") || left === 0) return;
      left -= 1;
      throw fault();
    });
  }

  async function send(method: string, target: string, body?: object) {
    const response = await service.fetch(
      new Request(`http://service.example/${target}`, {
        method,
        headers: body === undefined ? {} : { "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const { error } = (text === "" ? {} : JSON.parse(text)) as { readonly error?: unknown };
    return { status: response.status, retryAfter: response.headers.get("Retry-After"), error };
  }

  test.each(["Items", "Items(1)", "Items?$count=true&$top=1", "Items/$count"])(
    "a read runs again: %s",
    async (target) => {
      await refuse(1);
      const text = await (await service.fetch(new Request(`http://service.example/${target}`))).text();
      expect(text.startsWith("{") ? "error" in (JSON.parse(text) as object) : text).toBe(
        target.endsWith("/$count") ? "1" : false,
      );
      await refuse(Infinity);
      expect(await send("GET", target)).toEqual(LATER);
    },
  );

  test.each<readonly [method: string, target: string, body: object | undefined, status: number]>([
    ["POST", "Items", { Id: 2, Text: "two" }, 201],
    ["PATCH", "Items(1)", { Text: "new" }, 200],
    ["DELETE", "Items(1)", undefined, 204],
    ["POST", "Add", {}, 204],
  ])("a write runs again in its own transaction: %s %s", async (method, target, body, status) => {
    await refuse(1);
    expect(await send(method, target, body)).toEqual({ status, retryAfter: null, error: undefined });
    permit();
    const before = await sql`select * from outdated_items`.execute(opened.db);
    await refuse(Infinity);
    expect(await send(method, target, body)).toEqual(LATER);
    permit();
    expect((await sql`select * from outdated_items`.execute(opened.db)).rows).toEqual(before.rows);
  });
});
