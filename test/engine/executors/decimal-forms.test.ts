import { sql } from "kysely";
import { edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeDoor, ORIGIN, type Send } from "../../service/http/doors.ts";
import { ENGINES, type DatabaseName, type OpenDatabase } from "./engines.ts";

const facets = { precision: 18, scale: 2 } as const;
const Price = entityType("Price", {
  id: edm.int32().key(),
  part: edm.int32(),
  exact: edm.decimal(facets).nullable(),
  real: edm.decimal(facets).nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
});
const Tag = entityType("Tag", { price: edm.decimal(facets).key(), cost: edm.decimal(facets), name: edm.string() });

/** The columns of Decimals do not limit digits, if the database has such columns. */
const TYPES: Readonly<Record<DatabaseName, readonly [exact: string, real: string, at: string]>> = {
  sqlite: ["text", "real", "text"],
  postgres: ["numeric", "double precision", "timestamptz"],
  mariadb: ["decimal(20,5)", "double", "datetime(3)"],
};

/** The cells, and the values of `exact` and of `real`. */
const ROWS = [
  { id: 1, part: 1, cells: ["10.5", 2.675], shown: ["10.50", "2.68"] },
  { id: 2, part: 1, cells: ["10.50", 2.665], shown: ["10.50", "2.67"] },
  { id: 3, part: 1, cells: ["0", 0.1 + 0.2], shown: ["0.00", "0.30"] },
  { id: 4, part: 2, cells: ["-0.1", -2.675], shown: ["-0.10", "-2.68"] },
  { id: 5, part: 2, cells: ["7.125", 2.674999], shown: ["7.125", "2.67"] },
  { id: 6, part: 2, cells: ["100", 1e15], shown: ["100.00", "1000000000000000.00"] },
  { id: 7, part: 3, cells: ["3.1", -0.001], shown: ["3.10", "0.00"] },
  { id: 8, part: 3, cells: ["3", 50], shown: ["3.00", "50.00"] },
  { id: 9, part: 3, cells: [null, null], shown: ["null", "null"] },
] as const;
type ShownRow = (typeof ROWS)[number];

const SELECT = "$select=id,exact,real,at";
const AT = '"at":"2024-02-29T10:00:05.000Z"';
const textOf = ({ id, shown: [exact, real] }: ShownRow): string =>
  `{"id":${String(id)},"exact":${exact},"real":${real},${AT}}`;
const listOf = (rows: readonly ShownRow[]): string => `[${rows.map(textOf).join(",")}]`;

const NO_METADATA = { accept: "application/json;odata.metadata=none" };
const JSON_BODY = { ...NO_METADATA, "content-type": "application/json" };

describe.each(ENGINES)("values of $title in the form of their type", ({ name, open }) => {
  let opened: OpenDatabase;
  let send: Send;

  beforeAll(async () => {
    opened = await open();
    const { db } = opened;
    const [exact, real, at] = TYPES[name].map((type) => sql.raw(type));
    const keyType = sql.raw(name === "sqlite" ? "text" : "numeric(18,5)");
    await sql`create table prices (id int primary key, part int not null, exact ${exact}, amount ${real}, at ${at})`.execute(
      db,
    );
    await sql`create index prices_part on prices (part)`.execute(db);
    await sql`create table tags (price ${keyType} primary key, cost ${exact} not null, name varchar(20) not null)`.execute(
      db,
    );
    const instant = name === "mariadb" ? "2024-02-29 10:00:05" : "2024-02-29T10:00:05.000Z";
    for (const { id, part, cells } of ROWS) {
      await sql`insert into prices values (${id}, ${part}, ${cells[0]}, ${cells[1]}, ${instant})`.execute(db);
    }
    const set = { db, operations: ["read", "create", "patch", "replace", "delete"] } as const;
    const service = odataService({
      schemaCheck: false,
      profile: "standard",
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Price, {
          ...set,
          table: "prices",
          columns: { real: { name: "amount", storage: "real" } },
          navigation: { same: hasMany(Price, { target: "Prices", on: { part: "part" } }) },
        }),
        sqlEntitySet(Tag, { ...set, table: "tags", etag: ["cost"] }),
      ],
    });
    send = nodeDoor.to(service);
  });
  afterAll(() => opened.close());

  async function read(path: string): Promise<string> {
    const { status, text } = await send(`/${encodeURI(path)}`, NO_METADATA);
    expect(status, text).toBe(200);
    return text;
  }

  async function idsOf(query: string): Promise<readonly number[]> {
    const { value } = JSON.parse(await read(`Prices?$select=id&${query}`)) as { value: { id: number }[] };
    return value.map(({ id }) => id);
  }

  test("in entities, by key, in expansions, along navigations and of properties", async () => {
    expect(await read(`Prices?${SELECT}`)).toBe(`{"value":${listOf(ROWS)}}`);
    expect(await read(`Prices(5)?${SELECT}`)).toBe(textOf(ROWS[4]));
    expect(await read(`Prices(1)/same?${SELECT}&$orderby=id`)).toBe(`{"value":${listOf(ROWS.slice(0, 3))}}`);
    const parents = ROWS.map(({ id, part }) => {
      return `{"id":${String(id)},"same":${listOf(ROWS.filter((row) => row.part === part))}}`;
    });
    // Written by the database where it can, and by rows with numbers as strings.
    const expanded = `Prices?$select=id&$expand=same(${SELECT};$orderby=id;$top=9)`;
    expect(await read(expanded)).toBe(`{"value":[${parents.join(",")}]}`);
    const { text } = await send(`/${expanded}`, { accept: `${NO_METADATA.accept};IEEE754Compatible=true` });
    expect(text.replaceAll(/"(exact|real)":"([^"]*)"/gu, '"$1":$2')).toBe(`{"value":[${parents.join(",")}]}`);
    expect(await read("Prices(1)/exact")).toBe('{"value":10.50}');
    expect(await read("Prices(1)/exact/$value")).toBe("10.50");
    expect(await read("Prices(1)/real/$value")).toBe("2.68");
  });

  test("in computed values, groups and totals", async () => {
    expect(await read("Prices(1)?$compute=exact as e,real as r,at as t,real mul 2 as d&$select=e,r,t,d")).toBe(
      '{"e":10.50,"r":2.68,"t":"2024-02-29T10:00:05.000Z","d":5.36}',
    );
    const groups = "groupby((exact),aggregate($count as n))/orderby(exact)";
    expect(await read(`Prices?$apply=${groups}`)).toBe(
      `{"value":[${[
        ["null", 1],
        ["-0.10", 1],
        ["0.00", 1],
        ["3.00", 1],
        ["3.10", 1],
        ["7.125", 1],
        ["10.50", 2],
        ["100.00", 1],
      ]
        .map(([value, n]) => `{"exact":${String(value)},"n":${String(n)}}`)
        .join(",")}]}`,
    );
    const reals = "groupby((real,at),aggregate($count as n))/orderby(real)";
    expect(await read(`Prices?$apply=${reals}`)).toBe(
      `{"value":[${[
        ["null", 1],
        ["-2.68", 1],
        ["0.00", 1],
        ["0.30", 1],
        ["2.67", 2],
        ["2.68", 1],
        ["50.00", 1],
        ["1000000000000000.00", 1],
      ]
        .map(([value, n]) => `{"real":${String(value)},${AT},"n":${String(n)}}`)
        .join(",")}]}`,
    );
    const totals =
      "exact with sum as a,exact with min as b,exact with max as c,real with sum as d,real with min as e,real with max as f,at with max as g,real with countdistinct as h,exact with average as i";
    expect(await read(`Prices?$apply=filter(id ne 6)/aggregate(${totals})`)).toBe(
      '{"value":[{"a":34.125,"b":-0.10,"c":10.50,"d":55.64,"e":-2.68,"f":50.00,"g":"2024-02-29T10:00:05.000Z","h":6,"i":4.875}]}',
    );
    const again = "groupby((part),aggregate(exact with sum as s))/aggregate(s with max as m,s with sum as t)";
    expect(await read(`Prices?$apply=filter(part ne 2)/${again}`)).toBe('{"value":[{"m":21.00,"t":27.10}]}');
  });

  test("in filters, which find what a response shows", async () => {
    for (const [filter, ids] of [
      ["real eq 0.3", [3]],
      ["real eq 2.67", [2, 5]],
      ["real eq 2.675", []],
      ["real eq 2.68", [1]],
      ["real ne 2.67", [1, 3, 4, 6, 7, 8, 9]],
      ["real in (0.30,-2.68,1)", [3, 4]],
      ["real in (2.67,2.671,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)", [2, 5]],
      ["real eq 0", [7]],
      ["real lt 0", [4]],
      ["real le 0", [4, 7]],
      ["real gt 2.67", [1, 6, 8]],
      ["real gt 2.675", [1, 6, 8]],
      ["real ge 2.675", [1, 6, 8]],
      ["real lt 2.675 and real ge 0.3", [2, 3, 5]],
      ["not (real lt 2.68)", [1, 6, 8, 9]],
      ["real add 0.32 eq 3", [1]],
      ["real eq exact", [9]],
      ["real eq 1000000000000000", [6]],
      ["exact eq 10.5", [1, 2]],
      ["exact eq 7.125", [5]],
      ["cast(exact,Edm.String) eq '10.50'", [1, 2]],
      ["cast(exact,Edm.String) in ('7.125','3.00')", [5, 8]],
      ["cast(real,Edm.String) in ('0.30','2.68','0.00')", [1, 3, 7]],
    ] as const) {
      expect([filter, await idsOf(`$filter=${filter}&$orderby=id`)]).toEqual([filter, ids]);
    }
    expect(await idsOf("$orderby=real,id desc")).toEqual([9, 4, 7, 3, 5, 2, 1, 8, 6]);
  });

  test("in pages by key, whose tokens are those values", async () => {
    const seen: number[] = [];
    let target = "/Prices?$select=id&$orderby=real%20desc,id%20desc";
    while (target !== "") {
      const { status, text } = await send(target, { ...NO_METADATA, prefer: "odata.maxpagesize=2" });
      expect(status, text).toBe(200);
      const page = JSON.parse(text) as { value: { id: number }[]; "@odata.nextLink"?: string };
      seen.push(...page.value.map(({ id }) => id));
      const next = page["@odata.nextLink"];
      target = next === undefined ? "" : next.slice(next.indexOf("/Prices"));
    }
    expect(seen).toEqual([6, 8, 1, 5, 2, 3, 7, 4, 9]);
  });

  test("after writes, in URLs and in ETags", async () => {
    const created = await send(
      "/Tags",
      { "content-type": "application/json" },
      "POST",
      '{"price":"1.5","cost":2,"name":"a"}',
    );
    const id = `"@odata.id":"${ORIGIN}/Tags(1.50)"`;
    expect([created.status, created.text.replace(/"@odata.etag":"[^,]*,/u, "")]).toEqual([
      201,
      `{"@odata.context":"${ORIGIN}/$metadata#Tags/$entity",${id},"price":1.50,"cost":2.00,"name":"a"}`,
    ]);
    expect(created.headers["location"]).toBe(`${ORIGIN}/Tags(1.50)`);
    const found = await send("/Tags(1.5)");
    expect([found.status, found.headers["etag"]]).toEqual([200, created.headers["etag"]]);
    const match = { ...JSON_BODY, prefer: "return=representation" };
    const patched = await send(
      "/Tags(1.50)",
      { ...match, "if-match": created.headers["etag"] ?? "" },
      "PATCH",
      '{"cost":3.5}',
    );
    expect([patched.status, patched.text]).toEqual([200, '{"price":1.50,"cost":3.50,"name":"a"}']);
    const put = await send("/Tags(1.5)", { ...match, "if-match": "*" }, "PUT", '{"cost":4,"name":"b"}');
    expect([put.status, put.text]).toEqual([200, '{"price":1.50,"cost":4.00,"name":"b"}']);
    const written = await send(
      "/Prices",
      match,
      "POST",
      '{"id":20,"part":9,"exact":1.1,"real":0.3,"at":"2024-01-01T00:00:00Z"}',
    );
    expect([written.status, written.text]).toEqual([
      201,
      '{"id":20,"part":9,"exact":1.10,"real":0.30,"at":"2024-01-01T00:00:00.000Z"}',
    ]);
    expect((await send("/Prices(20)", {}, "DELETE")).status).toBe(204);
  });
});
