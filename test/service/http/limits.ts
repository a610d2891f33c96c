import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Kysely, sql } from "kysely";
import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type EntitySource,
  type ResultOf,
  type ServiceOptions,
} from "odatakit";
import { sqlSource } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { expect } from "vitest";
import { processorTime } from "../../processor-time.ts";
import { expectError, type Answer } from "./doors.ts";
import { noFailures } from "./model.ts";

const Inner = complexType("Inner", { x: edm.int32() });

/** A type that leads to itself: expansions and paths have no end by nature. */
export const Knot = entityType("Knot", {
  id: edm.int32().key(),
  name: edm.string(),
  price: edm.decimal(),
  at: edm.dateTimeOffset(),
  parentId: edm.int32().nullable(),
  inner: edm.complex(Inner).nullable(),
  tags: edm.collection(edm.string()),
});

export const KNOTS: readonly ResultOf<typeof Knot>[] = Array.from({ length: 20 }, (_none, index) => ({
  id: index + 1,
  name: `knot ${String(index)}`,
  price: `${String(index)}.5`,
  at: "2024-01-01T00:00:00Z",
  parentId: index === 0 ? null : (index >> 1) + 1,
  inner: null,
  tags: ["a", "b"],
}));

// oxlint-disable-next-line typescript/no-explicit-any -- the tables are not described
const db: Kysely<any> = new Kysely({ dialect: sqliteDialect(":memory:") });
await sql`create table knots (id integer primary key, name text, price text, at text, parentId integer, inner_x integer, tags text)`.execute(
  db,
);
for (const { id, name, price, at, parentId, tags } of KNOTS) {
  await sql`insert into knots values (${id}, ${name}, ${price}, ${at}, ${parentId}, null, ${JSON.stringify(tags)})`.execute(
    db,
  );
}

/** The work that a request caused before it ended. */
export interface Work {
  /** How often a handler of the application was called: without one nothing is read. */
  calls: number;
}

/** A service of two sets of knots, in memory and over a table, which counts the work of its handlers. */
export function knotService(defaults: ServiceOptions["defaults"]) {
  const work: Work = { calls: 0 };
  const counted = <T>(value: T): T => {
    work.calls += 1;
    return value;
  };
  const columns = { inner: { columns: { x: "inner_x" } } } as const;
  const knots = (name: string, queryable: () => EntitySource<typeof Knot>) =>
    entitySet(Knot, {
      name,
      queryable: () => counted(queryable()),
      getByKey: (key) => counted(KNOTS[key - 1] ?? null),
      search: () => counted(KNOTS),
      navigation: {
        parent: hasOptional(() => Knot, {
          target: name,
          getBatch: (keys) =>
            counted(new Map(keys.flatMap((key) => parentsOf(key).map((parent) => [key, parent] as const)))),
        }),
        children: hasMany(() => Knot, {
          target: name,
          getBatch: (keys) =>
            counted(new Map(keys.map((key) => [key, KNOTS.filter(({ parentId }) => parentId === key)]))),
        }),
        all: hasMany(() => Knot, {
          target: name,
          getBatch: (keys) => counted(new Map(keys.map((key) => [key, KNOTS]))),
        }),
      },
    });
  const service = odataService({
    name: "s",
    secret: "0123456789abcdef",
    propertyNaming: "camelCase",
    logger: noFailures,
    ...(defaults === undefined ? {} : { defaults }),
    entitySets: [
      knots("Knots", () => arraySource(Knot, KNOTS)),
      knots("Rows", () => sqlSource(Knot, { db, from: "knots", columns })),
      entitySet(Knot, { name: "Loaded", getAll: () => counted(KNOTS) }),
      entitySet(Knot, {
        name: "Applied",
        applyQuery: ({ skip, pageSize, top }) => {
          const most = pageSize === null ? top : pageSize + 1;
          return counted({
            items: KNOTS.slice(skip, most === undefined ? undefined : skip + most),
            count: KNOTS.length,
          });
        },
      }),
    ],
  });
  return { service, work };
}

function parentsOf(key: number) {
  const parentId = KNOTS[key - 1]?.parentId;
  return KNOTS.filter(({ id }) => id === parentId);
}

/** No limit that can be taken away is left, but for the number of entities, which memory has to hold. */
export const NO_LIMITS: NonNullable<ServiceOptions["defaults"]> = {
  maxTop: null,
  maxUrlLength: null,
  maxQueryBodyBytes: null,
  maxExpandDepth: null,
  maxExpandTop: null,
  maxNodeCount: null,
  maxAnyAllDepth: null,
  maxInListLength: null,
  maxOrderByProperties: null,
  maxJsonDepth: null,
  maxJsonValues: null,
  maxExpandItems: null,
};

const MILLION = 1_000_000;

/** A text of about a million characters, percent-encoded where it must be. */
export function million(piece: string): string {
  return escaped(piece).repeat(Math.ceil(MILLION / piece.length));
}

/** Encodes blanks, quotes and the like for a URL. */
export function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll(" ", "%20").replaceAll('"', "%22").replaceAll("#", "%23");
}

/** Returns an operand or expression within itself, `times` times. */
export function nested(wrap: (inner: string) => string, seed: string, times: number): string {
  let text = seed;
  for (let count = 0; count < times; count += 1) text = wrap(text);
  return text;
}

/** The error for a violated limit, before anything is read: which limit, where, and how to avoid it. */
export interface Violation {
  readonly target: string;
  /** The part of the message about the limit. */
  readonly limit: RegExp;
}

/** After the limit, a message names a remedy. */
const REMEDY =
  /: (?:ask|write|give|nest|leave|search|mention|name|narrow|expand|follow|use|send|request|simplify|shorten|remove|omit|start)\b|\. Begin\b/u;

/** Asserts that a request ended at a limit, and how much was done before. */
export function expectViolation(answer: Answer, { target, limit }: Violation, work: Work, mostCalls = 0): void {
  expectError(answer, { status: 400, code: "InvalidQueryOption", target, message: limit });
  expect(answer.json.error.message).toMatch(REMEDY);
  expect(answer.text.length).toBeLessThan(1000);
  expect(work.calls).toBeLessThanOrEqual(mostCalls);
}

/** More than any of the floods takes, on a machine that does much else. */
const WATCHDOG_MS = 20_000;

/** Runs something that must end soon. */
export async function watched<T>(run: () => Promise<T>): Promise<T> {
  const started = processorTime();
  const value = await run();
  expect(processorTime() - started).toBeLessThan(WATCHDOG_MS);
  return value;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the bytes in use after garbage collection. */
export function bytesKept(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
