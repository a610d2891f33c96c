import fc from "fast-check";
import { format } from "oxfmt";
import { describe, expect, test } from "vitest";
import type { EntityTypeDeclaration } from "../../../../src/definition/types/value-type.ts";
import { writeDeclarations, type CodeOptions } from "../../../../src/tools/declarations/code/write-declarations.ts";
import type { DescribedProperty, DescribedService } from "../../../../src/tools/declarations/described-service.ts";
import { anyCharacter } from "../../../any-character.ts";
import { caseCount } from "../../../cases.ts";
import { describedService, describedSet, ID, navigation, property } from "./described.ts";
import { runModule, type DeclaredSet } from "./run-module.ts";

const OPTIONS: CodeOptions = {
  database: { kind: "sqlite", file: "shop.db" },
  service: { prefix: "/odata", namespace: "Shop" },
};

function textOf(service: DescribedService, path: string, options: CodeOptions = OPTIONS): string {
  return writeDeclarations(service, options).find((module) => module.path === path)?.text ?? "";
}

describe("the module of a table", () => {
  const orders = describedSet("Order", {
    description: "What customers ordered",
    properties: [
      ID,
      property("customerId", { type: "Edm.Int32", column: "customer_id" }),
      property("total", {
        type: "Edm.Decimal",
        facets: { precision: 12, scale: 2 },
        storage: "scaled",
        column: "cents",
      }),
    ],
    navigations: [
      navigation("customer", "Customer", { cardinality: "required", on: [["customerId", "id"]], partner: "orders" }),
    ],
  });
  const customers = describedSet("Customer", {
    navigations: [navigation("orders", "Order", { on: [["id", "customerId"]], partner: "customer" })],
  });

  test("declares its type, and its set with columns and navigations that differ from defaults", () => {
    expect(textOf(describedService([customers, orders]), "order.ts")).toBe(`\
import { edm, entityType, hasRequired } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { Customer } from "./customer.ts";
import { db } from "./database.ts";

export const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  customerId: edm.int32(),
  total: edm.decimal({ precision: 12, scale: 2 }),
}).describe("What customers ordered");

export const orders = sqlEntitySet(Order, {
  db,
  table: "order",
  operations: ["read"],
  columns: {
    customerId: "customer_id",
    total: { name: "cents", storage: "scaled" },
  },
  navigation: {
    customer: hasRequired(() => Customer, {
      on: { customerId: "id" },
      target: "Customers",
      partner: "orders",
    }),
  },
  etag: "all",
  unreadable: "null",
});
`);
  });

  test.each<[string, Partial<DescribedProperty>, string]>([
    ["a name that the policy does not make", { name: "URLValue", field: "urlValue" }, 'edm.string().json("URLValue")'],
    ["the default precision", { type: "Edm.TimeOfDay", facets: { precision: 12 } }, "edm.timeOfDay()"],
    ["another precision", { type: "Edm.TimeOfDay", facets: { precision: 0 } }, "edm.timeOfDay({ precision: 0 })"],
    [
      "a large Int64",
      { type: "Edm.Int64", defaultValue: "9007199254740993" },
      "edm.int64().default(9007199254740993n)",
    ],
    ["a small Int64", { type: "Edm.Int64", defaultValue: "-7" }, "edm.int64().default(-7)"],
    [
      "a default of the database",
      { databaseDefault: true, nullable: true },
      "edm.string().nullable().databaseDefault()",
    ],
    ["a default of text", { defaultValue: 'a"b' }, "edm.string().default('a\"b')"],
    ["a Boolean", { type: "Edm.Boolean", defaultValue: false }, "edm.boolean().default(false)"],
    ["a collection", { isCollection: true, type: "Edm.Guid" }, "edm.collection(edm.guid().nullable())"],
    ["an SByte", { type: "Edm.SByte", nullable: true }, "edm.sByte().nullable()"],
  ])("writes %s", (_title, given, code) => {
    const set = describedSet("Thing", { properties: [property("urlValue", { column: "urlValue", ...given })] });
    expect(textOf(describedService([set]), "thing.ts")).toContain(`  urlValue: ${code},\n`);
  });

  test.each([
    [{ schema: "public", name: "a" }, false, '"a"'],
    [{ schema: "public", name: "a.b" }, false, '{ name: "a.b" }'],
    [{ schema: "sales", name: "a" }, true, '"sales.a"'],
    [{ schema: "sales", name: "a.b" }, true, '{ schema: "sales", name: "a.b" }'],
    [{ schema: "s.t", name: "a" }, true, '{ schema: "s.t", name: "a" }'],
  ])("names the table %j, with its schema: %s", (table, needsSchema, code) => {
    const text = textOf(describedService([describedSet("Thing", { table, needsSchema })]), "thing.ts");
    expect(text).toContain(`  table: ${code},\n`);
  });
});

test("further options of a set follow its operations", () => {
  const settings = (): { readonly search: readonly string[] } => ({ search: ["name", "title"] });
  const text = textOf(describedService([describedSet("Thing")]), "thing.ts", { ...OPTIONS, settings });
  expect(text).toContain('  operations: ["read"],\n  search: ["name", "title"],\n');
});

test("a set without the rows that have no key reads a query", async () => {
  const set = describedSet("Thing", { excludesNulls: ["id"], needsSchema: true });
  const text = textOf(describedService([set]), "thing.ts");
  expect(text).toContain(`  from: {
    sql: 'select * from "public"."thing" where "id" is not null',
    parameters: [],
  },
`);
  const { code } = await format("thing.ts", text, {});
  expect(text).toBe(code);
});

describe("the modules of the service", () => {
  test.each<[CodeOptions["database"], readonly string[]]>([
    [{ kind: "sqlite", file: "a'b.db" }, ['?? "a\'b.db"', 'from "odatakit/sqlite"', "sqliteDialect(file)"]],
    [{ kind: "pglite", folder: "data" }, ['?? "data"', 'from "@electric-sql/pglite"', "new PGlite(folder)"]],
    [{ kind: "postgres" }, ['process.env["DATABASE_URL"]', 'from "pg"', "postgresDialect({ pool })"]],
    [{ kind: "mariadb" }, ['process.env["DATABASE_URL"]', 'from "mysql2"', "mariadbDialect({ pool })"]],
  ])("open the database %j", async (database, parts) => {
    const text = textOf(describedService([]), "database.ts", { ...OPTIONS, database });
    for (const part of parts) expect(text).toContain(part);
    const { code } = await format("database.ts", text, {});
    expect(text).toBe(code);
  });

  test("have settings as options", async () => {
    const service = { prefix: "/odata", defaults: { maxTop: 1000, maxExpandDepth: null }, names: ["a", "b"] };
    const text = textOf(describedService([]), "service.ts", { ...OPTIONS, service });
    expect(text).toContain(`odataService({
  prefix: "/odata",
  defaults: { maxTop: 1000, maxExpandDepth: null },
  names: ["a", "b"],
  entitySets,
  routes,
});`);
    const { code } = await format("service.ts", text, {});
    expect(text).toBe(code);
  });
});

describe("names of modules and exports", () => {
  test.each([
    [["OrderDetail"], ["order-detail.ts"], ["OrderDetail", "orderDetails"]],
    [["HTTPServer2Log"], ["http-server2-log.ts"], ["HTTPServer2Log", "httpServer2Logs"]],
    [
      ["Index", "Database"],
      ["index-entity.ts", "database-entity.ts"],
      ["Index", "indexs", "Database", "databases"],
    ],
    [["Con"], ["con-entity.ts"], ["Con", "cons"]],
    [
      ["edm", "db"],
      ["edm.ts", "db.ts"],
      ["edmEntity", "edms", "dbEntity", "dbs"],
    ],
    [["Date"], ["date.ts"], ["DateEntity", "dates"]],
    [["Straße"], ["straße.ts"], ["Straße", "straßes"]],
  ])("%j", (types, files, exported) => {
    const service = describedService(types.map((name) => describedSet(name)));
    const modules = writeDeclarations(service, OPTIONS).filter(({ table }) => table !== null);
    expect(modules.map(({ path }) => path)).toEqual(files);
    expect(modules.flatMap(({ text }) => Object.keys(runModule(text)))).toEqual(exported);
  });

  test("a set whose name is that of its type, or a word of JavaScript, has another variable", () => {
    const service = describedService([
      describedSet("orders", { setName: "orders" }),
      describedSet("New", { setName: "New" }),
      describedSet("Staff", { setName: "Staff" }),
    ]);
    expect(Object.keys(runModule(textOf(service, "orders.ts")))).toEqual(["orders", "ordersSet"]);
    expect(Object.keys(runModule(textOf(service, "new.ts")))).toEqual(["New", "newSet"]);
    expect(Object.keys(runModule(textOf(service, "staff.ts")))).toEqual(["Staff", "staff"]);
    expect(textOf(service, "index.ts")).toContain("  ordersSet,\n  newSet,\n  staff,\n");
  });

  test("a long name has a file that systems can store", () => {
    const service = describedService([describedSet("Ж".repeat(128))]);
    const [path = ""] = writeDeclarations(service, OPTIONS).flatMap((module) => (module.table ? [module.path] : []));
    expect(Buffer.byteLength(path)).toBeLessThan(220);
  });
});

/** Formatting depends on the width of characters, about which tables of Unicode differ. */
const USUAL_TEXTS = fc.oneof(
  fc.stringMatching(/^[A-Za-zäß縦書\ud55c"'`\\/*$ {}\n\t]{0,40}$/u),
  fc.stringMatching(/^[a-z ]{60,130}$/),
);

const TEXTS = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom(...Array.from("'\"`\\/*$ {}\n\r\t\u2028\u2029\u0000\u202E\u200B</a")) }),
  fc.stringMatching(/^[a-z ]{60,130}$/),
);

const FIELDS = fc.oneof(
  fc.stringMatching(/^[a-z][A-Za-z0-9_]{0,20}$/),
  fc.constantFrom("größe", "constructor", "toString", "class", "default", "_2nd", "縦書き"),
);

const properties = (texts: fc.Arbitrary<string>): fc.Arbitrary<DescribedProperty> =>
  fc
    .record({
      field: FIELDS,
      column: texts,
      description: fc.option(texts),
      defaultValue: fc.option(texts, { nil: undefined }),
      sql: fc.option(texts),
      maxLength: fc.option(fc.nat()),
      isKey: fc.boolean(),
      nullable: fc.boolean(),
      isCollection: fc.boolean(),
      storage: fc.constantFrom(null, "text" as const, { true: "ja", false: "nein" }),
    })
    .map(({ field, maxLength, ...given }) =>
      property(field, { ...given, facets: maxLength === null ? {} : { maxLength } }),
    );

const services = (texts: fc.Arbitrary<string>): fc.Arbitrary<DescribedService> =>
  fc
    .record({
      properties: fc.uniqueArray(properties(texts), {
        selector: ({ name }) => name.toLowerCase(),
        minLength: 1,
        maxLength: 5,
      }),
      columns: fc.tuple(texts, texts),
      target: fc.constantFrom("Thing", "Other", "AnotherTypeWithAName"),
      many: FIELDS,
      description: fc.option(texts),
      cells: fc.tuple(texts, texts),
      table: fc.record({ schema: texts, name: texts }),
      needsSchema: fc.boolean(),
    })
    .map(({ properties, columns: [from, to], target, many, description, cells: [A, B], table, needsSchema }) => {
      const link = { table, needsSchema, from: [["id", from]], to: [[to, "id"]], columns: { [to]: "text" } } as const;
      const set = describedSet("Thing", {
        table,
        needsSchema,
        description,
        properties: [
          ...properties,
          property("state", { type: { enumType: "State" }, storage: { values: { A, B } }, description }),
        ],
        navigations: [
          navigation(many, target, { description, on: [["id", "thingId"]] }),
          navigation("linked", target, { description, on: [], through: link }),
        ],
      });
      const members = [
        { name: "A", value: 0 },
        { name: "B", value: 7 },
      ];
      return describedService(
        [set, describedSet("Other"), describedSet("AnotherTypeWithAName")],
        [{ name: "State", members, description }],
      );
    });

describe("any described service", () => {
  test("is written as oxfmt formats it, without settings", async () => {
    await fc.assert(
      fc.asyncProperty(services(USUAL_TEXTS), USUAL_TEXTS, async (service, file) => {
        const options: CodeOptions = { ...OPTIONS, database: { kind: "sqlite", file } };
        for (const { path, text } of writeDeclarations(service, options)) {
          const { code, errors } = await format(path, text, {});
          expect(errors).toEqual([]);
          expect(text).toBe(code);
        }
      }),
      { numRuns: caseCount(1000) },
    );
  });

  test("declares the described service, whatever texts contain", () => {
    fc.assert(
      fc.property(services(TEXTS), (service) => {
        const [set = describedSet("")] = service.sets;
        const enums = runModule(textOf(service, "enums.ts"));
        const { Thing, things } = runModule(textOf(service, "thing.ts"), enums);
        const { properties, description } = Thing as EntityTypeDeclaration;
        expect(description).toBe(set.description ?? undefined);
        expect(enums).toMatchObject({ State: { members: { A: 0, B: 7 } } });
        expect(Object.keys(properties)).toEqual(set.properties.map(({ field }) => field));
        const { table, columns, navigation: declared } = (things as DeclaredSet).options;
        expect(table).toEqual(expectedTable(set));
        for (const each of set.properties) {
          const { declared: made } = properties[each.field] ?? {};
          expect(made?.description).toBe(each.description ?? undefined);
          expect(made?.defaultValue?.value).toBe(each.defaultValue);
          expect((columns as Record<string, unknown>)[each.field]).toEqual(expectedColumn(each));
        }
        for (const each of set.navigations) {
          const made = (declared as Record<string, object>)[each.field];
          const { cardinality, description } = each;
          expect(made).toMatchObject({ cardinality, ...(description === null ? {} : { description }) });
        }
        const linked = set.navigations.find(({ through }) => through !== null)?.through;
        const [[, from] = []] = linked?.from ?? [];
        const [[to] = [""]] = linked?.to ?? [];
        const { options } = (declared as Record<string, { readonly options: object }>)["linked"] ?? {};
        expect(options).toMatchObject({ through: { table, from: { id: from }, to: ownEntry(to, "id") } });
      }),
      { numRuns: caseCount(1000) },
    );
  });
});

function ownEntry(key: string, value: unknown): object {
  return Object.fromEntries([[key, value]]);
}

function expectedTable({ table: { schema, name }, needsSchema }: DescribedService["sets"][number]): unknown {
  if (!needsSchema) return name.includes(".") ? { name } : name;
  return `${schema}${name}`.includes(".") ? { schema, name } : `${schema}.${name}`;
}

function expectedColumn({ field, column, sql, storage }: DescribedProperty): unknown {
  const name = column === field || sql !== null ? {} : { name: column };
  if (sql === null && storage === null) return column === field ? undefined : column;
  return { ...name, ...(sql === null ? {} : { sql }), ...(storage === null ? {} : { storage }) };
}
