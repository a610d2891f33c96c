import { sql } from "kysely";
import {
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataError,
  odataService,
  type ConfigurationError,
  type ServiceOptions,
} from "odatakit";
import { sqlEntitySet, sqlSource } from "odatakit/kysely";
import { openApiRoute } from "odatakit/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import type { AnyDatabase } from "./orders.ts";

const Point = complexType("Point", { x: edm.int32(), y: edm.int32() });
const Car = entityType("Car", {
  id: edm.int32().key(),
  name: edm.string(),
  colors: edm.collection(edm.string()),
  place: edm.complex(Point).nullable(),
  price: edm.decimal({ precision: 10, scale: 2 }).nullable(),
  ownerId: edm.int32().nullable(),
});
const Owner = entityType("Owner", { id: edm.int32().key(), code: edm.int32() });

const reversed = (text: string): string => text.split("").toReversed().join("");
const columns = {
  name: {
    convert: {
      fromDatabase: (cell: unknown) => {
        if (cell === "bad") throw new Error("no name is bad");
        return reversed(String(cell));
      },
      toDatabase: (value: string) => {
        if (value === "no") throw odataError(400, "NoName", "'no' is no name.");
        if (value === "crash") throw new Error("crashed");
        if (value === "later") return Promise.reject(new Error("crashed later"));
        return reversed(value);
      },
    },
  },
  colors: {
    convert: {
      fromDatabase: (cell: unknown) => String(cell).split(";"),
      toDatabase: (value: readonly string[]) => value.join(";"),
    },
  },
  place: {
    convert: {
      fromDatabase: (cell: unknown) => {
        const [x = 0, y = 0] = String(cell).split("/").map(Number);
        return { x, y };
      },
      toDatabase: ({ x, y }: { readonly x: number; readonly y: number }) => `${String(x)}/${String(y)}`,
    },
  },
  price: {
    name: "cents",
    convert: {
      fromDatabase: (cell: unknown) => (Number(cell) === -1 ? null : (Number(cell) / 100).toFixed(2)),
      toDatabase: (value: string) => Number(value) * 100,
    },
  },
} as const;

const ORIGIN = "http://service.example";

async function answer(
  service: ReturnType<typeof odataService>,
  target: string,
  init: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<readonly [status: number, body: unknown, headers: Headers]> {
  const { body, ...others } = init;
  const request = new Request(ORIGIN + encodeURI(target), {
    ...others,
    headers: { "Content-Type": "application/json", Prefer: "return=representation", ...init.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await service.fetch(request);
  const text = await response.text();
  return [response.status, text.startsWith("{") ? JSON.parse(text) : text, response.headers];
}

async function makeCars(db: AnyDatabase): Promise<void> {
  await sql`create table cars (id integer primary key, name varchar(20) not null, colors varchar(50), place varchar(20),
    cents integer, ${sql.id("ownerId")} integer)`.execute(db);
  await sql`insert into cars values (1, 'olop', 'red;blue', '1/2', 1250, 1), (2, 'flog', 'green', null, -1, null)`.execute(
    db,
  );
  await sql`create table owners (id integer primary key, code integer not null)`.execute(db);
  await sql`insert into owners values (1, 1)`.execute(db);
}

const operations = ["read", "create", "replace", "patch", "delete"] as const;

describe.each(ENGINES)("columns that the application converts: $title", (engine) => {
  let opened: OpenDatabase;
  let service: ReturnType<typeof odataService>;
  const logged: string[] = [];
  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    await makeCars(db);
    service = odataService({
      propertyNaming: "camelCase",
      routes: [openApiRoute()],
      logger: {
        error: (_message, fields) => {
          for (const value of Object.values(fields ?? {})) if (value instanceof Error) logged.push(value.message);
        },
        warn: () => {},
        info: () => {},
      },
      entitySets: [
        sqlEntitySet(Car, {
          db,
          table: "cars",
          operations,
          columns,
          etag: ["name"],
          navigation: {
            owner: hasOptional(Owner, {
              on: { ownerId: "id" },
              target: "Owners",
            }),
          },
        }),
        sqlEntitySet(Owner, {
          db,
          table: "owners",
          operations,
          navigation: {
            cars: hasMany(Car, {
              on: { id: "ownerId" },
              target: "Cars",
            }),
          },
        }),
        entitySet(Car, { name: "Sources", queryable: () => sqlSource(Car, { db, from: "cars", columns }) }),
      ],
    });
  });
  afterAll(() => opened.close());

  test("returns values in pages, by key, in expansions and as properties", async () => {
    const polo = { id: 1, name: "polo", colors: ["red", "blue"], place: { x: 1, y: 2 }, price: 12.5, ownerId: 1 };
    const golf = { id: 2, name: "golf", colors: ["green"], place: null, price: null, ownerId: null };
    expect((await answer(service, "/Cars?$orderby=id"))[1]).toMatchObject({ value: [polo, golf] });
    expect((await answer(service, "/Cars(1)"))[1]).toMatchObject(polo);
    expect((await answer(service, "/Sources"))[1]).toMatchObject({ value: [polo, golf] });
    expect((await answer(service, "/Owners?$expand=cars"))[1]).toMatchObject({ value: [{ id: 1, cars: [polo] }] });
    expect((await answer(service, "/Cars(1)?$select=name&$expand=owner"))[1]).toMatchObject({ owner: { id: 1 } });
    expect((await answer(service, "/Cars(1)/colors"))[1]).toMatchObject({ value: ["red", "blue"] });
  });

  test.each([
    ["/Cars?$filter=name eq 'polo'", "name"],
    ["/Cars?$filter=startswith(name,'p')", "name"],
    ["/Cars?$filter=name eq null", "name"],
    ["/Cars?$filter=name in ('polo')", "name"],
    ["/Cars?$filter=colors/any(c: c eq 'red')", "colors"],
    ["/Cars?$filter=colors/$count gt 1", "colors"],
    ["/Cars?$filter=place/x eq 1", "place"],
    ["/Cars?$filter=place eq null", "place"],
    ["/Cars?$orderby=price", "price"],
    ["/Cars?$orderby=place/x", "place"],
    ["/Owners?$filter=cars/any(c: c/name eq 'polo')", "name"],
    ["/Owners?$expand=cars($filter=name eq 'polo')", "name"],
    ["/Owners?$expand=cars($orderby=price desc)", "price"],
    ["/Sources?$filter=name eq 'polo'", "name"],
    ["/Sources?$filter=colors/any()", "colors"],
    ["/Sources?$filter=place/x eq 1", "place"],
    ["/Sources?$filter=place ne null", "place"],
    ["/Sources?$orderby=price desc", "price"],
  ])("%s returns 400 and names the property", async (target, property) => {
    const [status, body] = await answer(service, target);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`'${property}'`)]);
  });

  test("$metadata and OpenAPI list the properties without filter and order", async () => {
    const [, metadata] = await answer(service, "/$metadata");
    const annotated = String(metadata)
      .replace(/^[\s\S]*?<EntitySet Name="Cars"/, "")
      .replace(/<\/EntitySet>[\s\S]*$/, "");
    for (const list of ["NonFilterableProperties", "NonSortableProperties"]) {
      const [, found] =
        new RegExp(`${list}"><Collection>(.*?)</Collection>`).exec(annotated.replaceAll(/\s*\n\s*/g, "")) ?? [];
      expect(found?.match(/(?<=<PropertyPath>)\w+/g)).toEqual(["name", "colors", "place", "price"]);
    }
    const [, api] = await answer(service, "/openapi.json");
    const cars = (api as { readonly paths: Readonly<Record<string, { readonly get: unknown }>> }).paths["/Cars"]?.get;
    expect(JSON.stringify(cars)).toContain("The condition that items must meet. Allowed: id, ownerId, owner.");
    expect(JSON.stringify(cars)).toContain("The order of the items. Allowed: id, ownerId, owner.");
  });

  test("stores cells, with ETags", async () => {
    const { db } = opened;
    const body = { id: 9, name: "taxi", colors: ["a", "b"], place: { x: 3, y: -4 }, price: 2.5, ownerId: null };
    const [status, created, headers] = await answer(service, "/Cars", { method: "POST", body });
    expect([status, created]).toMatchObject([201, body]);
    const cells = async () => {
      const { rows } = await sql`select name, colors, place, cents from cars where id = 9`.execute(db);
      return Object.values(rows[0] as object) as readonly unknown[];
    };
    expect(await cells()).toEqual(["ixat", "a;b", "3/-4", 250]);
    const patch = (values: object, etag: string) =>
      answer(service, "/Cars(9)", { method: "PATCH", body: values, headers: { "If-Match": etag } });
    const etag = headers.get("ETag") ?? "";
    const changed = await patch({ name: "bus", place: null, price: null }, etag);
    expect([changed[0], changed[1]]).toMatchObject([200, { name: "bus", place: null, price: null }]);
    expect(await cells()).toEqual(["sub", "a;b", null, null]);
    expect((await patch({ name: "tram" }, etag))[0]).toBe(412);
    const now = changed[2].get("ETag") ?? "";
    const refused = await patch({ name: "no" }, now);
    expect([refused[0], refused[1]]).toEqual([400, { error: { code: "NoName", message: "'no' is no name." } }]);
    expect((await patch({ name: "crash" }, now))[0]).toBe(500);
    expect(logged.at(-1)).toBe('Column "name" of table "cars": `toDatabase` of Name failed: crashed');
    expect((await patch({ name: "later" }, now))[0]).toBe(500);
    expect(logged.at(-1)).toBe(
      'Column "name" of table "cars": `toDatabase` of Name failed: It returned a promise: return the value itself.',
    );
    expect((await answer(service, "/Cars(9)", { method: "DELETE", headers: { "If-Match": now } }))[0]).toBe(204);
  });

  test("returns 500 for a cell that cannot be converted, and logs column and table", async () => {
    await sql`insert into cars (id, name) values (20, 'bad')`.execute(opened.db);
    expect((await answer(service, "/Cars(20)"))[0]).toBe(500);
    expect(logged.at(-1)).toBe('Column "name" of table "cars": `fromDatabase` of Name failed: no name is bad');
    await sql`delete from cars where id = 20`.execute(opened.db);
  });

  test.each(["error", "null"] as const)(
    "returns the error that a conversion throws for the client: unreadable %s",
    async (unreadable) => {
      const convert = {
        fromDatabase: () => {
          throw odataError(410, "Gone", "No longer here.");
        },
        toDatabase: String,
      };
      const { db } = opened;
      const other = odataService({
        propertyNaming: "camelCase",
        schemaCheck: false,
        entitySets: [
          sqlEntitySet(Owner, {
            db,
            table: "owners",
            operations: ["read"],
            unreadable,
            columns: { code: { convert } },
          }),
        ],
      });
      const [status, body] = await answer(other, "/Owners");
      expect([status, body]).toEqual([410, { error: { code: "Gone", message: "No longer here." } }]);
    },
  );

  test("does not share a conversion between two sources that differ only in it", async () => {
    const { db } = opened;
    await sql`delete from cars where id = 9`.execute(db);
    const shout = { name: { convert: { fromDatabase: (cell: unknown) => `${String(cell)}!`, toDatabase: String } } };
    const other = odataService({
      propertyNaming: "camelCase",
      entitySets: [
        entitySet(Car, {
          queryable: () => sqlSource(Car, { db, from: "cars", columns: { ...columns, ...shout } }),
        }),
      ],
    });
    expect((await answer(other, "/Cars?$select=name&$orderby=id"))[1]).toMatchObject({
      value: [{ name: "olop!" }, { name: "flog!" }],
    });
  });

  test("reports faults at startup", () => {
    const { db } = opened;
    const convert = { fromDatabase: String, toDatabase: String };
    const shared = { db, table: "cars", operations: ["read"] } as const;
    const faultsOf = (...entitySets: readonly unknown[]): readonly string[] => {
      try {
        odataService({ entitySets: entitySets as ServiceOptions["entitySets"] });
      } catch (error) {
        return (error as ConfigurationError).faults.map(({ message }) => message);
      }
      return [];
    };
    const carWith = (options: object): unknown =>
      Reflect.apply(sqlEntitySet, undefined, [Car, { ...shared, ...options }]);
    const owners = (options: object): unknown =>
      Reflect.apply(sqlEntitySet, undefined, [Owner, { ...shared, table: "owners", ...options }]);
    const joined = { owner: hasOptional(Owner, { on: { ownerId: "code" }, target: "Owners" }) };
    expect([
      ...faultsOf(carWith({ columns: { id: { convert } } })),
      ...faultsOf(carWith({ columns: { name: { convert: { fromDatabase: String } } } })),
      ...faultsOf(carWith({ columns: { name: { convert: true } } })),
      ...faultsOf(carWith({ columns: { name: { convert, storage: "text" } } })),
      ...faultsOf(carWith({ columns: { place: { columns: { x: { convert } } } } })),
      ...faultsOf(carWith({ columns: { name: { convert } }, search: ["name"] })),
      ...faultsOf(carWith({ columns: { name: { convert } }, filterProperties: ["id", "name"] })),
      ...faultsOf(carWith({ columns: { ownerId: { convert } }, navigation: joined }), owners({})),
      ...faultsOf(carWith({ navigation: joined }), owners({ columns: { code: { convert } } })),
    ]).toEqual([
      "`id` has a `convert`, but is part of the key.",
      "`columns.name.convert.toDatabase` is undefined.",
      "`columns.name.convert` is true.",
      "`name` has a `convert` together with `storage` or `columns`.",
      "`place.x` has a `convert` within a complex property.",
      "`search` names `name`, whose column has a `convert`.",
      "`filterProperties` names `name`, whose column has a `convert`.",
      "`owner` is joined by Cars/ownerId, whose column has a `convert`.",
      "`owner` is joined by Owners/code, whose column has a `convert`.",
    ]);
  });

  test("rejects a row rule over a converted column with a ConfigurationError", async () => {
    const { db } = opened;
    const ruled = odataService({
      authenticate: () => ({ id: "1" }),
      logger: {
        error: (_message, fields) => {
          for (const value of Object.values(fields ?? {})) if (value instanceof Error) logged.push(value.name);
        },
        warn: () => {},
        info: () => {},
      },
      entitySets: [
        sqlEntitySet(Car, {
          db,
          table: "cars",
          operations: ["read"] as const,
          columns,
          authorization: { rows: (_user, row) => row.name.eq("polo") },
        }),
      ],
    });
    expect((await answer(ruled, "/Cars"))[0]).toBe(500);
    expect(logged.at(-1)).toBe("ConfigurationError");
  });
});
