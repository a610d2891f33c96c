import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasRequired,
  odataService,
  type ODataService,
  type ServiceDefaults,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { type Attack, pauseBudget } from "./attack.ts";
import { label, tagged, wideSets } from "./attacked-sets.ts";
import { databaseNameOf, openDatabase } from "./open-database.ts";
import { peakMemory, resetPeakMemory } from "./peak-memory.ts";

const Country = entityType("Country", { id: edm.int32().key(), name: edm.string() });
const City = entityType("City", {
  id: edm.int32().key(),
  name: edm.string(),
  countryId: edm.int32(),
  population: edm.int32(),
});
const Note = entityType("Note", {
  id: edm.int32().key(),
  text: edm.string(),
  tags: edm.collection(edm.string()),
  parentId: edm.int32().nullable(),
  price: edm.decimal({ precision: 30, scale: 4 }).nullable(),
  bytes: edm.binary().nullable(),
});

const Text = entityType("Text", { id: edm.int32().key(), text: edm.string() });

const TEXTS = 3;
const MANY_TEXTS = 60;
const TEXT_LENGTH = 1_000_000;
const LONG_TEXTS = 2;
const LONG_TEXT_LENGTH = 20_000_000;
const COUNTRIES = 244;
const CITIES = 34_000;
const NOTES = 10_000;

/** Writes the tables that the attacks read. */
export function writeAttackedDatabase(file: string): void {
  const made = new DatabaseSync(file);
  made.exec(`pragma journal_mode = wal;
    create table country (id integer primary key, name text not null);
    create table city (id integer primary key, name text not null, country_id integer not null, population integer not null);
    create index city_country on city (country_id);
    create table text (id integer primary key, text text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(TEXTS)})
      insert into text select i, replace(hex(zeroblob(${String(TEXT_LENGTH / 2)})), '0', 'x') from n;
    create table long_text (id integer primary key, text text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(LONG_TEXTS)})
      insert into long_text select i, replace(hex(zeroblob(${String(LONG_TEXT_LENGTH / 2)})), '0', 'x') from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(COUNTRIES)})
      insert into country select i, 'Country ' || i from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(CITIES)})
      insert into city select i, 'City ' || i, 1 + (i * 7919) % ${String(COUNTRIES)}, i * 13 % 100000 from n`);
  made.close();
}

/** A service over tables and over an array, and its end. */
export interface AttackedService {
  readonly service: ODataService;
  readonly close: () => Promise<void>;
  readonly isPostgres: boolean;
}

/** Writes the same tables into a database of PostgreSQL. */
export async function writeAttackedTables(place: string): Promise<void> {
  const db = openDatabase(place);
  try {
    await sql`create table country (id integer primary key, name text not null)`.execute(db);
    await sql`create table city (id integer primary key, name text not null, country_id integer not null, population integer not null)`.execute(
      db,
    );
    await sql`create index city_country on city (country_id)`.execute(db);
    await sql`create table text (id integer primary key, text text not null)`.execute(db);
    await sql`insert into text select i, repeat('x', ${sql.lit(TEXT_LENGTH)}) from generate_series(1, ${sql.lit(TEXTS)}) as i`.execute(
      db,
    );
    await sql`insert into country select i, 'Country ' || i from generate_series(1, ${sql.lit(COUNTRIES)}) as i`.execute(
      db,
    );
    await sql`insert into city select i, 'City ' || i, 1 + (i * 7919) % ${sql.lit(COUNTRIES)}, i * 13 % 100000
      from generate_series(1, ${sql.lit(CITIES)}) as i`.execute(db);
    await sql`vacuum analyze`.execute(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Opens the service over the attacked tables.
 * @param place a SQLite file, or the URL of a database of PostgreSQL
 */
export function openAttackedService(place: string, defaults: ServiceDefaults): AttackedService {
  const db = openDatabase(place);
  const notes = Array.from({ length: NOTES }, (_, index) => ({
    id: index,
    text: `Note ${String((index * 7919) % NOTES)}`,
    tags: ["a", "b", `c${String(index % 50)}`],
    parentId: index === 0 ? null : Math.floor(index / 4),
    price: null,
    bytes: null,
  }));
  const texts = Array.from({ length: TEXTS }, (_, index) => ({ id: index + 1, text: "x".repeat(TEXT_LENGTH) }));
  // The rows share one text: only their keys take memory.
  const manyTexts = Array.from({ length: MANY_TEXTS }, (_, index) => ({ id: index + 1, text: texts[0]?.text ?? "" }));
  const byId = new Map(notes.map((note) => [note.id, note]));
  const children = (id: number): typeof notes =>
    [4 * id, 4 * id + 1, 4 * id + 2, 4 * id + 3].flatMap((each) => byId.get(each === 0 ? -1 : each) ?? []);
  const service = odataService({
    schemaCheck: false,
    logger: { error: ignore, warn: ignore, info: ignore },
    defaults,
    batch: { json: true, maxParts: 2000 },
    functions: { tagged },
    actions: { label },
    entitySets: [
      sqlEntitySet(Country, {
        db,
        table: "country",
        name: "Countries",
        operations: ["read", "create"],
        allowDeepInsert: true,
        navigation: { cities: hasMany(City, { on: { id: "countryId" }, target: "Cities", partner: "country" }) },
      }),
      sqlEntitySet(City, {
        db,
        table: "city",
        name: "Cities",
        operations: ["read", "create"],
        columns: { countryId: "country_id" },
        search: ["name"],
        navigation: {
          country: hasRequired(Country, { on: { countryId: "id" }, target: "Countries", partner: "cities" }),
        },
      }),
      sqlEntitySet(Text, { db, table: "text", name: "Texts", operations: ["read"] }),
      sqlEntitySet(Text, { db, table: "long_text", name: "LongTexts", operations: ["read"] }),
      entitySet(Text, { name: "ListedTexts", queryable: () => arraySource(Text, texts) }),
      entitySet(Text, { name: "ManyListedTexts", queryable: () => arraySource(Text, manyTexts) }),
      entitySet(Note, {
        name: "Notes",
        queryable: () => arraySource(Note, notes),
        create: (note) => ({ ...note, id: 1 }),
        allowDeepInsert: true,
        navigation: { children: hasMany(Note, { on: { id: "parentId" }, target: "Notes" }) },
      }),
      ...wideSets(),
      entitySet(Note, {
        name: "Slow",
        getAll: async () => {
          await setImmediate();
          return notes;
        },
        getByKey: async (id) => {
          await setImmediate();
          return byId.get(id) ?? null;
        },
        search: async () => {
          await setImmediate();
          return notes;
        },
        navigation: {
          children: hasMany(Note, {
            target: "Slow",
            get: async (id) => {
              await setImmediate();
              return children(id);
            },
          }),
        },
      }),
    ],
  });
  return { service, close: () => db.destroy(), isPostgres: databaseNameOf(place) === "postgres" };
}

function ignore(): void {
  // The errors of attacks are expected.
}

/** The end of a request. */
export interface Attacked {
  readonly status: number;
  readonly code: string | undefined;
  /** Milliseconds until the response was complete. */
  readonly time: number;
  /** The longest CPU time of the main thread between two turns of its event loop, in milliseconds. */
  readonly pause: number;
  /** The bytes by which the memory of the process grew meanwhile. */
  readonly memory: number;
  /** The longest pause that is acceptable, in milliseconds. */
  readonly budget: number;
}

/** Sends a request, and measures how long nothing else could run. CPU time does not depend on the load of the machine. */
export async function attack(
  service: ODataService,
  { method = "GET", target, body, longest = 0, headers = {} }: Attack,
): Promise<Attacked> {
  const bytes = body === undefined ? null : Buffer.from(body());
  const request = new Request(`http://attacked.example${encodeURI(target)}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(bytes === null ? {} : toStream(bytes)),
  });
  let pause = 0;
  let last = cpuTime();
  const tick = (): void => {
    const now = cpuTime();
    pause = Math.max(pause, now - last);
    last = now;
  };
  const timer = setInterval(tick, 1);
  const memory = resetPeakMemory();
  const begun = performance.now();
  const response = await service.fetch(request);
  const text = await readText(response);
  const time = performance.now() - begun;
  tick();
  clearInterval(timer);
  const code = response.ok ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
  const budget = pauseBudget(Math.max(bytes?.length ?? 0, longest));
  return { status: response.status, code, time, pause, memory: peakMemory() - memory, budget };
}

const CHUNK_LENGTH = 1 << 16;

/** Makes a body that arrives in chunks, as from a connection, so that the work of the client does not pause the server. */
function toStream(bytes: Uint8Array): RequestInit {
  let start = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await setImmediate();
      controller.enqueue(bytes.subarray(start, (start += CHUNK_LENGTH)));
      if (start >= bytes.length) controller.close();
    },
  });
  return { body: stream, duplex: "half" };
}

/** Reads the start of a response, and waits for its end. */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  let text = "";
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    if (text.length < CHUNK_LENGTH) text += Buffer.from(next.value as Uint8Array).toString();
    await setImmediate();
  }
  return text;
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
