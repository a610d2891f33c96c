import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { Kysely } from "kysely";
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
import { sqliteDialect } from "odatakit/sqlite";

/** One request that could stop a server. */
export interface Attack {
  readonly name: string;
  readonly method?: "GET" | "POST" | undefined;
  /** Not yet encoded. */
  readonly target: string;
  readonly body?: string | undefined;
}

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
});

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
}

/** Opens the service over the tables of `writeAttackedDatabase`. */
export function openAttackedService(file: string, defaults: ServiceDefaults): AttackedService {
  // oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
  const db = new Kysely<any>({ dialect: sqliteDialect(file) });
  const notes = Array.from({ length: NOTES }, (_, index) => ({
    id: index,
    text: `Note ${String((index * 7919) % NOTES)}`,
    tags: ["a", "b", `c${String(index % 50)}`],
    parentId: index === 0 ? null : Math.floor(index / 4),
  }));
  const service = odataService({
    schemaCheck: false,
    logger: { error: ignore, warn: ignore, info: ignore },
    defaults,
    entitySets: [
      sqlEntitySet(Country, {
        db,
        table: "country",
        name: "Countries",
        operations: ["read"],
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
      entitySet(Note, {
        name: "Notes",
        queryable: () => arraySource(Note, notes),
        create: (note) => ({ ...note, id: 1 }),
        navigation: { children: hasMany(Note, { on: { id: "parentId" }, target: "Notes" }) },
      }),
    ],
  });
  return { service, close: () => db.destroy() };
}

function ignore(): void {
  // The errors of attacks are expected.
}

function many(count: number, make: (index: number) => string, separator: string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(separator);
}

const DEEP = "Country/Cities/any(a:a/Country/Cities/any(b:b/Country/Cities/any(c:c/Name eq concat(a/Name,b/Name))))";
const MEGABYTES_29 = 29_000_000;

/** The attacks, by their means. */
export const ATTACKS: readonly Attack[] = [
  { name: "an order by a count along a to-one path", target: "/Cities?$orderby=Country/Cities/$count&$top=1" },
  {
    name: "the same, twice",
    target: "/Cities?$orderby=Country/Cities/$count,Country/Name&$filter=Country/Cities/$count gt Id&$count=true",
  },
  {
    name: "a search for 200 words",
    target: `/Cities?$search=${many(200, (index) => `w${String(index)}`, " ")}&$top=1`,
  },
  {
    name: "a search for one of 200 words",
    target: `/Cities?$search=${many(200, (index) => `w${String(index)}`, " OR ")}&$top=1`,
  },
  {
    name: "190 functions per row",
    target: `/Cities?$filter=${many(190, (index) => `contains(tolower(Name),'x${String(index)}')`, " or ")}&$top=1`,
  },
  {
    name: "a condition with 200 operators",
    target: `/Cities?$filter=${many(200, (index) => `Population eq ${String(200_000 + index)}`, " or ")}&$count=true`,
  },
  {
    name: "arithmetic",
    target: `/Cities?$filter=${many(40, (index) => `(Population mul ${String(index)} add Id) mod 7 eq 9`, " or ")}&$top=1`,
  },
  { name: "any within any within any", target: `/Cities?$filter=${DEEP}&$top=1` },
  {
    name: "all within any",
    target: "/Countries?$filter=Cities/any(a:a/Country/Cities/all(b:b/Name ne concat(a/Name,'x')))&$count=true",
  },
  {
    name: "a cross join through $it",
    target: "/Cities?$filter=Country/Cities/any(a:a/Name eq concat($it/Name,a/Name))&$count=true",
  },
  {
    name: "many of them",
    target: `/Cities?$filter=${many(30, () => "Country/Cities/any(a:a/Name eq concat($it/Name,a/Name))", " or ")}&$count=true`,
  },
  {
    name: "a count of everything filtered",
    target: "/Cities/$count?$filter=endswith(Name,'xyz') and indexof(tolower(Name),'q') gt 3",
  },
  {
    name: "an in list",
    target: `/Cities?$filter=Name in (${many(900, (index) => `'n${String(index)}'`, ",")})&$top=1`,
  },
  { name: "an expansion of everything", target: "/Countries?$expand=Cities($expand=Country($expand=Cities))&$top=100" },
  {
    name: "an expansion with counts",
    target: "/Cities?$expand=Country($expand=Cities($count=true;$top=1;$orderby=Name desc))&$top=1000",
  },
  { name: "a deep offset", target: "/Cities?$skip=33990&$orderby=Name desc" },
  { name: "an array: order of everything", target: "/Notes?$orderby=tolower(Text) desc,Id&$top=1" },
  {
    name: "an array: 190 functions per element",
    target: `/Notes?$filter=${many(190, (index) => `contains(tolower(Text),'x${String(index)}')`, " or ")}`,
  },
  {
    name: "an array: any within any",
    target: "/Notes?$filter=Tags/any(a:$it/Tags/any(b:$it/Tags/any(c:concat(a,b) eq concat(c,'x'))))",
  },
  {
    name: "an array: a cross join",
    target: "/Notes?$filter=Children/any(a:a/Children/any(b:b/Text eq concat(a/Text,$it/Text)))&$count=true",
  },
  { name: "an array: order by a count", target: "/Notes?$orderby=Children/$count desc&$top=1" },
  { name: "an array: $levels", target: "/Notes?$expand=Children($levels=max)&$top=1000" },
  {
    name: "a body of 29 MB, one string",
    method: "POST",
    target: "/Notes",
    body: `{"Id":1,"Tags":[],"Text":"${"x".repeat(MEGABYTES_29)}"}`,
  },
  {
    name: "a body of 29 MB, escapes",
    method: "POST",
    target: "/Notes",
    body: `{"Id":1,"Tags":[],"Text":"${String.raw`\u0041`.repeat(MEGABYTES_29 / 6)}"}`,
  },
  {
    name: "a body of 29 MB, items",
    method: "POST",
    target: "/Notes",
    body: `{"Id":1,"Text":"","Tags":[${'"x",'.repeat(MEGABYTES_29 / 4 - 10)}"x"]}`,
  },
  {
    name: "a body of 29 MB, blanks",
    method: "POST",
    target: "/Notes",
    body: `{"Id":1,"Text":"","Tags":[]${" ".repeat(MEGABYTES_29)}}`,
  },
  { name: "a body of 29 MB, digits", method: "POST", target: "/Notes", body: `{"Id":${"1".repeat(MEGABYTES_29)}}` },
  { name: "a body of 29 MB, nested", method: "POST", target: "/Notes", body: "[".repeat(MEGABYTES_29) },
];

/** The end of a request. */
export interface Attacked {
  readonly status: number;
  readonly code: string | undefined;
  /** Milliseconds until the response was complete. */
  readonly time: number;
  /** The longest CPU time of the main thread between two turns of its event loop, in milliseconds. */
  readonly pause: number;
}

/** Sends a request, and measures how long nothing else could run. CPU time does not depend on the load of the machine. */
export async function attack(service: ODataService, { method = "GET", target, body }: Attack): Promise<Attacked> {
  const request = new Request(`http://attacked.example${encodeURI(target)}`, {
    method,
    ...(body === undefined ? {} : toStream(body)),
  });
  let pause = 0;
  let last = cpuTime();
  const tick = (): void => {
    const now = cpuTime();
    pause = Math.max(pause, now - last);
    last = now;
  };
  const timer = setInterval(tick, 1);
  const begun = performance.now();
  const response = await service.fetch(request);
  const text = await readText(response);
  const time = performance.now() - begun;
  tick();
  clearInterval(timer);
  const code = response.ok ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
  return { status: response.status, code, time, pause };
}

const CHUNK_LENGTH = 1 << 16;

/** Makes a body that arrives in chunks, as from a connection, so that the work of the client is no pause of the server. */
function toStream(body: string): RequestInit {
  const bytes = Buffer.from(body);
  let start = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await setImmediate();
      controller.enqueue(bytes.subarray(start, (start += CHUNK_LENGTH)));
      if (start >= bytes.length) controller.close();
    },
  });
  return { body: stream, duplex: "half", headers: { "Content-Type": "application/json" } };
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
