import { expect, test } from "vitest";
import { ENGINES } from "./engines.ts";
import { thingRows } from "./thing-rows.ts";
import { thingServices, type ThingServices } from "./things.ts";

/** Items of a list that is too long for one comparison each. */
function listOf(item: (index: number) => string): string {
  return Array.from({ length: 24 }, (_none, index) => item(index)).join(",");
}

/** Filters for which databases once returned other results: found by generated requests. */
const FILTERS = [
  // A timestamp that is null has no offset, no matter how it is computed.
  "totaloffsetminutes((2024-02-29T12:00:00Z add span)) eq (-note/count)",
  "totaloffsetminutes(2024-02-29T12:00:00Z add span) eq null",
  // A remainder of zero is zero, with either sign.
  "((-price) mod cost) eq 0",
  "((-price) mod cost) ge 0",
  "totaloffsetminutes(at) eq ((-price) mod cost)",
  // A time has one cell, with any number of fraction digits.
  `time in (${listOf((hour) => `${String(hour).padStart(2, "0")}:00:00`)})`,
  `time in (${listOf((digits) => `00:00:00${digits === 0 ? "" : `.${"0".repeat(Math.min(digits, 12))}`}`)})`,
  `not (time in (${listOf(() => "23:59:59.999999999999")},00:00:00))`,
  `day in (${listOf((year) => `${String(1960 + year)}-01-01`)})`,
  `at in (${listOf(() => "1970-01-01T00:00:00Z")},2024-02-29T12:00:00.000Z,9999-12-31T23:59:59.999Z)`,
];

async function answerOf(service: ThingServices["memory"], filter: string): Promise<string> {
  const url = `http://service.example/Things?$select=id&$filter=${encodeURIComponent(filter)}`;
  const response = await service.fetch(new Request(url));
  return `${String(response.status)} ${await response.text()}`;
}

test.each(ENGINES)("$title answers them as arrays do", async (engine) => {
  const { memory, database, close } = await thingServices(engine, thingRows(40, 0));
  for (const filter of FILTERS) expect(await answerOf(database, filter), filter).toBe(await answerOf(memory, filter));
  await close();
});
