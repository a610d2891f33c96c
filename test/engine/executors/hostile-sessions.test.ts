import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { HOSTILE_SETTINGS } from "../../hostile-settings.ts";
import { ENGINES } from "./engines.ts";

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("sessions of $title", ({ open }) => {
  test("have settings that change the texts of values", async () => {
    const { db, close } = await open();
    const shown: Record<string, string> = {};
    for (const name of Object.keys(HOSTILE_SETTINGS)) {
      const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db);
      shown[name] = rows[0]?.value ?? "";
    }
    expect(shown).toEqual(HOSTILE_SETTINGS);
    const { rows } =
      await sql`select '2024-02-29T12:00:00Z'::timestamptz::text as instant, '2024-02-29'::date::text as day,
      '1 day 2 hours'::interval::text as span`.execute(db);
    expect(rows).toEqual([{ instant: "29.02.2024 17:45:00 +0545", day: "29.02.2024", span: "1 2:00:00" }]);
    await close();
  });
});
