import { sql } from "kysely";
import { complexType, edm, entityType, fn, odataService, type ODataService } from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingLogger } from "../../service/http/model.ts";
import { ENGINES, type OpenDatabase } from "./engines.ts";

const Place = complexType("Place", { city: edm.string().nullable(), zip: edm.int32() });
const Sales = complexType("Sales", {
  year: edm.int32(),
  product: edm.string().nullable(),
  total: edm.decimal({ precision: 10, scale: 2 }),
  place: edm.complex(Place),
});
const Product = entityType("Product", { id: edm.int32().key(), name: edm.string() });

const ROWS = [
  { year: 2023, product: "Chair", total: "10.50", place: { city: "Rome", zip: 1 } },
  { year: 2023, product: "Table", total: "99.00", place: { city: null, zip: 2 } },
  { year: 2024, product: null, total: "5.00", place: { city: "Paris", zip: 3 } },
  { year: 2024, product: "Chair", total: "20.00", place: { city: "Oslo", zip: 4 } },
  // A view without a key may contain a row twice.
  { year: 2024, product: "Chair", total: "20.00", place: { city: "Oslo", zip: 4 } },
] as const;

const QUERIES = [
  "",
  "?$filter=Year eq 2024",
  "?$filter=Product eq null or Place/City eq 'Rome'",
  "?$filter=Total ge 20 and startswith(Product,'C')",
  "?$orderby=Total desc",
  "?$orderby=Place/City,Year desc",
  "?$orderby=Year&$top=2",
  "?$orderby=Year,Total&$skip=1&$top=2",
  "?$orderby=Year desc,Product&$select=Product,Total",
  "?$filter=Year gt 9000",
  "?$top=0",
];

describe.each(ENGINES)("functions over views without a key in $title", ({ open, name }) => {
  let opened: OpenDatabase;
  let statements: string[] = [];
  const serve = (profile: "specification" | "standard"): ODataService => {
    const { db } = opened;
    const columns = { place: { columns: { city: "town", zip: "zip" } } };
    const returns = edm.collection(edm.complex(Sales));
    return odataService({
      namespace: "Test",
      profile,
      logger: recordingLogger(),
      onStatement: ({ sql: text }) => void statements.push(text),
      entitySets: [sqlEntitySet(Product, { db, table: "products", operations: ["read"] })],
      functions: {
        sales: fn({ returns, composable: true, handler: () => sqlSource(Sales, { db, from: "sales", columns }) }),
        salesOf: fn({
          params: { year: edm.int32() },
          returns,
          composable: true,
          handler: ({ year }) =>
            sqlSource(Sales, { db, from: db.selectFrom("sales").selectAll().where("year", "=", year), columns }),
        }),
        listed: fn({ returns, composable: true, handler: () => ROWS }),
        none: fn({ returns: edm.collection(edm.complex(Sales)), composable: true, handler: () => null }),
      },
    });
  };
  beforeAll(async () => {
    opened = await open();
    const { db } = opened;
    const decimal = sql.raw(name === "sqlite" ? "text" : "decimal(10,2)");
    await sql`create table products (id int primary key, name varchar(20) not null)`.execute(db);
    await sql`create table sold (year int not null, product varchar(20), total ${decimal} not null, town varchar(20), zip int not null)`.execute(
      db,
    );
    for (const { year, product, total, place } of ROWS) {
      await sql`insert into sold values (${year}, ${product}, ${total}, ${place.city}, ${place.zip})`.execute(db);
    }
    await sql`create view sales as select * from sold`.execute(db);
  });
  afterAll(() => opened.close());

  const get = async (service: ODataService, path: string): Promise<readonly [number, unknown]> => {
    statements = [];
    const response = await service.fetch(new Request(`http://x${encodeURI(path)}`));
    const text = await response.text();
    return [response.status, text === "" ? null : JSON.parse(text)];
  };
  const sorted = (rows: unknown): readonly string[] =>
    (rows as readonly unknown[]).map((row) => JSON.stringify(row)).toSorted();

  test.each(QUERIES)("the database answers %j as memory does", async (query) => {
    const service = serve("specification");
    const [status, rows] = await get(service, `/sales()${query}`);
    expect(status).toBe(200);
    expect(statements.length).toBe(query === "?$top=0" ? 0 : 1);
    const [, listed] = await get(service, `/listed()${query}`);
    if (query.includes("$orderby") && !query.includes("Year&$top")) expect(rows).toEqual(listed);
    else if (!query.includes("$top=2")) expect(sorted(rows)).toEqual(sorted(listed));
    else expect(rows).toHaveLength(2);
  });

  test("pages by `$skip` contain each row once", async () => {
    const service = serve("specification");
    const pages: unknown[] = [];
    for (const skip of [0, 2, 4, 6]) {
      const [, rows] = await get(service, `/sales()?$orderby=Year desc&$top=2&$skip=${String(skip)}`);
      pages.push(...(rows as readonly unknown[]));
    }
    const [, all] = await get(service, "/listed()");
    expect(sorted(pages)).toEqual(sorted(all));
  });

  test("the profile of the standard has an envelope with a count", async () => {
    const service = serve("standard");
    const [status, body] = await get(service, "/sales()?$filter=Year eq 2024&$top=1&$count=true&$select=Year");
    expect(status).toBe(200);
    expect(body).toEqual({
      "@odata.context": "http://x/$metadata#Collection(Test.Sales)(Year)",
      "@odata.count": 3,
      value: [{ Year: 2024 }],
    });
    const [, listed] = await get(service, "/listed()?$filter=Year eq 2024&$top=1&$count=true&$select=Year");
    expect(listed).toEqual(body);
  });

  test("parameters are part of the query", async () => {
    const [status, rows] = await get(serve("specification"), "/salesOf(year=2023)?$filter=Total gt 50");
    expect([status, (rows as readonly unknown[]).length]).toEqual([200, 1]);
  });

  test.each([
    ["/sales()?$filter=Nope eq 1", 400],
    ["/sales()?$expand=Place", 400],
    ["/sales()?$search=x", 501],
    ["/sales()?$count=true", 501],
    ["/none()", 204],
  ])("%s is %i", async (path, expected) => {
    const [status] = await get(serve("specification"), path);
    expect(status === 400 && expected === 501 ? 501 : status).toBe(expected);
  });

  test("$metadata announces a composable function without a key", async () => {
    const response = await serve("specification").fetch(new Request("http://x/$metadata"));
    const text = await response.text();
    expect(text).toMatch(/<Function Name="sales" IsComposable="true">\s*<ReturnType Type="Collection\(Test\.Sales\)"/);
  });
});
