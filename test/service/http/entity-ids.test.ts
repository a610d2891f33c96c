import { Kysely, sql } from "kysely";
import { arraySource, edm, entitySet, entityType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eachDoor, ORIGIN, type Send, type Service, url } from "./doors.ts";
import { noFailures } from "./model.ts";
import { openSql } from "./sql-database.ts";

const Product = entityType("Product", { id: edm.int32().key(), name: edm.string() });
const Line = entityType("Line", {
  order: edm.int32().key(),
  place: edm.string().key(),
  productId: edm.int32().nullable(),
  amount: edm.int32(),
});

const PRODUCTS = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, name: `Product ${index + 1}` }));
const LINES = [
  { order: 1, place: "a/b", productId: 1, amount: 3 },
  { order: 1, place: "c", productId: 2, amount: 4 },
  { order: 2, place: "c", productId: null, amount: 5 },
];

const PROFILES = ["specification", "standard"] as const;
type Profile = (typeof PROFILES)[number];
const common = (profile: Profile) => ({ prefix: "/s", namespace: "Shop", profile, logger: noFailures });

const findProduct = (id: unknown) => PRODUCTS.find((product) => product.id === id) ?? null;
const productOf = ({ order, place }: { readonly order: number; readonly place: string }) =>
  findProduct(LINES.find((line) => line.order === order && line.place === place)?.productId);
const linesOf = (id: number) => LINES.filter(({ productId }) => productId === id);

function overArrays(profile: Profile): Service {
  return odataService({
    ...common(profile),
    entitySets: [
      entitySet(Product, {
        queryable: () => arraySource(Product, PRODUCTS),
        getByKey: findProduct,
        etag: ["name"],
        navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "productId" } }) },
      }),
      entitySet(Line, {
        getAll: () => LINES,
        getByKey: ({ order, place }) => LINES.find((line) => line.order === order && line.place === place) ?? null,
        navigation: { product: hasOptional(Product, { target: "Products", on: { productId: "id" } }) },
      }),
    ],
  });
}

function overHandlers(profile: Profile): Service {
  return odataService({
    ...common(profile),
    entitySets: [
      entitySet(Product, {
        applyQuery: ({ select, skip, top }) => {
          const page = PRODUCTS.slice(skip, top === undefined ? undefined : skip + top);
          return { items: page.map((row) => (select === null ? row : { ...row })) };
        },
        getByKey: findProduct,
        etag: ["name"],
        navigation: { lines: hasMany(Line, { target: "Lines", get: linesOf }) },
      }),
      entitySet(Line, {
        getAll: () => LINES,
        getByKey: ({ order, place }) => LINES.find((line) => line.order === order && line.place === place) ?? null,
        navigation: { product: hasOptional(Product, { target: "Products", get: productOf }) },
      }),
    ],
  });
}

const { db, close } = await openSql();
/** SQLite keeps null and texts in columns of integers. */
const loose: Kysely<Record<string, Record<string, unknown>>> = new Kysely({ dialect: sqliteDialect(":memory:") });

function overTables(profile: Profile): Service {
  const operations = ["read"] as const;
  return odataService({
    ...common(profile),
    entitySets: [
      sqlEntitySet(Product, {
        db,
        table: "products",
        operations,
        etag: ["name"],
        navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "productId" } }) },
      }),
      sqlEntitySet(Line, {
        db,
        table: "lines",
        operations,
        navigation: { product: hasOptional(Product, { target: "Products", on: { productId: "id" } }) },
      }),
    ],
  });
}

beforeAll(async () => {
  await sql`create table products (id integer primary key, name text not null)`.execute(db);
  await sql`create table lines ("order" integer, place text, "productId" integer, amount integer not null,
    primary key ("order", place))`.execute(db);
  await db.insertInto("products").values(PRODUCTS).execute();
  await db.insertInto("lines").values(LINES).execute();
  await sql`create table odds (id int primary key, name text not null, parent int)`.execute(loose);
  await sql`insert into odds values (1, 'whole', null), ('abc', 'text', 1), (99999999999, 'large', 1), (null, 'null', 1)`.execute(
    loose,
  );
});
afterAll(async () => {
  await close();
  await loose.destroy();
});

const FORMS = [
  ["arrays", overArrays],
  ["handlers", overHandlers],
  ["tables", overTables],
] as const;

const product = (id: number) => ({ "@odata.id": `${ORIGIN}/s/Products(${id})` });
const line = (order: number, place: string) => ({
  "@odata.id": `${ORIGIN}/s/Lines(Order=${order},Place='${place}')`,
});

/** Removes the ETags, whose values other tests compare. */
function withoutETags(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) => (name === "@odata.etag" ? undefined : member));
  return JSON.parse(text) as unknown;
}

eachDoor((door) => {
  describe.each(FORMS.flatMap(([form, make]) => PROFILES.map((profile) => [form, profile, make] as const)))(
    "entities without their whole key carry their @odata.id: %s, profile %s",
    (form, profile, make) => {
      const send = door.to(make(profile));
      const value = async (path: string, options: Readonly<Record<string, string>>, headers = {}) =>
        withoutETags((await send(url(path, options), headers)).json.value);

      test("collections", async () => {
        expect(await value("/s/Products", { $select: "Name", $top: "2" })).toEqual([
          { ...product(1), Name: "Product 1" },
          { ...product(2), Name: "Product 2" },
        ]);
        expect(await value("/s/Products", { $select: "Name,Id", $top: "1" })).toEqual([{ Name: "Product 1", Id: 1 }]);
        expect(await value("/s/Products", { $top: "1" })).toEqual([{ Id: 1, Name: "Product 1" }]);
      });

      test("the id comes before the ETag, and all items of a long page have one", async () => {
        const { json } = await send(url("/s/Products", { $select: "Name" }));
        expect(json.value).toHaveLength(PRODUCTS.length);
        for (const [index, item] of (json.value as readonly object[]).entries()) {
          expect(Object.keys(item)).toEqual(["@odata.id", "@odata.etag", "Name"]);
          expect(item).toMatchObject(product(index + 1));
        }
      });

      test("half of a composite key is not enough", async () => {
        expect(await value("/s/Lines", { $select: "Order,Amount" })).toEqual([
          { ...line(1, "a%2Fb"), Order: 1, Amount: 3 },
          { ...line(1, "c"), Order: 1, Amount: 4 },
          { ...line(2, "c"), Order: 2, Amount: 5 },
        ]);
        expect(await value("/s/Lines", { $select: "Order,Place" })).toEqual(
          LINES.map(({ order, place }) => ({ Order: order, Place: place })),
        );
      });

      test("an id can be fetched", async () => {
        const { json } = await send(url("/s/Lines", { $select: "Amount" }));
        for (const [index, item] of (json.value as ReadonlyArray<Readonly<Record<string, string>>>).entries()) {
          const answer = await send(item["@odata.id"]!.slice(ORIGIN.length));
          expect(answer.status).toBe(200);
          expect(answer.json).toMatchObject({ Order: LINES[index]?.order, Place: LINES[index]?.place });
        }
      });

      test("expansions at every level", async () => {
        const options = {
          $select: "Amount",
          $expand: "Product($select=Name;$expand=Lines($select=Place,Amount))",
        };
        expect(await value("/s/Lines", options)).toEqual([
          {
            ...line(1, "a%2Fb"),
            Amount: 3,
            Product: { ...product(1), Name: "Product 1", Lines: [{ ...line(1, "a%2Fb"), Place: "a/b", Amount: 3 }] },
          },
          {
            ...line(1, "c"),
            Amount: 4,
            Product: { ...product(2), Name: "Product 2", Lines: [{ ...line(1, "c"), Place: "c", Amount: 4 }] },
          },
          { ...line(2, "c"), Amount: 5, Product: null },
        ]);
        const lines = await value("/s/Products", { $top: "1", $expand: "Lines($select=Amount)" });
        expect(lines).toEqual([{ Id: 1, Name: "Product 1", Lines: [{ ...line(1, "a%2Fb"), Amount: 3 }] }]);
      });

      // A route between arrays needs a handler.
      test.runIf(form !== "arrays")("navigation routes", async () => {
        expect(await value("/s/Products(1)/Lines", { $select: "Amount" })).toEqual([
          { ...line(1, "a%2Fb"), Amount: 3 },
        ]);
        const { json } = await send(url("/s/Lines(Order=1,Place='c')/Product", { $select: "Name" }));
        expect(json).toMatchObject({ ...product(2), Name: "Product 2" });
        expect(Object.keys(json as object)).not.toContain("Id");
      });

      test("with full metadata, entities with a composite key have an id and an edit link", async () => {
        const headers = { Accept: "application/json;odata.metadata=full" };
        const [item] = (await send(url("/s/Products", { $top: "1", $expand: "Lines($select=Amount)" }), headers)).json
          .value;
        const editLink = line(1, "a%2Fb")["@odata.id"];
        const control = { "@odata.type": "#Shop.Line", ...line(1, "a%2Fb"), "@odata.editLink": editLink };
        expect(item).toMatchObject({ ...product(1), "@odata.editLink": product(1)["@odata.id"] });
        expect(item.Lines).toEqual([{ ...control, "Amount@odata.type": "#Int32", Amount: 3 }]);
      });

      test("odata.metadata=none writes none", async () => {
        const headers = { Accept: "application/json;odata.metadata=none" };
        expect(await value("/s/Products", { $select: "Name", $top: "1" }, headers)).toEqual([{ Name: "Product 1" }]);
        const options = { $select: "Amount", $expand: "Product($select=Name)", $top: "1" };
        expect(await value("/s/Lines", options, headers)).toEqual([{ Amount: 3, Product: { Name: "Product 1" } }]);
      });
    },
  );

  describe.each(PROFILES)("entities without identity have no @odata.id, profile %s", (profile) => {
    /** Products cannot be read by key, and lines have no set. */
    const service = odataService({
      ...common(profile),
      entitySets: [
        entitySet(Product, {
          getAll: () => PRODUCTS.slice(0, 1).map((each) => ({ ...each, lines: linesOf(each.id) })),
          navigation: { lines: hasMany(Line, { get: linesOf }) },
        }),
        entitySet(Product, {
          name: "Partial",
          // The handler returns only the properties of `$select`.
          applyQuery: () => ({ items: [{ name: "Product 1" } as (typeof PRODUCTS)[number]] }),
          getByKey: findProduct,
        }),
      ],
    });
    const send: Send = door.to(service);

    test.each([
      ["sets that cannot be read by key", "/s/Products", { $select: "Name" }, [{ Name: "Product 1" }]],
      [
        "expansions without a target set",
        "/s/Products",
        { $select: "Name", $expand: "Lines($select=Amount)" },
        [{ Name: "Product 1", Lines: [{ Amount: 3 }] }],
      ],
      ["navigation routes without a target set", "/s/Products(1)/Lines", { $select: "Amount" }, [{ Amount: 3 }]],
      [
        "entities that a handler returned without their key",
        "/s/Partial",
        { $select: "Name" },
        [{ Name: "Product 1" }],
      ],
    ] as const)("%s", async (_case, path, options, expected) => {
      const answer = await send(url(path, options));
      expect(answer.status).toBe(200);
      expect(answer.json.value).toEqual(expected);
    });
  });

  describe.each(PROFILES)("entities of sets without a route by key have no links, profile %s", (profile) => {
    const entity = { id: 1, name: "Product 1" };
    const declare = (name: string, handlers: object) =>
      entitySet(Product, { name, getAll: () => [{ ...entity, lines: LINES.slice(0, 1) }], ...handlers });
    const send = door.to(
      odataService({
        ...common(profile),
        entitySets: [
          declare("Listed", { create: () => entity }),
          declare("Edited", { patch: () => entity }),
          declare("Deleted", { delete: () => true }),
          declare("Read", { getByKey: () => entity }),
          declare("Parents", {
            getByKey: () => entity,
            navigation: {
              listed: hasOptional(Product, { target: "Listed", get: () => entity }),
              read: hasOptional(Product, { target: "Read", get: () => entity }),
            },
          }),
        ],
      }),
    );
    const full = { Accept: "application/json;odata.metadata=full" };
    const json = { "Content-Type": "application/json" };
    const transient = profile === "standard" ? { "@odata.id": null } : {};
    const type = { "@odata.type": "#Shop.Product" };
    const members = { "Id@odata.type": "#Int32", Id: 1, Name: "Product 1" };
    const id = (set: string) => ({ "@odata.id": `${ORIGIN}/s/${set}(1)` });
    const link = (set: string) => ({ "@odata.editLink": `${ORIGIN}/s/${set}(1)` });
    const EXPECTED: ReadonlyArray<readonly [string, object]> = [
      ["Listed", { ...type, ...transient, ...members }],
      ["Edited", { ...type, ...link("Edited"), ...members }],
      ["Deleted", { ...type, ...link("Deleted"), ...members }],
      ["Read", { ...type, ...id("Read"), ...link("Read"), ...members }],
    ];

    test.each(EXPECTED)("items of %s with full metadata", async (set, item) => {
      expect((await send(`/s/${set}`, full)).json.value).toEqual([item]);
    });

    test.each([
      ["Listed", { ...type, ...transient, ...members }, { Id: 1, Name: "Product 1" }],
      ["Read", EXPECTED[3]?.[1], { ...id("Read"), Id: 1, Name: "Product 1" }],
    ])("one related entity of %s", async (set, item, minimal) => {
      const place = profile === "standard" ? set : `Parents(1)/${set}`;
      const context = { "@odata.context": `${ORIGIN}/s/$metadata#${place}/$entity` };
      expect((await send(`/s/Parents(1)/${set}`, full)).json).toEqual({ ...context, ...item });
      expect((await send(`/s/Parents(1)/${set}`)).json).toEqual({ ...context, ...minimal });
      const { json: parents } = await send(url("/s/Parents", { $expand: set }), full);
      expect(parents.value).toMatchObject([{ [set]: item }]);
      expect(parents.value[0][set]).toEqual(item);
    });

    test("a created entity has the id that its Location shows", async () => {
      const context = { "@odata.context": `${ORIGIN}/s/$metadata#Listed/$entity` };
      const body = JSON.stringify({ Id: 1, Name: "Product 1" });
      const answer = await send("/s/Listed", { ...full, ...json }, "POST", body);
      expect(answer.json).toEqual({ ...context, ...type, ...id("Listed"), ...members });
      expect(answer.headers["location"]).toBe(id("Listed")["@odata.id"]);
    });
  });

  describe("a key that cannot be read leaves its entity without @odata.id", () => {
    const Odd = entityType("Odd", { id: edm.int32().key(), name: edm.string(), parent: edm.int32().nullable() });
    const returned = [{ id: 1 }, { id: "abc" }, { id: 99_999_999_999 }, { id: null }, {}].map((each, index) => ({
      ...each,
      name: `Odd ${index}`,
      parent: null,
    }));
    const send = door.to(
      odataService({
        prefix: "/s",
        logger: noFailures,
        entitySets: [
          sqlEntitySet(Odd, {
            name: "Odds",
            db: loose,
            table: "odds",
            operations: ["read"],
            navigation: { parts: hasMany(Odd, { target: "Odds", on: { id: "parent" } }) },
          }),
          entitySet(Odd, {
            name: "Returned",
            // JavaScript may return anything.
            getAll: () => returned as unknown as ReadonlyArray<{ id: number; name: string; parent: null }>,
            getByKey: () => null,
          }),
        ],
      }),
    );
    const odd = { "@odata.id": `${ORIGIN}/s/Odds(1)` };
    const unknown = [{ Name: "large" }, { Name: "null" }, { Name: "text" }];

    test.each([
      ["a table", "/s/Odds", { $select: "Name", $orderby: "Name" }, [...unknown, { ...odd, Name: "whole" }]],
      [
        "an expansion of a table",
        "/s/Odds",
        { $filter: "Id eq 1", $select: "Id", $expand: "Parts($select=Name;$orderby=Name)" },
        [{ Id: 1, Parts: unknown }],
      ],
      ["a navigation route of a table", "/s/Odds(1)/Parts", { $select: "Name", $orderby: "Name" }, unknown],
      [
        "objects of a handler",
        "/s/Returned",
        { $select: "Name" },
        returned.map(({ name }, index) => ({
          ...(index === 0 && { "@odata.id": `${ORIGIN}/s/Returned(1)` }),
          Name: name,
        })),
      ],
    ] as const)("%s", async (_case, path, options, expected) => {
      const answer = await send(url(path, options));
      expect(answer.status).toBe(200);
      expect(answer.json.value).toEqual(expected);
    });
  });
});
