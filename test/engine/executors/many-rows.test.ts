import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, enumType, hasOptional, odataService, type EntityOf } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { once } from "../../../src/base/memo.ts";
import { isDistributed } from "../../databases/distributed/watched-database.ts";
import { randomNumbers } from "../rows/row-pairs.ts";
import { createTable, ENGINES, type DatabaseEngine, type DatabaseName, type OpenDatabase } from "./engines.ts";

/** Pipelines over many rows have equal responses over arrays and each database, with ties, nulls and sums beyond each type. */

const ROWS = 100_000;
const ITEMS = 900;
const ORIGIN = "http://service.example";

const Grade = enumType("Grade", { Low: 9, High: 1, Middle: 4 });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string().nullable(), rate: edm.int32() });
const Sale = entityType("Sale", {
  id: edm.int32().key(),
  city: edm.string().nullable(),
  amount: edm.decimal({ precision: 24, scale: 4 }).nullable(),
  units: edm.int32(),
  stock: edm.int64().nullable(),
  weight: edm.double().nullable(),
  grade: edm.enum(Grade).nullable(),
  paid: edm.boolean(),
  at: edm.dateTimeOffset({ precision: 3 }),
  local: edm.dateTimeOffset().nullable(),
  day: edm.date().nullable(),
  itemId: edm.int32().nullable(),
});
type Sale = EntityOf<typeof Sale>;

/** Texts that some collations do not tell apart, or sort by language. */
const CITIES = ["Rome", "rome", "ROME", "Rome ", "", "Ä", "a", "ä", "z", "\u{1F600}", "\uFFFD", "it's", null];
/** Values whose sums need more digits than their types. */
const AMOUNTS = ["99999999999999999999.9999", "-99999999999999999999.9999", "0.0001", "-0.0050", "12.5", "0"];
const STOCKS = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n - 2n, 1n, 0n];
/** The same instant at several offsets, in years that differ by them. */
const LOCALS = [
  "2024-01-01T00:30:00+01:00",
  "2023-12-31T23:30:00Z",
  "2023-12-31T18:30:00.000-05:00",
  "2024-02-29T12:00:00.5+05:30",
  "2024-02-29T06:30:00.50Z",
];

const random = randomNumbers(20_240_229);
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;
const orNull = <T>(value: () => T): T | null => (below(8) === 0 ? null : value());

const items = Array.from({ length: ITEMS }, (_none, id) => ({
  id,
  name: id % 9 === 0 ? null : `item ${String(id % 100)}`,
  rate: (id * 7919) % 1000,
}));
const sales: readonly Sale[] = Array.from({ length: ROWS }, (_none, id) => ({
  id,
  city: oneOf(CITIES),
  amount: orNull(() => oneOf(AMOUNTS)),
  units: below(4) === 0 ? 2_147_483_647 - below(3) : below(50),
  stock: orNull(() => oneOf(STOCKS)),
  // Sums of multiples of a quarter have no rounding errors, whose order would matter.
  weight: orNull(() => (below(4000) - 2000) / 4),
  grade: orNull(() => oneOf(["Low", "High", "Middle"] as const)),
  paid: below(2) === 0,
  at: new Date(Date.UTC(2023, below(24), 1 + below(28), below(24)) + below(1000)).toISOString(),
  local: orNull(() => oneOf(LOCALS)),
  day: orNull(() => `2024-0${String(1 + below(9))}-1${String(below(10))}`),
  // Some refer to no item.
  itemId: orNull(() => below(ITEMS + 20)),
}));

const NAVIGATION = { item: hasOptional(Item, { target: "Items", on: { itemId: "id" } }) };
const silent = (): void => undefined;
const SERVICE = {
  // The tables have no indexes.
  logger: { error: silent, warn: silent, info: silent },
  profile: "standard",
  prefix: "",
  defaults: { maxTop: null, maxPageSize: 50_000, maxResponseEntities: null, queryTimeout: 120_000 },
} as const;

const memory = once(() =>
  odataService({
    ...SERVICE,
    entitySets: [
      entitySet(Sale, { queryable: () => arraySource(Sale, sales), navigation: NAVIGATION }),
      entitySet(Item, { queryable: () => arraySource(Item, items) }),
    ],
  }),
);

type Types = Readonly<Record<DatabaseName, string>>;
const same = (type: string): Types => ({ sqlite: type, postgres: type, mariadb: type });
const COLUMNS: Readonly<Record<string, Types>> = {
  id: same("integer primary key"),
  city: {
    sqlite: "text collate nocase",
    postgres: 'text collate "und-x-icu"',
    mariadb: "varchar(20) collate utf8mb4_unicode_ci",
  },
  amount: { sqlite: "text", postgres: "numeric(24,4)", mariadb: "decimal(24,4)" },
  units: same("integer not null"),
  stock: { ...same("bigint"), sqlite: "integer" },
  weight: { sqlite: "real", postgres: "double precision", mariadb: "double" },
  grade: same("varchar(10)"),
  paid: { ...same("boolean not null"), sqlite: "integer not null" },
  at: { sqlite: "text not null", postgres: "timestamptz(3) not null", mariadb: "datetime(3) not null" },
  local: same("varchar(40)"),
  day: { ...same("date"), sqlite: "text" },
  itemId: same("integer"),
};

function cellsOf(sale: Sale, name: DatabaseName): readonly unknown[] {
  const { id, city, amount, units, stock, weight, grade, paid, at, local, day, itemId } = sale;
  const whole = name === "sqlite" || stock === null ? stock : String(stock);
  const instant = name === "mariadb" ? at.replace("T", " ").replace("Z", "") : at;
  return [
    id,
    city,
    amount,
    units,
    whole,
    weight,
    grade,
    name === "sqlite" ? Number(paid) : paid,
    instant,
    local,
    day,
    itemId,
  ];
}

async function fill({ db }: OpenDatabase, table: string, rows: readonly (readonly unknown[])[]): Promise<void> {
  const size = 2000;
  for (let start = 0; start < rows.length; start += size) {
    const values = rows
      .slice(start, start + size)
      .map((cells) => sql`(${sql.join(cells.map((cell) => sql.val(cell)))})`);
    await sql`insert into ${sql.id(table)} values ${sql.join(values)}`.execute(db);
  }
}

async function openTables({ name, open }: DatabaseEngine) {
  const opened = await open();
  const { db, close } = opened;
  const types = Object.entries(COLUMNS).map(([column, each]) => [column, each[name]] as const);
  await createTable(opened, "sales", Object.fromEntries(types));
  await createTable(opened, "items", { id: "integer primary key", name: "varchar(20)", rate: "integer not null" });
  await fill(
    opened,
    "sales",
    sales.map((sale) => cellsOf(sale, name)),
  );
  await fill(
    opened,
    "items",
    items.map(({ id, name: text, rate }) => [id, text, rate]),
  );
  const table = { db, operations: ["read"], distributed: isDistributed(db) } as const;
  const service = odataService({
    ...SERVICE,
    entitySets: [
      sqlEntitySet(Sale, {
        ...table,
        table: "sales",
        columns: { local: { storage: "text" } },
        navigation: NAVIGATION,
      }),
      sqlEntitySet(Item, { ...table, table: "items" }),
    ],
  });
  return { service, close };
}

const ALL =
  "aggregate($count as N,Amount with sum as As,Amount with average as Aa,Amount with min as An,Amount with countdistinct as Ad," +
  "Units with sum as Us,Units with average as Ua,Stock with sum as Ss,Stock with average as Sa,Stock with max as Sx," +
  "Weight with sum as Ws,Weight with average as Wa,Grade with max as Gx,City with min as Cn,City with max as Cx," +
  "City with countdistinct as Cd,At with max as Tx,Day with min as Dn)";

const PIPELINES: readonly Readonly<Record<string, string>>[] = [
  { $apply: ALL },
  { $apply: `filter(Id lt 0)/${ALL}` },
  { $apply: `groupby((City),${ALL})` },
  { $apply: "groupby((Grade,Paid),aggregate(Stock with average as S,Amount with average as A,Weight with min as W))" },
  {
    $apply: "groupby((City),filter(Units gt 40)/aggregate(Units with sum as U,Amount with max as A,Day with max as D))",
    $orderby: "U desc,City desc",
    $count: "true",
  },
  { $apply: "groupby((Amount,Stock),aggregate($count as N))" },
  { $apply: "groupby((Local),aggregate($count as N,Stock with sum as S))/orderby(Local desc)" },
  { $apply: "groupby((Day,Grade))", $filter: "Day ne null", $top: "70", $skip: "11" },
  { $apply: "compute(year(At) as Y,month(At) as M)/groupby((Y,M),aggregate(Amount with sum as S,$count as N))" },
  {
    $apply:
      "filter(Id lt 9000)/compute(year(Local) as Y,hour(Local) as H)/groupby((Y,H),aggregate($count as N,Local with max as L))",
  },
  {
    $apply: "filter(Id ge 50000)/compute(date(Local) as D)/groupby((D,Paid),aggregate(Local with countdistinct as L))",
  },
  { $apply: "compute(Weight mul 4 mod 7 as W)/groupby((W),aggregate($count as N))/orderby(N desc)/top(5)" },
  { $apply: "groupby((Item/Name),aggregate($count as N,Item/Rate mul 1 with sum as R))" },
  { $apply: "groupby((ItemId,Item/Rate),aggregate(Units with sum as S))/filter(S gt 0)/topcount(9,S)" },
  { $apply: "groupby((ItemId),aggregate($count as N))/groupby((N),aggregate($count as Items))" },
  { $apply: "groupby((Id))/aggregate($count as N,Id with sum as S)" },
  { $apply: "filter(Item/Rate lt 20)/orderby(Item/Name desc,Units)/skip(3)/top(40)", $select: "Id,City,Units" },
  { $apply: "topcount(25,Units)", $select: "Id,Units" },
  { $apply: "bottomcount(25,City)", $select: "Id,City" },
  { $apply: "groupby((City),topcount(3,Units))", $select: "Id,City,Units" },
  { $apply: "groupby((Grade),orderby(At desc)/skip(2)/top(2))", $select: "Id,Grade,Local" },
  { $apply: "orderby(Stock desc)/top(5000)/groupby((City),aggregate(Amount with sum as S))" },
  {
    $apply:
      "filter(Paid)/concat(aggregate(Amount with sum as Amount),groupby((City),aggregate(Amount with sum as Amount))/concat(aggregate($count as UI5__count),top(4)))",
  },
  { $apply: "concat(groupby((City),aggregate($count as N)),aggregate($count as N))", $orderby: "N desc", $top: "5" },
  { $compute: "Amount mul 2 as Twice,year(At) as Y", $orderby: "Twice desc,Y", $select: "Id,Twice,Y", $top: "50" },
];

async function answerOf(
  service: ReturnType<typeof odataService>,
  options: Readonly<Record<string, string>>,
): Promise<string> {
  const texts = Object.entries(options).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  const response = await service.fetch(new Request(`${ORIGIN}/Sales?${texts.join("&")}`));
  return `${String(response.status)} ${await response.text()}`;
}

/** The responses over arrays, for all databases. */
const expected = once(async () => {
  const texts: string[] = [];
  for (const options of PIPELINES) texts.push(await answerOf(memory(), options));
  return texts;
});

describe.each(ENGINES)(`${String(ROWS)} rows of $title`, (engine) => {
  test("are grouped and aggregated as in arrays", async () => {
    const texts = await expected();
    const { service, close } = await openTables(engine);
    try {
      for (const [index, options] of PIPELINES.entries()) {
        const text = texts[index] ?? "";
        expect(text.slice(0, 4), JSON.stringify(options)).toBe("200 ");
        expect(await answerOf(service, options), JSON.stringify(options)).toBe(text);
      }
    } finally {
      await close();
    }
  });
});
