import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { createTable, ENGINES, type DatabaseName } from "../../engine/executors/engines.ts";
import { countRows, faultOf, sendTo } from "./writes-model.ts";

/** Columns that store less than their properties, and the value that they would silently store. */
const COLUMNS: Readonly<Record<DatabaseName, Readonly<Record<string, string>>>> = {
  sqlite: {},
  postgres: {
    id: "int primary key",
    price: "numeric(10,2)",
    weight: "real",
    single: "real",
    at: "timestamptz(1)",
    time: "time(1)",
    short: "varchar(5)",
    small: "smallint",
  },
  mariadb: {
    id: "int primary key",
    price: "decimal(10,2)",
    weight: "float",
    single: "float",
    at: "datetime(1)",
    time: "time(1)",
    short: "varchar(5)",
    small: "smallint",
  },
};

const Item = entityType("Item", {
  id: edm.int32().key(),
  price: edm.decimal().nullable(),
  weight: edm.double().nullable(),
  single: edm.single().nullable(),
  at: edm.dateTimeOffset({ precision: 6 }).nullable(),
  time: edm.timeOfDay().nullable(),
  short: edm.string().nullable(),
  small: edm.int32().nullable(),
});

const servers = ENGINES.filter(({ name }) => name !== "sqlite");

describe.skipIf(servers.length === 0).each(servers)(
  "columns of $title that hold less than their properties",
  (engine) => {
    test("reject values that they would round or truncate, and write nothing", async () => {
      const opened = await engine.open();
      await createTable(opened, "items", COLUMNS[engine.name]);
      const operations = ["read", "create", "replace", "patch", "delete"] as const;
      const send = sendTo(
        odataService({ entitySets: [sqlEntitySet(Item, { db: opened.db, table: "items", operations })] }),
      );
      const fitting = {
        Id: 1,
        Price: 1.25,
        Weight: 0.5,
        Single: 0.1,
        At: "2024-02-29T12:00:00.500000Z",
        Time: "12:00:00.5",
        Short: "abcde",
        Small: 7,
      };
      expect((await send("POST", "Items", fitting)).status).toBe(201);
      const before = (await send("GET", "Items(1)")).text;
      const wrong = [
        { Price: 1.255 },
        { Price: 123_456_789_012 },
        { Weight: 0.123456789012 },
        { At: "2024-02-29T12:00:00.123456Z" },
        { At: "2024-02-29T12:00:00.1234567Z" },
        { Time: "12:00:00.123" },
        { Time: "12:00:00.1234567" },
        { Short: "abcdef" },
        { Small: 70_000 },
      ];
      for (const member of wrong) {
        expect(faultOf(await send("PATCH", "Items(1)", member)).slice(0, 2), JSON.stringify(member)).toEqual([
          400,
          "InvalidBody",
        ]);
        expect(faultOf(await send("PUT", "Items(1)", { ...fitting, ...member }))[0], JSON.stringify(member)).toBe(400);
        expect(faultOf(await send("POST", "Items", { Id: 2, ...member }))[0], JSON.stringify(member)).toBe(400);
      }
      expect((await send("GET", "Items(1)")).text).toBe(before);
      expect(await countRows(opened.db, "items")).toBe(1);
      await opened.close();
    });
  },
);
