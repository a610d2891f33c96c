import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService, type EntitySource } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { describe, expect, test } from "vitest";
import { expectError, nodeDoor as door, ORIGIN, url } from "../../service/http/doors.ts";

const Fact = entityType("Fact", { id: edm.int32().key(), city: edm.string(), note: edm.string() });
const facts = (count: number, note = ""): { readonly id: number; readonly city: string; readonly note: string }[] =>
  Array.from({ length: count }, (_none, id) => ({ id, city: `c${String(id % 7)}`, note }));

function serviceOf(set: object, options: object = {}) {
  const sets = [entitySet(Fact, set as { readonly getAll: () => [] })];
  return door.to(odataService({ prefix: "/f", profile: "standard", entitySets: sets, ...options } as never));
}

describe("limits", () => {
  test("rows count toward maxResponseEntities, whether they are groups or those of concat", async () => {
    const send = serviceOf({ getAll: () => facts(20) }, { defaults: { maxResponseEntities: 7 } });
    const grouped = await send(url("/f/Facts", { $apply: "groupby((City))" }));
    expect({ status: grouped.status, rows: grouped.json.value.length }).toEqual({ status: 200, rows: 7 });
    // Groups that later steps merge are not in the response.
    const merged = await send(url("/f/Facts", { $apply: "groupby((Id))/aggregate($count as N)" }));
    expect(merged.text).toBe(
      `{"@odata.context":"${ORIGIN}/f/$metadata#Facts(N)","value":[{"N@odata.type":"#Decimal","N":20}]}`,
    );
    const error = {
      status: 400,
      code: "InvalidQueryOption",
      target: "$top",
      message:
        "The response would contain more than 7 entities: narrow it with $filter, or page through it with $top and $skip.",
    };
    for (const $apply of ["groupby((Id))", "concat(groupby((City)),aggregate($count as N))"]) {
      expectError(await send(url("/f/Facts", { $apply })), error);
    }
  });

  test("the groups of a step are limited", async () => {
    const many = { queryable: () => arraySource(Fact, facts(1_000_001)) };
    const send = serviceOf(many, { defaults: { queryTimeout: null } });
    expectError(await send(url("/f/Facts", { $apply: "groupby((Id))/aggregate($count as N)" })), {
      status: 400,
      code: "InvalidQueryOption",
      target: "$apply",
      message:
        "A step of $apply makes more than 1000000 groups: filter the entities before it, or group them by fewer values.",
    });
  });

  test.each(["groupby((Note))/aggregate($count as N)", "aggregate(Note with countdistinct as N)"])(
    "the characters of the groups of a step are limited: %s",
    async ($apply) => {
      const long = "x".repeat(650_000);
      const rows = facts(101).map((row) => ({ ...row, note: `${long}${String(row.id)}` }));
      const send = serviceOf({ getAll: () => rows });
      expectError(await send(url("/f/Facts", { $apply })), {
        status: 400,
        code: "InvalidQueryOption",
        target: "$apply",
        message:
          "The groups of a step of $apply have more than 64000000 characters: filter the entities before it, or group them by shorter values.",
      });
    },
  );

  test("a source that does not evaluate $apply returns a limited number of entities, after the first conditions", async () => {
    const tops: unknown[] = [];
    const rows = arraySource(Fact, facts(20));
    const source: EntitySource<typeof Fact> = {
      kind: "EntitySource",
      entityType: Fact,
      read: (query) => {
        tops.push(query.top, query.filter === null ? null : "filter", query.shape.apply);
        return rows.read(query);
      },
    };
    const send = serviceOf({ queryable: () => source }, { defaults: { maxIterableEntities: 5 } });
    expectError(await send(url("/f/Facts", { $apply: "groupby((City))" })), {
      status: 400,
      code: "InvalidQueryOption",
      target: "$apply",
      message: "$apply would have to read more than 5 entities: begin it with a filter that matches fewer entities.",
    });
    expect(tops.splice(0)).toEqual([6, null, undefined]);
    const answer = await send(url("/f/Facts", { $apply: "filter(Id lt 9)/filter(Id gt 3)/aggregate($count as N)" }));
    expect(answer.text).toBe(
      `{"@odata.context":"${ORIGIN}/f/$metadata#Facts(N)","value":[{"N@odata.type":"#Decimal","N":5}]}`,
    );
    expect(tops).toEqual([6, "filter", undefined]);
  });
});

test("a source returns at most one entity more than a response may contain", async () => {
  const tops: unknown[] = [];
  const rows = arraySource(Fact, facts(20));
  const source: EntitySource<typeof Fact> = {
    kind: "EntitySource",
    entityType: Fact,
    read: (query) => {
      tops.push(query.top);
      return rows.read(query);
    },
  };
  const send = serviceOf({ queryable: () => source }, { defaults: { maxResponseEntities: 5 } });
  expectError(await send(url("/f/Facts", { $compute: "Id add 1 as N" })), {
    status: 400,
    code: "InvalidQueryOption",
    target: "$top",
    message:
      "The response would contain more than 5 entities: narrow it with $filter, or page through it with $top and $skip.",
  });
  const answer = await send(
    url("/f/Facts", { $compute: "Id add 1 as N", $select: "N", $top: "1", $orderby: "N desc" }),
  );
  expect(answer.json.value).toEqual([{ "N@odata.type": "#Int64", "@odata.id": undefined, N: 20 }]);
  expect(tops).toEqual([6, 1]);
});

test("branches are read until a response cannot contain their rows", async () => {
  const db = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
  await sql`create table facts (id integer primary key, city text not null, note text not null)`.execute(db);
  for (const { id, city, note } of facts(20)) {
    await sql`insert into facts values (${id}, ${city}, ${note})`.execute(db);
  }
  const read: number[] = [];
  const set = sqlEntitySet(Fact, { db, table: "facts", operations: ["read"] });
  const options = {
    prefix: "/f",
    profile: "standard",
    defaults: { maxResponseEntities: 30 },
    entitySets: [set as never],
  } as const;
  const send = door.to(odataService({ ...options, onStatement: ({ rows }) => void read.push(rows) }));
  await send(url("/f/Facts", { $top: "1" }));
  read.length = 0;
  for (const more of [{ $orderby: "Id" }, { $count: "true" }, { $filter: "Id ge 0" }]) {
    expectError(await send(url("/f/Facts", { $apply: `concat(${"identity,".repeat(9)}identity)`, ...more })), {
      status: 400,
      code: "InvalidQueryOption",
      target: "$top",
    });
    // The second one returns the row above the limit.
    expect(read.splice(0)).toEqual([20, 11]);
  }
  await db.destroy();
});

test("now() is the same in all steps and options, for all rows", async () => {
  const send = serviceOf({ getAll: () => facts(5000) });
  const $apply = "compute(now() as T)/groupby((T),aggregate($count as N))";
  const options = { $apply, $compute: "now() as U", $filter: "T eq now() and T eq U", $select: "N" };
  const answer = await send(url("/f/Facts", options));
  expect(answer.text).toBe(
    `{"@odata.context":"${ORIGIN}/f/$metadata#Facts(N)","value":[{"N@odata.type":"#Decimal","N":5000}]}`,
  );
  const two = await send(
    url("/f/Facts", { $compute: "now() as A,now() as B", $filter: "A eq now()", $select: "A,B", $top: "1" }),
  );
  const [row] = two.json.value;
  expect(row.A).toBe(row.B);
});

test("grouping many entities takes turns with other requests", async () => {
  const rows = facts(200_000);
  const send = serviceOf({ queryable: () => arraySource(Fact, rows) });
  const ended: string[] = [];
  const note = async (name: string, options: Readonly<Record<string, string>>): Promise<void> => {
    const { status } = await send(url("/f/Facts", options));
    ended.push(`${name} ${String(status)}`);
  };
  await Promise.all([
    note("long", { $apply: "groupby((City,Note),aggregate(Id with sum as S,Id with countdistinct as D))" }),
    note("short", { $top: "1" }),
  ]);
  expect(ended).toEqual(["short 200", "long 200"]);
});
