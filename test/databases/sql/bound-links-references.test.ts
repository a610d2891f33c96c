import { sql } from "kysely";
import { edm, entityType, hasMany, hasOptional, hasRequired, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type AnyDatabase, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";
import { ORIGIN } from "./writes-model.ts";

const Bill = entityType("Bill", { id: edm.int32().key(), code: edm.string().nullable() });
const Row = entityType("Row", {
  n: edm.int32().key(),
  codeRef: edm.string().nullable(),
  mustRef: edm.string(),
  looseRef: edm.string(),
});
const Span = entityType("Span", { id: edm.duration().key() });
const Stay = entityType("Stay", { id: edm.int32().key(), span: edm.duration().nullable() });

interface Answer {
  readonly status: number;
  readonly json: {
    readonly value: readonly Answer["json"][];
    readonly error: unknown;
    readonly Code: unknown;
    readonly CodeRef: unknown;
    readonly MustRef: unknown;
  };
}

describe.each(ENGINES)("links to a property other than the key over $title", (engine) => {
  let opened: OpenDatabase;
  let db: AnyDatabase;
  let service: ReturnType<typeof odataService>;

  beforeAll(async () => {
    opened = await engine.open();
    ({ db } = opened);
    for (const statement of [
      "create table ref_bills (id int primary key, code varchar(20) unique)",
      "create table ref_rows (n int primary key, code_ref varchar(20), must_ref varchar(20) not null, loose_ref varchar(20) not null)",
    ]) {
      await sql.raw(statement).execute(db);
    }
    await sql.raw("create table ref_spans (id varchar(20) primary key)").execute(db);
    await sql
      .raw("create table ref_stays (id int primary key, span varchar(20) references ref_spans (id))")
      .execute(db);
    const operations = ["read", "create", "replace", "patch"] as const;
    service = odataService({
      namespace: "Shop",
      profile: "standard",
      logger: noFailures,
      defaults: { bindEnabled: true, allowDeepInsert: true },
      entitySets: [
        sqlEntitySet(Span, { db, table: "ref_spans", operations: ["read"] }),
        sqlEntitySet(Stay, {
          db,
          table: "ref_stays",
          operations,
          navigation: { of: hasOptional(Span, { on: { span: "id" }, target: "Spans" }) },
        }),
        sqlEntitySet(Bill, {
          db,
          table: "ref_bills",
          operations,
          navigation: {
            rows: hasMany(Row, { on: { code: "codeRef" }, target: "Rows" }),
          },
        }),
        sqlEntitySet(Row, {
          db,
          table: "ref_rows",
          operations,
          columns: { codeRef: "code_ref", mustRef: "must_ref", looseRef: "loose_ref" },
          navigation: {
            byCode: hasOptional(Bill, { on: { codeRef: "code" }, target: "Bills" }),
            must: hasRequired(Bill, { on: { mustRef: "code" }, target: "Bills" }),
            loose: hasOptional(Bill, { on: { looseRef: "code" }, target: "Bills" }),
          },
        }),
      ],
    });
  });
  beforeEach(async () => {
    await sql.raw("delete from ref_rows").execute(db);
    await sql.raw("delete from ref_bills").execute(db);
    await sql.raw("insert into ref_bills values (1, 'A'), (2, 'B'), (3, null)").execute(db);
    await sql.raw("insert into ref_rows values (1, 'B', 'B', 'B')").execute(db);
  });
  afterAll(() => opened.close());

  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "Content-Type": "application/json", Prefer: "return=representation" };
    const answer = await service.fetch(new Request(`${ORIGIN}/${path}`, { method, headers, ...init }));
    const text = await answer.text();
    return { status: answer.status, json: JSON.parse(text === "" ? "{}" : text) as Answer["json"] };
  };
  const codes = async (): Promise<unknown> =>
    (await send("GET", "Bills?$orderby=Id")).json.value.map(({ Code }) => Code);
  const row = async (): Promise<Answer["json"]> => (await send("GET", "Rows(1)")).json;

  test("a new row gets the values of the entities that it binds", async () => {
    const body = { N: 2, LooseRef: "x", "ByCode@odata.bind": "Bills(1)", "Must@odata.bind": "Bills(2)" };
    const { status, json } = await send("POST", "Rows", body);
    expect([status, json.CodeRef, json.MustRef]).toEqual([201, "A", "B"]);
    expect(await codes()).toEqual(["A", "B", null]);
  });

  test.each(["PATCH", "PUT"])("%s writes the own row, and never the related one", async (method) => {
    const body = { LooseRef: "x", "ByCode@odata.bind": "Bills(1)", "Must@odata.bind": "Bills(1)" };
    const { status, json } = await send(method, "Rows(1)", body);
    expect([status, json.CodeRef, json.MustRef]).toEqual([200, "A", "A"]);
    expect(await codes()).toEqual(["A", "B", null]);
    const removed = await send("PATCH", "Rows(1)", { "ByCode@odata.bind": null });
    expect([removed.status, removed.json.CodeRef]).toEqual([200, null]);
    expect(await codes()).toEqual(["A", "B", null]);
  });

  test("$ref sets and removes the value of the own row", async () => {
    expect((await send("PUT", "Rows(1)/ByCode/$ref", { "@odata.id": "Bills(1)" })).status).toBe(204);
    expect((await send("PUT", "Rows(1)/Must/$ref", { "@odata.id": "Bills(1)" })).status).toBe(204);
    expect(await row()).toMatchObject({ CodeRef: "A", MustRef: "A" });
    expect((await send("DELETE", "Rows(1)/ByCode/$ref")).status).toBe(204);
    expect((await send("DELETE", "Rows(1)/Must/$ref")).status).toBe(400);
    expect(await row()).toMatchObject({ CodeRef: null, MustRef: "A" });
    expect(await codes()).toEqual(["A", "B", null]);
  });

  test("an entity without the value cannot be linked", async () => {
    const bound = await send("PATCH", "Rows(1)", { "ByCode@odata.bind": "Bills(3)" });
    const set = await send("PUT", "Rows(1)/ByCode/$ref", { "@odata.id": "Bills(3)" });
    expect([bound.status, set.status]).toEqual([400, 400]);
    expect(await row()).toMatchObject({ CodeRef: "B" });
    expect(await codes()).toEqual(["A", "B", null]);
  });

  test("a nested bill is created before the row that refers to it", async () => {
    const nested = { Id: 5, Code: "E" };
    const made = { N: 2, LooseRef: "x", ByCode: nested, "Must@odata.bind": "Bills(1)" };
    const { status, json } = await send("POST", "Rows", made);
    expect([status, json.CodeRef]).toEqual([201, "E"]);
    const without = { ...made, N: 3, ByCode: { Id: 6, Code: null } };
    expect((await send("POST", "Rows", without)).status).toBe(400);
    expect(await codes()).toEqual(["A", "B", null, "E"]);
  });

  test("a link stores the key as the related row has it, whatever the URL", async () => {
    await sql.raw("insert into ref_spans values ('PT36H')").execute(db);
    const made = await send("POST", "Stays", { Id: 1, "Of@odata.bind": "Spans(duration'P1DT12H')" });
    expect(made.status).toBe(201);
    expect((await send("POST", "Stays", { Id: 2 })).status).toBe(201);
    const set = await send("PUT", "Stays(2)/Of/$ref", { "@odata.id": "Spans(duration'P1DT12H')" });
    expect(set.status).toBe(204);
    const joined = sql<{ id: number }>`select s.id from ref_stays s join ref_spans p on p.id = s.span order by s.id`;
    expect((await joined.execute(db)).rows).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test("a link of which neither side is known to refer to the other is refused", async () => {
    const bound = await send("PATCH", "Rows(1)", { "Loose@odata.bind": "Bills(1)" });
    expect([bound.status, bound.json.error]).toEqual([501, expect.objectContaining({ target: "Loose@odata.bind" })]);
    expect((await send("PATCH", "Rows(1)", { "Loose@odata.bind": null })).status).toBe(501);
    expect((await send("PUT", "Rows(1)/Loose/$ref", { "@odata.id": "Bills(1)" })).status).toBe(501);
    expect((await send("DELETE", "Rows(1)/Loose/$ref")).status).toBe(501);
    expect(await row()).toMatchObject({ CodeRef: "B", MustRef: "B", LooseRef: "B" });
    expect(await codes()).toEqual(["A", "B", null]);
  });
});
