import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { Kysely, sql } from "kysely";
import {
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
  role,
  type ODataService,
} from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { required } from "../../../src/base/required.ts";
import { findDatabase } from "../../../src/databases/kinds/find-database.ts";
import type { ExplorerStatement, ExplorerTrace } from "../../../src/hosts/explorer/traces.ts";
import { caseCount } from "../../cases.ts";
import {
  createTable,
  ENGINES,
  insertRow,
  type AnyDatabase,
  type OpenDatabase,
} from "../../engine/executors/engines.ts";
import { tinyFolder } from "../../hosts/explorer/tiny-files.ts";
import { recordingLogger } from "../../service/http/model.ts";

const folder = mkdtempSync(join(tmpdir(), "pasted-statements-"));
const page = tinyFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const Color = enumType("Color", { Red: 0, Green: 1 });
const Item = entityType("Item", {
  id: edm.int32().key(),
  flag: edm.boolean(),
  large: edm.int64(),
  ratio: edm.double(),
  price: edm.decimal({ precision: 12, scale: 2 }),
  text: edm.string(),
  code: edm.guid(),
  day: edm.date(),
  at: edm.timeOfDay({ precision: 3 }),
  moment: edm.dateTimeOffset({ precision: 3 }),
  color: edm.enum(Color),
  bytes: edm.binary(),
  ownerId: edm.int32().nullable(),
});
const Owner = entityType("Owner", { id: edm.int32().key(), name: edm.string() });
const Odd = entityType("Odd", { id: edm.int32().key(), text: edm.string() });

const LONG = "long ".repeat(2000);
const ROWS = [
  [
    1,
    true,
    9007199254740993n,
    0.1,
    "12.50",
    "it's",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "2024-02-29",
    "12:30:00.500",
    "2024-02-29 12:00:00.125",
    "Red",
    "00ff",
    1,
  ],
  [
    2,
    false,
    -9223372036854775808n,
    1e300,
    "-0.01",
    "back\\slash",
    "00000000-0000-0000-0000-000000000000",
    "1999-12-31",
    "00:00:00",
    "1999-12-31 23:59:59",
    "Green",
    "27",
    2,
  ],
  [
    3,
    true,
    0n,
    -2.5,
    "100.00",
    "two\nlines\t'",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "2000-01-01",
    "23:59:59",
    "2000-01-01 00:00:00",
    "Red",
    "5c",
    1,
  ],
  [
    4,
    true,
    7n,
    5,
    "5.00",
    LONG,
    "ffffffff-ffff-ffff-ffff-fffffffffff0",
    "2001-01-01",
    "23:59:58",
    "2001-01-01 00:00:00",
    "Green",
    "",
    null,
  ],
] as const;

const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sqlite: {
    flag: "integer",
    large: "integer",
    ratio: "real",
    price: "text",
    text: "text",
    code: "text",
    day: "text",
    at: "text",
    moment: "text",
    color: "text",
    bytes: "blob",
  },
  postgres: {
    flag: "boolean",
    large: "bigint",
    ratio: "float8",
    price: "numeric(12,2)",
    text: "text",
    code: "uuid",
    day: "date",
    at: "time(3)",
    moment: "timestamptz(3)",
    color: "text",
    bytes: "bytea",
  },
  mariadb: {
    flag: "boolean",
    large: "bigint",
    ratio: "double",
    price: "decimal(12,2)",
    text: "text character set utf8mb4 collate utf8mb4_bin",
    code: "char(36)",
    day: "date",
    at: "time(3)",
    moment: "datetime(3)",
    color: "varchar(10)",
    bytes: "varbinary(100)",
  },
};

/** Runs a statement as people do: for SQLite, without the functions of the service. */
type Run = (statement: string) => Promise<readonly (readonly unknown[])[]>;

interface Opened {
  readonly opened: OpenDatabase;
  readonly run: Run;
}

async function openNamed(name: string, open: () => Promise<OpenDatabase>): Promise<Opened> {
  if (name !== "sqlite") {
    const opened = await open();
    const run: Run = async (statement) => {
      const { rows } = await sql.raw(statement).execute(opened.db);
      return rows.map((row) => Object.values(row as object));
    };
    return { opened, run };
  }
  const file = join(folder, "items.db");
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file) });
  const run: Run = (statement) => {
    const plain = new DatabaseSync(file, { readOnly: true });
    try {
      return Promise.resolve(
        plain
          .prepare(statement)
          .all()
          .map((row) => Object.values(row)),
      );
    } finally {
      plain.close();
    }
  };
  return { opened: { db, close: () => db.destroy() }, run };
}

function serviceOver(db: AnyDatabase): ODataService {
  return odataService({
    logger: recordingLogger(),
    profile: "standard",
    defaults: { maxTop: 2 },
    authenticate: ({ headers }) => ({ id: headers.get("x-user") ?? "ann", roles: ["admin"] }),
    entitySets: [
      sqlEntitySet(Item, {
        db,
        table: "items",
        columns: { ownerId: "owner_id" },
        operations: ["read"],
        navigation: { owner: hasOptional(Owner, { target: "Owners", on: { ownerId: "id" } }) },
      }),
      sqlEntitySet(Owner, {
        db,
        table: "owners",
        operations: ["read"],
        navigation: { items: hasMany(Item, { target: "Items", on: { id: "ownerId" } }) },
      }),
      entitySet(Odd, {
        name: "Odds",
        queryable: () =>
          sqlSource(Odd, { db, from: db.selectFrom("items").select(["id", "text"]).where("id", "in", [1, 3]) }),
      }),
    ],
    routes: [explorerRoute({ sql: role("admin"), folder: page })],
  });
}

interface Answer {
  readonly body: { readonly value?: readonly Readonly<Record<string, unknown>>[]; readonly [name: string]: unknown };
  readonly statements: readonly ExplorerStatement[];
}

async function ask(service: ODataService, target: string): Promise<Answer> {
  const send = (path: string, id: string): Promise<Response> =>
    service.fetch(new Request(`http://x${path}`, { headers: { "X-Request-Id": id } }));
  const at = target.indexOf("?");
  const [path, query] = at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
  const options = query.split("&").map((each) => {
    const equals = each.indexOf("=");
    return `${each.slice(0, equals + 1)}${encodeURIComponent(each.slice(equals + 1))}`;
  });
  const response = await send(`${path}?${options.join("&")}`, "r");
  const body = (await response.json()) as Answer["body"];
  expect([response.status, body]).toEqual([200, body]);
  const trace = (await (await send("/explorer/trace/r", "reader")).json()) as ExplorerTrace;
  return { body, statements: trace.statements };
}

function pastedOf({ statements }: Answer, at = 0): string {
  const pasted = statements[at]?.pasted;
  if (pasted === undefined || !("sql" in pasted)) throw new Error(`No text: ${JSON.stringify(statements[at])}`);
  expect(pasted.sql).not.toMatch(/odata_alive|json_group_array|json_agg|odata_guard/i);
  return pasted.sql;
}

describe.each(ENGINES)("a pasted statement over $title", ({ name, open }) => {
  let opened: OpenDatabase;
  let run: Run;
  let service: ODataService;
  beforeAll(async () => {
    ({ opened, run } = await openNamed(name, open));
    await createTable(opened, "owners", { id: "int primary key", name: "varchar(50) not null" });
    const others = Object.entries(TYPES[name] ?? {}).map(([column, type]) => [column, `${type} not null`]);
    await createTable(opened, "items", { id: "int primary key", ...Object.fromEntries(others), owner_id: "int" });
    await insertRow(opened, "owners", [1, "Ann's"]);
    await insertRow(opened, "owners", [2, "Bob"]);
    for (const row of ROWS) {
      const cells = row.map((cell, at) => {
        if (at === 11) return Buffer.from(String(cell), "hex");
        return at === 9 ? momentOf(String(cell), name) : cell;
      });
      await insertRow(opened, "items", cells);
    }
    service = serviceOver(opened.db);
    await service.ready();
  });
  afterAll(() => opened.close());

  test.each([
    "Id gt 1",
    "Flag eq true",
    "Large eq 9007199254740993",
    "Large eq -9223372036854775808",
    "Ratio eq 0.1",
    // MariaDB has no infinite values.
    ...(name === "mariadb" ? [] : ["Ratio lt INF and Ratio gt -2.6"]),
    "Ratio mul 2 gt 1",
    "Id sub -1 eq 3",
    "Text eq 'it''s'",
    "Text eq 'back\\slash'",
    "Text eq 'two\nlines\t'''",
    "Text eq 'LONG'",
    "contains(Text,'\\')",
    "startswith(Text,'it')",
    "Code eq 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "Day gt 2000-01-01",
    "At eq 12:30:00.5",
    "Moment le 2000-01-01T00:00:00Z",
    "year(Day) eq 2024",
    "Color eq 'Red'",
    "Bytes eq binary'AP8='",
    "Bytes eq binary'Jw=='",
    "OwnerId eq null",
    "OwnerId in (1, 2)",
    "Owner/Name eq 'Ann''s'",
    "Text eq null or Id eq 1",
  ])("returns the rows of $filter=%s", async (filter) => {
    const answer = await ask(service, `/Items?$select=Id&$orderby=Id desc&$filter=${filter.replace("LONG", LONG)}`);
    const rows = await run(pastedOf(answer));
    expect(rows.map(([id]) => Number(id))).toEqual(answer.body.value?.map((each) => each["Id"]));
  });

  test.each([
    ["/Items?$select=Id&$orderby=Text desc", ["Id"]],
    ["/Items?$select=Id&$orderby=Ratio,Color&$skip=1", ["Id"]],
    ["/Items?$select=Id&$orderby=Id&$top=2&$skip=1&$count=true", ["Id"]],
    ["/Items?$select=Id&$orderby=OwnerId desc&$expand=Owner($select=Name)", ["Id", "Owner/Name"]],
    ["/Odds?$orderby=Id desc", ["Id", "Text"]],
    ["/Items?$apply=groupby((Color),aggregate($count as N))&$orderby=Color", ["Color", "N"]],
    ["/Items?$apply=filter(Id gt 1)/groupby((Owner/Name),aggregate(Id with max as M))&$orderby=M", ["M", "Owner/Name"]],
    ["/Items?$apply=compute(1 as One)/groupby((One),aggregate($count as N))", ["N", "One"]],
    ["/Items?$select=Id&$compute=Id add 1 as Next&$orderby=Next desc", ["Id"]],
    ["/Owners(1)/Items?$select=Id&$orderby=Id", ["Id"]],
  ])("returns the rows of %s", async (target, paths) => {
    const answer = await ask(service, target);
    const rows = await run(pastedOf(answer, answer.statements.length - 1));
    const wanted = (answer.body.value ?? []).map((each) => paths.map((path) => valueAt(each, path.split("/"))));
    expect(wanted.length).toBeGreaterThan(0);
    expect(rows.length).toBe(wanted.length);
    for (const [at, row] of rows.entries()) {
      const cells = row.map(String);
      for (const value of wanted[at] ?? []) expect(cells).toContain(value);
    }
  });

  test("returns the rows of the page after a next link", async () => {
    const first = await ask(service, "/Items?$select=Id&$orderby=Text");
    const next = new URL(String(first.body["@odata.nextLink"]));
    const second = await ask(service, `${next.pathname}${decodeURIComponent(next.search)}`);
    const rows = await run(pastedOf(second));
    expect(rows.map(([id]) => Number(id))).toEqual(second.body.value?.map((each) => each["Id"]));
    expect(rows).toHaveLength(2);
  });

  test("names the expansions whose entities it does not read", async () => {
    const answer = await ask(service, "/Owners?$select=Id&$expand=Items($select=Id)&$orderby=Id");
    const [{ pasted } = {}] = answer.statements;
    expect(pasted).toHaveProperty("sql");
    const omits = answer.statements.length === 1 ? ["Items"] : [];
    expect(pasted).toHaveProperty("omits", omits);
    for (const at of answer.statements.keys()) await run(pastedOf(answer, at));
  });

  test("reads one entity", async () => {
    const answer = await ask(service, "/Items(2)?$select=Id,Text");
    expect((await run(pastedOf(answer))).map(([id]) => Number(id))).toEqual([2]);
  });

  test("counts", async () => {
    const answer = await ask(service, "/Items?$select=Id&$top=0&$count=true&$filter=Id gt 1");
    expect((await run(pastedOf(answer))).map(([count]) => Number(count))).toEqual([3]);
  });

  test.runIf(name === "sqlite")("is none for functions that only the service has", async () => {
    const answer = await ask(service, "/Items?$select=Id&$filter=tolower(Text) eq 'a'");
    expect(answer.statements[0]?.pasted).toEqual({ refusal: expect.stringContaining("odata_lower") as string });
  });

  test("returns every text", async () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc
        .array(
          fc.constantFrom(
            "\\",
            "'",
            '"',
            "\n",
            "\r",
            "\t",
            "\u0001",
            "\u007F",
            "\u2028",
            "\uFEFF",
            "%",
            "$1",
            "?",
            "--",
            "é",
          ),
          { maxLength: 8 },
        )
        .map((parts) => parts.join("")),
      ...(name === "postgres" ? [] : [fc.constantFrom("\0", "a\0b'\0")]),
    );
    const written = literalOf(opened);
    const plain = name === "postgres" ? "select cast(" : "select (";
    const check = fc.asyncProperty(texts, async (given) => {
      // Drivers drop a byte order mark at the start.
      const text = `x${name === "postgres" ? given.replaceAll("\0", "") : given}`;
      const read = `${plain}${written(text)}${name === "postgres" ? " as text)" : ")"}`;
      // Older versions of Node.js read a text of SQLite up to its first NUL.
      const rows = await run(name === "sqlite" ? `select lower(hex((${read}))) as c` : `${read} as c`);
      expect(rows).toEqual([[name === "sqlite" ? Buffer.from(text).toString("hex") : text]]);
    });
    await fc.assert(check, { numRuns: caseCount(500), seed: 1 });
  });

  test("returns every number, and every byte", async () => {
    const written = literalOf(opened);
    const type = name === "postgres" ? "float8" : "double";
    const isRounding = name === "sqlite" && !/^3\.(?:5[3-9]|[6-9]\d)\./u.test(process.versions["sqlite"] ?? "");
    // MariaDB has no literal of negative zero.
    const doubles = fc
      .double({ noNaN: true, noDefaultInfinity: name === "mariadb" })
      .map((each) => (name === "mariadb" ? each + 0 : each));
    const numbers = fc.oneof(
      doubles,
      fc.integer(),
      fc.constantFrom(name === "mariadb" ? 0 : -0, 1e21, 5e-324, 2 ** 53, -(2 ** 63)),
    );
    const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const check = fc.asyncProperty(
      numbers,
      integers,
      fc.uint8Array({ maxLength: 9 }),
      async (number, integer, bytes) => {
        const minus = `0 - ${written(number)}`;
        const cells = name === "postgres" ? [`cast(${written(number)} as ${type})`] : [written(number), minus];
        const [found = []] = await run(`select ${cells.map((cell, at) => `${cell} as n${String(at)}`).join(", ")}`);
        // PostgreSQL gets negative zero as the text 0. SQLite before 3.53 reads some literals as the next double.
        const expected = name === "postgres" ? number + 0 : number;
        const isNear = isRounding && Math.abs(Number(found[0]) - expected) <= Math.abs(expected) * 2 ** -51;
        expect(isNear ? expected : Number(found[0])).toBe(expected);
        const whole = name === "postgres" ? `${written(integer)}::int8` : written(integer);
        const asText = `cast(${whole} as ${name === "mariadb" ? "char" : "text"})`;
        const hex = name === "postgres" ? `encode(${written(bytes)}, 'hex')` : `lower(hex(${written(bytes)}))`;
        expect(await run(`select ${asText} as a, ${hex} as b`)).toEqual([
          [String(integer), Buffer.from(bytes).toString("hex")],
        ]);
      },
    );
    await fc.assert(check, { numRuns: caseCount(300), seed: 1 });
  });

  test("is none for a value without a literal", () => {
    const written = literalOf(opened);
    expect(() => written({ a: 1 })).toThrow(/value/);
    expect(() => written(new Date(Number.NaN))).toThrow(/Date/);
    expect([written(null), written(true).replaceAll("'", "")]).toEqual(["null", name === "postgres" ? "true" : "1"]);
  });

  test.runIf(name === "postgres")("returns arrays of PostgreSQL", async () => {
    const given = ["a\\b", 'quoted "', null, "NULL", "{}", "it's", ""];
    expect(await run(`select ${literalOf(opened)(given)}::text[] as a`)).toEqual([[given]]);
    expect(() => literalOf(opened)("\0")).toThrow(/U\+0000/);
  });

  test.runIf(name === "mariadb")("returns texts in both meanings of a backslash", async () => {
    const texts = ["\\", "\\' or 1 = 1 -- ", "a\nb", "it's"];
    await opened.db.connection().execute(async (connection) => {
      for (const mode of ["NO_BACKSLASH_ESCAPES", "", "ANSI_QUOTES"]) {
        await sql.raw(`set session sql_mode = '${mode}'`).execute(connection);
        for (const text of texts) {
          const { rows } = await sql.raw(`select ${literalOf(opened)(text)} as c`).execute(connection);
          expect(rows).toEqual([{ c: text }]);
        }
      }
    });
  });
});

/** Returns the cell of a timestamp in UTC. */
function momentOf(text: string, name: string): string {
  if (name === "sqlite") return `${text.replace(" ", "T").slice(0, 19)}Z`;
  return name === "postgres" ? `${text}Z` : text;
}

function literalOf({ db }: OpenDatabase): (value: unknown) => string {
  const { write } = required(findDatabase(db), "The database is not supported.").session.literals;
  return write;
}

function valueAt(entity: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | null)?.[name] ?? null,
    entity,
  );
  return String(found);
}
