import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { seededRandom, type Random } from "./random.ts";
import { ADJECTIVES, CATEGORIES, CITIES, FIRST_NAMES, LAST_NAMES, NOTES, NOUNS, REGIONS, STATUSES } from "./words.ts";

/** A product, and an element of the array that the scenario S9 filters. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly price: number;
  readonly stock: number;
  readonly discontinued: boolean;
}

/** The number of rows in each table. */
export const SIZES = { products: 1000, customers: 10_000, orders: 100_000, lines: 400_000, drafts: 1000 } as const;

const SCHEMA = `
  CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE products (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL REFERENCES categories,
    price REAL NOT NULL, stock INTEGER NOT NULL, discontinued INTEGER NOT NULL
  );
  CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, region TEXT, email TEXT
  );
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customerId INTEGER NOT NULL REFERENCES customers, orderDate TEXT NOT NULL,
    shippedDate TEXT, status TEXT NOT NULL, freight REAL NOT NULL, paid INTEGER NOT NULL, shipName TEXT NOT NULL,
    shipCity TEXT NOT NULL, shipRegion TEXT, trackingId TEXT NOT NULL, note TEXT
  );
  CREATE TABLE lines (
    id INTEGER PRIMARY KEY, orderId INTEGER NOT NULL REFERENCES orders,
    productId INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, price REAL NOT NULL
  );
  CREATE TABLE drafts (
    id INTEGER PRIMARY KEY, customerId INTEGER NOT NULL, orderDate TEXT NOT NULL,
    shippedDate TEXT, status TEXT NOT NULL, freight REAL NOT NULL, paid INTEGER NOT NULL, shipName TEXT NOT NULL,
    shipCity TEXT NOT NULL, shipRegion TEXT, trackingId TEXT NOT NULL, note TEXT, version INTEGER NOT NULL DEFAULT 1
  );`;

const INDEXES = `
  CREATE INDEX orders_by_date ON orders (orderDate);
  CREATE INDEX orders_by_customer ON orders (customerId);
  CREATE INDEX lines_by_order ON lines (orderId);`;

const SECONDS_A_DAY = 86_400;
/** 2021-01-01T00:00:00Z, in seconds since 1970. */
const FIRST_DAY = 1_609_459_200;
const DAYS = 1500;

/**
 * Writes the data of all scenarios to a SQLite file: the same rows in every run.
 * @param file a path where no file exists
 */
export function writeDatabase(file: string): void {
  const database = new DatabaseSync(file);
  try {
    // Durability does not matter: a lost file is generated again.
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
    database.exec(`BEGIN; ${SCHEMA}`);
    const random = seededRandom(1);
    fill(database, "categories", CATEGORIES.length, (id) => [id, CATEGORIES[id - 1] ?? ""]);
    fill(database, "products", SIZES.products, (id) => productRow(id, random));
    fill(database, "customers", SIZES.customers, (id) => customerRow(id, random));
    fill(database, "orders", SIZES.orders, (id) => orderRow(id, random));
    fill(database, "lines", SIZES.lines, (id) => lineRow(id, random));
    fill(database, "drafts", SIZES.drafts, (id) => [...orderRow(id, random), 1]);
    database.exec(`${INDEXES} COMMIT; ANALYZE;`);
    // sqliteDialect switches to this mode anyway. Both servers then read the file in the same way.
    database.exec("PRAGMA journal_mode = WAL");
  } finally {
    database.close();
  }
}

function fill(
  database: DatabaseSync,
  table: string,
  size: number,
  row: (id: number) => readonly SQLInputValue[],
): void {
  const marks = row(1).map(() => "?");
  const insert = database.prepare(`INSERT INTO ${table} VALUES (${marks.join(", ")})`);
  for (let id = 1; id <= size; id += 1) insert.run(...row(id));
}

/** Makes the values of a product. */
export function makeProduct(id: number, random: Random): Item {
  return {
    id,
    name: `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)} ${String(id)}`,
    categoryId: 1 + random.below(CATEGORIES.length),
    price: random.below(20_000) / 100,
    stock: random.below(500),
    discontinued: random.below(2) === 1,
  };
}

function productRow(id: number, random: Random): readonly SQLInputValue[] {
  return Object.values(makeProduct(id, random)).map((value: SQLInputValue | boolean) =>
    typeof value === "boolean" ? Number(value) : value,
  );
}

function customerRow(id: number, random: Random): readonly SQLInputValue[] {
  const region = random.below(3) === 0 ? random.pick(REGIONS) : null;
  const email = random.below(4) === 0 ? null : `customer${String(id)}@example.com`;
  return [id, fullName(random), random.pick(CITIES), region, email];
}

function orderRow(id: number, random: Random): readonly SQLInputValue[] {
  const ordered = FIRST_DAY + random.below(DAYS * SECONDS_A_DAY);
  return [
    id,
    1 + random.below(SIZES.customers),
    timestamp(ordered),
    random.below(5) === 0 ? null : timestamp(ordered + random.below(14 * SECONDS_A_DAY)),
    random.pick(STATUSES),
    // Sums of quarters are exact, so they do not depend on the order of the rows.
    random.below(4000) / 4,
    random.below(2),
    fullName(random),
    random.pick(CITIES),
    random.below(3) === 0 ? random.pick(REGIONS) : null,
    guid(random),
    random.below(3) === 0 ? random.pick(NOTES) : null,
  ];
}

function lineRow(id: number, random: Random): readonly SQLInputValue[] {
  const order = 1 + Math.floor(((id - 1) * SIZES.orders) / SIZES.lines);
  return [id, order, 1 + random.below(SIZES.products), 1 + random.below(20), random.below(20_000) / 100];
}

function fullName(random: Random): string {
  return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
}

/** Formats seconds since 1970, without a fraction. */
function timestamp(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

function guid(random: Random): string {
  const hex = (length: number): string => Array.from({ length }, () => random.below(16).toString(16)).join("");
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}
