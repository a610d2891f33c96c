import { sql } from "kysely";
import { expect, test } from "vitest";
import { worldService } from "../../examples/world/service.ts";
import { openEmptyWorld } from "../examples/empty-world.ts";
import { describeClient } from "./describe-client.ts";
import { UI5_HEAD } from "./package-files.ts";
import type { Shop } from "./shop.ts";

async function openWorld(): Promise<Shop> {
  const db = await openEmptyWorld();
  await sql`insert into cities (id, name, countryCode, population, location_latitude, location_longitude)
    values (2267057, 'Lisbon', 'PT', 517802, 38.7, -9.1), (2735943, 'Porto', 'PT', 249633, 41.1, -8.6)`.execute(db);
  await sql`insert into trips (id, title, status, rowVersion) values (1, 'Lisbon to Porto', 'Planned', 1)`.execute(db);
  await sql`insert into stops (id, tripId, position, place, nights, cityId) values (1, 1, 1, 'Lisbon', 3, 2267057)`.execute(
    db,
  );
  return { service: worldService(db), names: () => Promise.resolve([]), close: () => db.destroy() };
}

describeClient(
  "OpenUI5 with the annotations of the world",
  "ui5-world",
  { head: UI5_HEAD, open: openWorld },
  (client) => {
    test("a form shows the labels", async () => {
      expect(await client().run("form()")).toEqual([
        "Position",
        "1",
        "Place",
        "Lisbon",
        "Nights",
        "3",
        "City",
        "2,267,057",
      ]);
    });

    test("a value help reads its columns and its rows", async () => {
      expect(await client().run('valueHelp("lis")')).toEqual({
        path: "Cities",
        kinds: [
          "com.sap.vocabularies.Common.v1.ValueListParameterInOut",
          "com.sap.vocabularies.Common.v1.ValueListParameterDisplayOnly",
        ],
        rows: [[2267057, "Lisbon"]],
      });
    });

    test("a list finds its columns", async () => {
      expect(await client().run("columns()")).toEqual([
        ["Title", "Title"],
        ["Status", "Status"],
        ["StartsOn", "First day"],
      ]);
    });
  },
);
