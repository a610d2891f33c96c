import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql, type DatabaseConnection } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import type { ArrayReader, ReadRowsResult } from "../../../src/databases/connection/array-reader.ts";
import { connectionsOf } from "../../databases/sql/sent-statements.ts";
import { ENGINES, type AnyDatabase } from "../executors/engines.ts";

const Good = entityType("Good", { id: edm.int32().key(), kind: edm.int32(), amount: edm.int32() });

/** Adds goods of a new kind. */
const added = (id: number): string => `insert into goods values (${String(id)}, ${String(id)}, 1000)`;
const CREATED = [
  "create table goods (id integer not null primary key, kind integer not null, amount integer not null)",
  "insert into goods values (1, 1, 5), (2, 1, 6), (3, 2, 7)",
];

/** A database to which another client writes after each statement that reads the goods. */
interface Busy {
  readonly db: AnyDatabase;
  readonly onStatement?: (statement: { readonly sql: string }) => void;
  readonly writes: () => number;
  readonly close: () => Promise<void>;
}

const reads = (text: string): boolean => text.includes("goods") && text.includes("select");

/** Each statement of SQLite is reported when it has ended: then another connection writes. */
function openFile(): Promise<Busy> {
  const folder = mkdtempSync(join(tmpdir(), "one-state-"));
  const file = join(folder, "goods.db");
  const other = new DatabaseSync(file);
  other.exec("pragma journal_mode = wal");
  for (const statement of CREATED) other.exec(statement);
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file) });
  let last = 9;
  const onStatement: Busy["onStatement"] = (statement) => {
    if (reads(statement.sql)) other.exec(added((last += 1)));
  };
  const close = async (): Promise<void> => {
    await db.destroy();
    other.close();
    rmSync(folder, { recursive: true });
  };
  return Promise.resolve({ db, onStatement, writes: () => last - 9, close });
}

/** A statement of a server ends for the service only when another connection has written. */
async function openServer({ open }: (typeof ENGINES)[number]): Promise<Busy> {
  const { db, close } = await open();
  for (const statement of CREATED) await sql.raw(statement).execute(db);
  const connections: DatabaseConnection & Partial<ArrayReader> = await connectionsOf(db);
  let last = 9;
  const write = async (texts: readonly string[]): Promise<void> => {
    if (texts.some(reads)) await sql.raw(added((last += 1))).execute(db);
  };
  const executeQuery = Reflect.get(connections, "executeQuery");
  const readEach = Reflect.get(connections, "readEach");
  connections.executeQuery = async function (this: DatabaseConnection, query, options) {
    const result = await executeQuery.call(this, query, options);
    await write([query.sql]);
    return result as never;
  };
  if (readEach !== undefined) {
    connections.readEach = async function (this: ArrayReader, commands, options) {
      const found: ReadRowsResult[] = [];
      for (const command of commands) {
        found.push(...(await readEach.call(this, [command], options)));
        await write([command.sql]);
      }
      return found;
    };
  }
  const end = async (): Promise<void> => {
    connections.executeQuery = executeQuery;
    if (readEach !== undefined) connections.readEach = readEach;
    await close();
  };
  return { db, writes: () => last - 9, close: end };
}

const servers = ENGINES.filter(({ title }) => title === "PostgreSQL" || title === "MariaDB");
const BUSY: readonly (readonly [title: string, open: () => Promise<Busy>])[] = [
  ["SQLite", openFile],
  ...servers.map((engine): (typeof BUSY)[number] => [engine.title, () => openServer(engine)]),
];

async function answerOf({ db, onStatement }: Busy, targets: readonly string[]): Promise<readonly unknown[]> {
  const service = odataService({
    profile: "standard",
    schemaCheck: false,
    ...(onStatement && { onStatement }),
    entitySets: [sqlEntitySet(Good, { db, table: "goods", operations: ["read"] })],
  });
  const bodies: unknown[] = [];
  for (const target of targets) {
    const response = await service.fetch(new Request(`http://x/Goods?${encodeURI(target)}`));
    bodies.push([response.status, await response.json()]);
  }
  return bodies;
}

const DECIMAL = { "Total@odata.type": "#Int64" };
const ui5 =
  "$apply=concat(aggregate(Amount with sum as Total),groupby((Kind),aggregate(Amount with sum as Total))/concat(aggregate($count as UI5__count),top(4)))";

describe.each(BUSY)("over %s, while another client writes after each statement", (_title, open) => {
  test("the parts of concat show one state", async () => {
    const busy = await open();
    const [body] = await answerOf(busy, [ui5]);
    expect(body).toEqual([
      200,
      {
        "@odata.context": "http://x/$metadata#Goods",
        value: [
          { ...DECIMAL, Total: 18 },
          { "UI5__count@odata.type": "#Decimal", UI5__count: 2 },
          { Kind: 1, ...DECIMAL, Total: 11 },
          { Kind: 2, ...DECIMAL, Total: 7 },
        ],
      },
    ]);
    expect(busy.writes()).toBe(3);
    await busy.close();
  });

  test("a page and its count show one state", async () => {
    const busy = await open();
    const page = "$apply=groupby((Kind))&$count=true&$top=2&$skip=";
    const counted = (count: number, ...kinds: readonly number[]): unknown => [
      200,
      {
        "@odata.context": "http://x/$metadata#Goods(Kind)",
        "@odata.count": count,
        value: kinds.map((Kind) => ({ Kind })),
      },
    ];
    const [first, before] = await answerOf(busy, [`${page}2`, `${page}0`]);
    expect(first).toEqual(counted(2));
    const writes = busy.writes();
    expect(before).toEqual(counted(2 + 2, 1, 2));
    expect(writes).toBeGreaterThan(2);
    await busy.close();
  });

  test("reads leave their connections", async () => {
    const busy = await open();
    const wrong = "$apply=concat(aggregate($count as N),aggregate(Amount div (Kind sub Kind) with sum as S))";
    const bodies = await answerOf(busy, [...Array.from({ length: 12 }, () => wrong), ui5]);
    expect(bodies.at(-1)).toEqual([200, expect.anything()]);
    await busy.close();
  });
});
