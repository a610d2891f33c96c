import { applyDelta, entitySet, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { caseCount, sampleOf } from "../../cases.ts";
import { ENGINES } from "../../engine/executors/engines.ts";
import { thingRows } from "../../engine/executors/thing-rows.ts";
import { columns, storableRows, Thing, thingsDatabase, type ThingRow } from "../../engine/executors/things.ts";
import { ORIGIN, type LoggedErrors } from "./writes-model.ts";

/** JSON values at and beyond the limits of types, columns and databases, separated by blanks. */
const PLAIN = `
  null true false [] {} 0 -0 1 -1 1.5 1e400 -1e-400 1e20 0.1 1.005 127 128 255 256 32767 32768 2147483647 2147483648
  9223372036854775807 9223372036854775808 -9223372036854775808 9007199254740993 12345678901234567890.123456789
  0.0000000000000000000000000000000000000001 99999999999.99 1.255 1e300 -1.7976931348623157e308 5e-324 3.4e38 1e39
  "INF" "-INF" "NaN" "" "ß" "\\u0000" "a\\u0000b" "a\\u0020" "\\ud800" "\\udc00x" "😀" "'" "\\"" "\\\\" "%" "$1" "?"
  "2024-02-29" "2023-02-29" "0000-01-01" "-0001-12-31" "9999-12-31" "10000-01-01" "999999-01-01" "-4713-01-01"
  "00:00:00" "23:59:59.999999" "23:59:59.9999999" "23:59:59.999999999999" "24:00:00" "12:00"
  "2024-02-29T12:00:00Z" "2024-02-29T12:00:00.1234567Z" "2024-02-29T12:00:00.123+14:00" "2024-02-29T12:00:00-00:00"
  "0000-01-01T00:00:00+14:00" "9999-12-31T23:59:59.999-14:00" "-4713-01-01T00:00:00Z" "99999-01-01T00:00:00Z"
  "999999-01-01T00:00:00Z" "1969-12-31T23:59:59.999Z" "2024-02-29T23:59:59.9999999999Z" "2024-02-29T23:59:60Z"
  "P1D" "-PT0.000000000001S" "P999999999D" "PT36H" "P1Y" "AQID" "_-8=" "%%%" "01234567-89AB-cdef-0123-456789abcdef"
  "Low" "low" "10" "Red,Blue" "Top" "White,Red" "8" "None"
  {"city":null,"number":1,"geo":null} {"city":"x","number":2147483647,"geo":{"latitude":"INF","name":null}}
  {"text":"\\u0000","count":9223372036854775807,"price":1.10,"at":null,"done":null,"words":[]}
  {"text":"\\ud800","count":null,"price":1e-7,"at":"2024-02-29T12:00:00.5+01:00","done":true,"words":["\\udc00"]}
  ["a",null,""] [1.10,null,-0.0] [1e400] [1e300] ["\\u0000"] ["\\ud800"] [null]
  [{"code":null,"size":null,"price":1e-7,"level":"High"},null] [{"code":"\\u0000","size":1,"price":null,"level":"Low"}]`;
const VALUES: readonly string[] = [
  ...PLAIN.trim().split(/\s+/),
  `1${"0".repeat(70)}`,
  `0.${"1".repeat(200)}`,
  `"${"x".repeat(101)}"`,
  `"${"😀".repeat(60)}"`,
  `"${"y".repeat(70_000)}"`,
];
const MEMBERS = Object.keys(Thing.properties).filter((field) => field !== "id");

async function ask(
  service: ReturnType<typeof odataService>,
  method: string,
  body?: string,
): Promise<readonly [number, string]> {
  const init = body === undefined ? {} : { body, headers: { "Content-Type": "application/json" } };
  const response = await service.fetch(new Request(`${ORIGIN}/Things(1)`, { method, ...init }));
  return [response.status, await response.text()];
}

/** Instants are stored in UTC with the digits of the column. */
const INSTANTS: ReadonlySet<string> = new Set(["at", "second", "epoch"]);

/** The value of a member as text, with both zeros alike. */
function memberOf(text: string, member: string): string {
  return JSON.stringify((JSON.parse(text) as Readonly<Record<string, unknown>>)[member]);
}

/** The same entity in memory; a write counts only if it is accepted. */
function memoryOf(row: ThingRow): { readonly service: ReturnType<typeof odataService>; readonly keep: () => void } {
  let [current, changed] = [row, row];
  const service = odataService({
    propertyNaming: "camelCase",
    entitySets: [
      entitySet(Thing, { name: "Things", patch: (_id, delta) => (changed = applyDelta(Thing, current, delta)) }),
    ],
  });
  return {
    service,
    keep: () => {
      current = changed;
    },
  };
}

describe.each(ENGINES)("extreme values in bodies for a table of $title", (engine) => {
  test("are stored exactly, or rejected without a change, and never fail", async () => {
    const logged: LoggedErrors = { errors: [] };
    const rows = storableRows(thingRows(3, 5), engine.name);
    const { db, close } = await thingsDatabase(engine, rows);
    const service = odataService({
      propertyNaming: "camelCase",
      logger: {
        error: (_message, { err }) => logged.errors.push(err),
        warn: () => undefined,
        info: () => undefined,
      },
      entitySets: [
        sqlEntitySet(Thing, { name: "Things", db, table: "things", operations: ["read", "patch"], columns }),
      ],
    });
    const row = rows.find(({ id }) => id === 1);
    if (row === undefined) throw new Error("There is no such row.");
    const memory = memoryOf(row);
    let [stored, readable] = [0, 0];
    let [, before] = await ask(service, "GET");
    for (const member of MEMBERS) {
      for (const value of sampleOf(VALUES, member)) {
        const body = `{"${member}":${value}}`;
        const [expected, changed] = await ask(memory.service, "PATCH", body);
        if (expected !== 200) {
          expect(expected, body).toBe(400);
          continue;
        }
        readable += 1;
        const [status, text] = await ask(service, "PATCH", body);
        const [read, after] = await ask(service, "GET");
        const shown = `${body.slice(0, 200)} ${text.slice(0, 200)}`;
        expect(logged.errors, shown).toEqual([]);
        expect([200, 400], shown).toContain(status);
        expect(read, shown).toBe(200);
        expect(after, shown).toBe(status === 200 ? text : before);
        if (status === 200) {
          stored += 1;
          memory.keep();
          if (!INSTANTS.has(member)) expect(memberOf(after, member), shown).toBe(memberOf(changed, member));
        }
        before = after;
      }
    }
    expect(readable).toBeGreaterThan(caseCount(MEMBERS.length * 4));
    expect(stored).toBeGreaterThan(readable / 2);
    await close();
  });
});
