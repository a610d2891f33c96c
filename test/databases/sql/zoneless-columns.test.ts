import { Kysely } from "kysely";
import { createPool } from "mysql2";
import { complexType, edm, entityType, odataService, type ServiceOptions } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { mariadbDialect } from "odatakit/mariadb";
import { sqliteDialect } from "odatakit/sqlite";
import { expect, test } from "vitest";
import type { AnyDatabase } from "./orders.ts";

/** Timestamps in columns without a time zone, whose zone `$metadata` states. */

const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(":memory:") });
const Span = complexType("Span", { since: edm.dateTimeOffset(), until: edm.dateTimeOffset() });
const timestamp = edm.dateTimeOffset().nullable();
const Visit = entityType("Visit", {
  id: edm.int32().key(),
  stored: timestamp,
  counted: timestamp,
  written: timestamp,
  typed: timestamp,
  auckland: edm.dateTimeOffset().nullable().annotate({ "Common.Timezone": "Pacific/Auckland" }),
  open: edm.complex(Span),
  day: edm.date().nullable(),
});
const columns = {
  counted: { storage: "epoch" },
  written: { storage: "sqlite-datetime" },
  typed: { storage: "text" },
  auckland: { storage: "utc" },
  open: { columns: { since: { storage: "utc" } } },
  day: { storage: "sqlite-datetime" },
} as const;

async function zonesOf(
  options: Partial<ServiceOptions> = {},
  database = db,
): Promise<Readonly<Record<string, string>>> {
  const set = sqlEntitySet(Visit, { db: database, table: "visits", operations: ["read"], columns });
  const service = odataService({ entitySets: [set], propertyNaming: "camelCase", ...options });
  const response = await service.fetch(new Request("http://service.example/$metadata"));
  const document = await response.text();
  expect(response.status).toBe(200);
  const term =
    /<Annotation Term="com\.sap\.vocabularies\.Common\.v1\.Timezone" String="([^"]*)"|<Annotation Term="Common\.Timezone" String="([^"]*)"/u;
  const properties = document.matchAll(/<Property Name="(\w+)"(?:[^>]*\/>|.*?<\/Property>)/gsu);
  return Object.fromEntries(
    Array.from(properties).flatMap(([text, name = ""]) => {
      const [found, full, short] = term.exec(text) ?? [];
      return found === undefined ? [] : [[name, full ?? short ?? ""]];
    }),
  );
}

test("states UTC for timestamps in columns without a time zone, but not for instants, dates and a stated zone", async () => {
  expect(await zonesOf()).toEqual({ written: "UTC", typed: "Etc/UTC", since: "UTC", auckland: "Pacific/Auckland" });
});

test("states UTC for a `datetime` of MariaDB, which needs no storage", async () => {
  const pool = createPool({ host: "127.0.0.1", port: 1 });
  const zones = await zonesOf({}, new Kysely({ dialect: mariadbDialect({ pool }) }));
  await pool.promise().end();
  const own = { typed: "Etc/UTC", auckland: "Pacific/Auckland" };
  expect(zones).toEqual({ stored: "UTC", written: "UTC", since: "UTC", until: "UTC", ...own });
});

test("states nothing where the service gives the alias to another vocabulary", async () => {
  const vocabularies = { Common: { namespace: "Example.Own", uri: "https://example.com/own.xml" } };
  const own = await zonesOf({ vocabularies });
  expect(own).toEqual({ auckland: "Pacific/Auckland" });
});
