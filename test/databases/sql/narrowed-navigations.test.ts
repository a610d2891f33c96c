import { sql } from "kysely";
import {
  arraySource,
  type Context,
  edm,
  entityType,
  hasMany,
  hasOptional,
  hasRequired,
  odataError,
  odataService,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AnyDatabase, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures, recordingLogger } from "../../service/http/model.ts";

const Category = entityType("Category", { id: edm.int32().key(), title: edm.string() });
const Product = entityType("Product", {
  id: edm.int32().key(),
  name: edm.string().computed(),
  version: edm.int32(),
  categoryId: edm.int32().nullable(),
});
const Tag = entityType("Tag", { id: edm.int32().key(), label: edm.string() });
const Sheet = entityType("Sheet", { id: edm.int32().key(), productId: edm.int32().nullable() });

const languageOf = ({ request }: Context): string => request.headers.get("accept-language") ?? "en";

function serviceOver(db: AnyDatabase, isByTenant = false) {
  const home = isByTenant ? () => ({ id: "one", db }) : db;
  const writes = { db: home, operations: ["read", "create", "patch", "delete"] } as const;
  return odataService({
    prefix: "",
    logger: noFailures,
    profile: "standard",
    batch: { json: true },
    entitySets: [
      sqlEntitySet(Category, {
        ...writes,
        name: "Categories",
        table: "nn_categories",
        navigation: {
          products: hasMany<typeof Category, typeof Product>(Product, {
            on: { id: "categoryId" },
            target: "Products",
          }),
        },
      }),
      sqlEntitySet(Product, {
        ...writes,
        table: "nn_products",
        columns: { name: { sql: "'untranslated'" }, categoryId: "category_id" },
        vary: "Accept-Language",
        etag: ["version"],
        queryable: (context) =>
          sqlSource(Product, {
            db: home,
            from: {
              sql: "select p.id, t.name, p.version, p.category_id from nn_products p join nn_texts t on t.product_id = p.id where t.language = ?",
              parameters: [languageOf(context)],
            },
            columns: { categoryId: "category_id" },
          }),
        search: ["name"],
        navigation: {
          category: hasOptional<typeof Product, typeof Category>(Category, {
            on: { categoryId: "id" },
            target: "Categories",
          }),
          tags: hasMany<typeof Product, typeof Tag>(Tag, {
            through: { table: "nn_tagged", from: { id: "product_id" }, to: { tag_id: "id" } },
            target: "Tags",
          }),
          sheet: hasOptional<typeof Product, typeof Sheet>(Sheet, { on: { id: "productId" }, target: "Sheets" }),
        },
      }),
      sqlEntitySet(Tag, { ...writes, table: "nn_tags" }),
      sqlEntitySet(Sheet, {
        ...writes,
        table: "nn_sheets",
        columns: { productId: "product_id" },
        queryable: () =>
          sqlSource(Sheet, {
            db: home,
            from: { sql: "select * from nn_sheets where id < ?", parameters: [100] },
            columns: { productId: "product_id" },
          }),
        navigation: {
          product: hasOptional<typeof Sheet, typeof Product>(Product, { on: { productId: "id" }, target: "Products" }),
        },
      }),
    ],
  });
}

const TABLES = [
  "nn_categories (id integer primary key, title varchar(20) not null)",
  "nn_products (id integer primary key, version integer not null, category_id integer)",
  "nn_texts (product_id integer not null, language varchar(5) not null, name varchar(20) not null)",
  "nn_tags (id integer primary key, label varchar(20) not null)",
  "nn_tagged (product_id integer not null, tag_id integer not null, primary key (product_id, tag_id))",
  "nn_sheets (id integer primary key, product_id integer)",
];

/** Product 3 has no German text. */
const ROWS = [
  "nn_categories values (1, 'Tools'), (2, 'Toys')",
  "nn_products values (1, 1, 1), (2, 1, 1), (3, 1, 1)",
  "nn_texts values (1, 'en', 'saw'), (1, 'de', 'Säge'), (2, 'en', 'hammer'), (2, 'de', 'Hammer'), (3, 'en', 'rasp')",
  "nn_tags values (1, 'sharp'), (2, 'heavy')",
  "nn_tagged values (1, 1), (3, 1), (2, 2)",
  "nn_sheets values (1, 1), (3, 3), (100, 2)",
];

describe.each(ENGINES)("a table with queryable over $title", ({ open }) => {
  let opened: OpenDatabase;
  const services: Array<ReturnType<typeof serviceOver>> = [];
  beforeAll(async () => {
    opened = await open();
    for (const table of TABLES) await sql`create table ${sql.raw(table)}`.execute(opened.db);
    services.push(serviceOver(opened.db), serviceOver(opened.db, true));
  });
  beforeEach(async () => {
    for (const rows of ROWS) {
      await sql`delete from ${sql.raw(rows.split(" ", 1).join(""))}`.execute(opened.db);
      await sql`insert into ${sql.raw(rows)}`.execute(opened.db);
    }
  });
  afterAll(() => opened.close());

  async function ask(
    at: number,
    method: string,
    target: string,
    body?: object,
    given: Readonly<Record<string, string>> = {},
  ) {
    const request = new Request(`http://x${encodeURI(target)}`, {
      method,
      headers: {
        "Accept-Language": "de",
        Accept: "application/json;odata.metadata=none, text/plain;q=0.5",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...given,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const service = services[at];
    if (service === undefined) throw new Error("There is no such service.");
    const response = await service.fetch(request);
    const text = await response.text();
    const json: unknown = text.startsWith("{") ? JSON.parse(text) : text;
    return { status: response.status, json, headers: response.headers };
  }

  describe.each([
    ["in one database", 0],
    ["of a tenant", 1],
  ] as const)("%s", (_name, at) => {
    const SAW = { Id: 1, Name: "Säge", Version: 1, CategoryId: 1 };
    const HAMMER = { Id: 2, Name: "Hammer", Version: 1, CategoryId: 1 };

    test.each<readonly [target: string, status: number, json: unknown]>([
      ["/Categories(1)/Products", 200, { value: [SAW, HAMMER] }],
      ["/Categories(1)/Products/$count", 200, "2"],
      ["/Categories(2)/Products", 200, { value: [] }],
      ["/Categories(3)/Products", 404, expect.anything()],
      ["/Categories(1)/Products(1)", 200, SAW],
      ["/Categories(1)/Products(3)", 404, expect.anything()],
      ["/Categories(1)/Products?$filter=startswith(Name,'H')&$select=Name", 200, { value: [{ Name: "Hammer" }] }],
      ["/Categories(1)/Products?$apply=aggregate($count as N)", 200, { value: [{ N: 2 }] }],
      ["/Categories(1)/Products?$search=hamm&$select=Id", 200, { value: [{ Id: 2 }] }],
      ["/Categories(1)/Products/$count?$search=rasp", 200, "0"],
      [
        "/Categories(1)/Products?$expand=Tags&$select=Id&$top=1",
        200,
        { value: [{ Id: 1, Tags: [{ Id: 1, Label: "sharp" }] }] },
      ],
      ["/Products(1)/Category", 200, { Id: 1, Title: "Tools" }],
      ["/Products(3)/Category", 404, expect.anything()],
      ["/Products(1)/Tags", 200, { value: [{ Id: 1, Label: "sharp" }] }],
      ["/Products(1)/Tags/$count", 200, "1"],
      ["/Products(3)/Tags/$count", 404, expect.anything()],
      ["/Sheets(1)/Product", 200, SAW],
      ["/Sheets(3)/Product", 204, ""],
      ["/Sheets(100)/Product", 404, expect.anything()],
      ["/Products(2)/Sheet", 204, ""],
      ["/Products?$search=säge&$select=Id", 200, { value: [{ Id: 1 }] }],
      ["/Products/$count?$search=NOT saw", 200, "2"],
      [
        "/Categories?$expand=Products($select=Name;$search=hammer)&$select=Id&$top=1",
        200,
        { value: [{ Id: 1, Products: [{ Name: "Hammer" }] }] },
      ],
    ])("GET %s", async (target, status, json) => {
      const answer = await ask(at, "GET", target);
      expect([answer.status, answer.json]).toEqual([status, json]);
    });

    test("reads references", async () => {
      const minimal = { Accept: "application/json" };
      expect(await ask(at, "GET", "/Categories(1)/Products/$ref", undefined, minimal)).toMatchObject({
        status: 200,
        json: { value: [{ "@odata.id": "http://x/Products(1)" }, { "@odata.id": "http://x/Products(2)" }] },
      });
      expect(await ask(at, "GET", "/Products(1)/Category/$ref", undefined, minimal)).toMatchObject({
        status: 200,
        json: { "@odata.id": "http://x/Categories(1)" },
      });
      expect((await ask(at, "GET", "/Products(3)/Category/$ref", undefined, minimal)).status).toBe(404);
    });

    test("full metadata links the routes", async () => {
      const full = { Accept: "application/json;odata.metadata=full" };
      expect((await ask(at, "GET", "/Products(1)", undefined, full)).json).toMatchObject({
        "Tags@odata.navigationLink": "http://x/Products(1)/Tags",
      });
    });

    test("writes links of the rows that it shows", async () => {
      const to = (id: string): object => ({ "@odata.id": id });
      const writes: ReadonlyArray<readonly [method: string, target: string, body: object | undefined, status: number]> =
        [
          ["PUT", "/Products(2)/Category/$ref", to("Categories(2)"), 204],
          ["PUT", "/Products(3)/Category/$ref", to("Categories(2)"), 404],
          ["POST", "/Categories(2)/Products/$ref", to("Products(1)"), 204],
          ["POST", "/Categories(2)/Products/$ref", to("Products(3)"), 404],
          ["DELETE", "/Categories(2)/Products/$ref?$id=Products(1)", undefined, 204],
          ["DELETE", "/Categories(1)/Products/$ref?$id=Products(3)", undefined, 404],
          ["POST", "/Products(2)/Tags/$ref", to("Tags(1)"), 204],
          ["POST", "/Products(3)/Tags/$ref", to("Tags(2)"), 404],
          ["DELETE", "/Products(2)/Tags/$ref?$id=Tags(2)", undefined, 204],
          ["DELETE", "/Products(3)/Tags/$ref?$id=Tags(1)", undefined, 404],
          ["DELETE", "/Products(2)/Category/$ref", undefined, 204],
          ["DELETE", "/Products(3)/Category/$ref", undefined, 404],
          // A sheet that the application hides could lose its product.
          ["PUT", "/Products(2)/Sheet/$ref", to("Sheets(1)"), 405],
          ["DELETE", "/Products(2)/Sheet/$ref", undefined, 405],
        ];
      for (const [method, target, body, status] of writes) {
        expect([method, target, (await ask(at, method, target, body)).status]).toEqual([method, target, status]);
      }
      const { rows } = await sql`select id, category_id from nn_products order by id`.execute(opened.db);
      expect(rows).toEqual([
        { id: 1, category_id: null },
        { id: 2, category_id: null },
        { id: 3, category_id: 1 },
      ]);
      const tagged = await sql`select product_id, tag_id from nn_tagged order by product_id`.execute(opened.db);
      expect(tagged.rows).toEqual([
        { product_id: 1, tag_id: 1 },
        { product_id: 2, tag_id: 1 },
        { product_id: 3, tag_id: 1 },
      ]);
    });

    test("responses that depend on it name its headers in Vary, and are never 304", async () => {
      const first = await ask(at, "GET", "/Products(1)");
      const etag = first.headers.get("etag") ?? "";
      expect(etag).not.toBe("");
      for (const target of [
        "/Products",
        "/Products(1)",
        "/Products(1)/Name",
        "/Products(1)/Tags",
        "/Categories?$expand=Products",
        "/Categories?$filter=Products/any(p:p/Name eq 'x')",
        "/Products(2)/Sheet",
      ]) {
        const { status, headers } = await ask(at, "GET", target, undefined, { "If-None-Match": etag });
        expect([target, status < 300, headers.get("vary")?.includes("Accept-Language")]).toEqual([target, true, true]);
      }
      expect((await ask(at, "GET", "/Categories")).headers.get("vary")).not.toContain("Accept-Language");
      expect((await ask(at, "GET", "/Products(1)", undefined, { "If-Match": '"other"' })).status).toBe(412);
    });
  });
});

describe("a queryable of a table that returns no source of a database", () => {
  const logger = recordingLogger();
  async function read(queryable: () => never, target: string): Promise<number> {
    const [engine] = ENGINES;
    const opened = await engine?.open();
    if (opened === undefined) return 0;
    const service = odataService({
      prefix: "",
      logger,
      entitySets: [
        sqlEntitySet(Tag, {
          db: opened.db,
          table: "nn_tags",
          operations: ["read"],
          getByKey: (id) => ({ id, label: "a" }),
          queryable,
          search: ["label"],
          navigation: {
            same: hasRequired<typeof Tag, typeof Tag>(Tag, { on: { id: "id" }, target: "Tags" }),
          },
        }),
      ],
      schemaCheck: false,
    });
    const { status } = await service.fetch(new Request(`http://x${target}`));
    await opened.close();
    return status;
  }

  test("the error names the handler, or is the response", async () => {
    const array = (): never => arraySource(Tag, [{ id: 1, label: "a" }]) as never;
    expect(await read(array, "/Tags?$search=a")).toBe(500);
    expect(await read(array, "/Tags(1)/Same")).toBe(500);
    expect(logger.errors.map(({ fields }) => String(fields["err"]))).toEqual([
      expect.stringContaining("queryable of Tag does not return a source of a database"),
      expect.stringContaining("The source of Tags does not read along navigations"),
    ]);
    const refused = (): never => odataError(403, "Forbidden", "Not today.") as never;
    expect(await read(refused, "/Tags?$search=a")).toBe(403);
    expect(await read(refused, "/Tags(1)/Same")).toBe(403);
  });
});
