import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { checkDatabase } from "odatakit/check";
import { sqlEntitySet } from "odatakit/kysely";
import { afterEach, describe, expect, test } from "vitest";
import { type DatabaseName, ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";

/** `checkDatabase` says where a declaration and the default of its column differ. */

type Property = ReturnType<typeof edm.string>;

interface Case {
  readonly what: string;
  readonly property: (property: Property) => Property;
  readonly column: (type: string) => string;
  readonly options?: {
    readonly operations?: readonly ("read" | "create" | "patch")[];
    readonly unreadable?: "null";
    readonly before?: { readonly create: () => undefined };
  };
  readonly finds: readonly string[];
}

const EXPRESSION = (type: string): string => `${type} not null default (lower('A'))`;
const LITERAL = (type: string): string => `${type} not null default 'a'`;
const NONE = (type: string): string => `${type} not null`;
const as = (property: unknown): Property => property as Property;

const CASES: readonly Case[] = [
  {
    what: "a property without a word for an expression",
    property: (property) => property,
    column: EXPRESSION,
    finds: ["warning C08 Items.text: Declare the property with `.databaseDefault()`."],
  },
  {
    what: "a property without a word for a literal",
    property: (property) => property,
    column: LITERAL,
    finds: ["warning C08 Items.text: Declare the property with `.default(value)`."],
  },
  {
    what: "a nullable property without a word, over a nullable column with an expression",
    property: (property) => as(property.nullable()),
    column: (type) => `${type} default (lower('A'))`,
    finds: ["warning C08 Items.text: Declare the property with `.databaseDefault()`."],
  },
  {
    what: "a nullable property with the word, over a nullable column",
    property: (property) => as(property.nullable().databaseDefault()),
    column: (type) => `${type} default (lower('A'))`,
    finds: [],
  },
  {
    what: "a computed property without a value",
    property: (property) => as(property.computed()),
    column: NONE,
    finds: ["error C08 Items.text: Remove `.computed()`, give the value in `before.create`, or "],
  },
  {
    what: "a computed property of a set with a hook, whose values are not checked",
    property: (property) => as(property.computed()),
    column: NONE,
    options: { before: { create: () => undefined } },
    finds: [],
  },
  {
    what: "a set that is only read",
    property: (property) => property,
    column: EXPRESSION,
    options: { operations: ["read"] },
    finds: [],
  },
  {
    what: "a set without new entities",
    property: (property) => property,
    column: EXPRESSION,
    options: { operations: ["read", "patch"] },
    finds: [],
  },
  {
    what: "a declared default of the database",
    property: (property) => as(property.databaseDefault()),
    column: EXPRESSION,
    finds: [],
  },
  {
    what: "a declared default of the database over a literal",
    property: (property) => as(property.databaseDefault()),
    column: LITERAL,
    finds: [],
  },
  {
    what: "a declared literal",
    property: (property) => as(property.default("a")),
    column: EXPRESSION,
    finds: [],
  },
  {
    what: "a declared default that the database lacks",
    property: (property) => as(property.databaseDefault()),
    column: NONE,
    finds: ["error C08 Items.text: Remove `.databaseDefault()`, or "],
  },
  {
    what: "a nullable property over an expression",
    property: (property) => as(property.nullable()),
    column: EXPRESSION,
    finds: [
      "warning C04 Items.text: Declare the property without `.nullable()`, and with `.databaseDefault()`, or remove `not null` from the column.",
    ],
  },
  {
    what: "a nullable property over a literal",
    property: (property) => as(property.nullable()),
    column: LITERAL,
    finds: [
      "warning C04 Items.text: Declare the property without `.nullable()`, and with `.default(value)`, or remove `not null` from the column.",
    ],
  },
  {
    what: "a nullable property with the word",
    property: (property) => as(property.nullable().databaseDefault()),
    column: EXPRESSION,
    finds: [
      "warning C04 Items.text: Declare the property without `.nullable()`, or remove `not null` from the column.",
    ],
  },
  {
    what: "a property that is nullable because of unreadable cells, over an expression",
    property: (property) => as(property.nullable()),
    column: EXPRESSION,
    options: { unreadable: "null" },
    finds: [
      "warning C04 Items.text: Declare the property with `.databaseDefault()`, or remove `not null` from the column.",
    ],
  },
  {
    what: "a property that is nullable because of unreadable cells, with the word",
    property: (property) => as(property.nullable().databaseDefault()),
    column: EXPRESSION,
    options: { unreadable: "null" },
    finds: [],
  },
  {
    what: "a property that is nullable because of unreadable cells, without a default",
    property: (property) => as(property.nullable()),
    column: NONE,
    options: { unreadable: "null" },
    finds: [],
  },
];

const TYPES: Readonly<Record<DatabaseName, string>> = {
  sqlite: "text",
  postgres: "varchar(20)",
  mariadb: "varchar(20)",
};

describe.each(ENGINES)("checkDatabase over $title, for", ({ name, open }) => {
  let opened: OpenDatabase | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  test.each(CASES)("$what", async ({ property, column, options = {}, finds }) => {
    opened = await open();
    const { db } = opened;
    await sql.raw(`create table items (id int primary key not null, text ${column(TYPES[name])})`).execute(db);
    const Item = entityType("Item", { id: edm.int32().key(), text: property(edm.string()) });
    const items = sqlEntitySet(Item, { db, table: "items", operations: ["read", "create", "patch"], ...options });
    const { findings } = await checkDatabase(odataService({ entitySets: [items] }));
    const found = findings.map(({ severity, code, subject, fix }) => `${severity} ${code} ${subject}: ${fix}`);
    expect(found).toEqual(finds.map((each) => expect.stringContaining(each)));
  });
});
