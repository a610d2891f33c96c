import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { dayAfter, daysOf, zoneOf } from "../../../explorer/src/format/zone.ts";

const MODULE = new URL("../../../explorer/src/format/zone.ts", import.meta.url).href;

/** Evaluates an expression over the module on a machine of another time zone. */
function inZone(zone: string, expression: string): unknown {
  const code = `const zone = await import(${JSON.stringify(MODULE)}); process.stdout.write(JSON.stringify(${expression}));`;
  const env = { ...process.env, TZ: zone, NODE_OPTIONS: "" };
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", code], { env, encoding: "utf8" }));
}

describe("the calendar of the explorer", () => {
  test.each([
    // The clock goes forward on 2024-03-10 in Los Angeles, and back on 2024-04-07 in Auckland.
    ["America/Los_Angeles", "2024-03-10", "2024-03-10T08:00:00Z", "2024-03-11T07:00:00Z"],
    ["Pacific/Auckland", "2024-04-07", "2024-04-06T11:00:00Z", "2024-04-07T12:00:00Z"],
    ["Asia/Kathmandu", "2024-02-29", "2024-02-28T18:15:00Z", "2024-02-29T18:15:00Z"],
    ["UTC", "2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"],
    // Its clock left the midnight out.
    ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"],
    // The islands left the day out.
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"],
  ])("in %s the day %s is a half-open range of instants", (zone, day, from, until) => {
    expect(inZone(zone, `zone.instantsOf("${day}", "${day}", "local")`)).toEqual([from, until]);
    const [before, first, last, after] = [
      Date.parse(from) - 1,
      Date.parse(from),
      Date.parse(until) - 1,
      Date.parse(until),
    ];
    const days = inZone(zone, `[${before},${first},${last},${after}].map((at) => zone.dayOf(new Date(at), "local"))`);
    if (from === until) expect(days).not.toContain(day);
    else expect(days).toEqual([dayAfter(day, "day", -1), day, day, dayAfter(day, "day", 1)]);
  });

  test("in UTC a day does not depend on the machine", () => {
    for (const zone of ["Pacific/Auckland", "America/Los_Angeles"]) {
      const found = inZone(
        zone,
        `[zone.instantsOf("2024-03-01", "2024-03-31", "UTC"), zone.dayOf(new Date(0), "UTC")]`,
      );
      expect(found).toEqual([["2024-03-01T00:00:00Z", "2024-04-01T00:00:00Z"], "1970-01-01"]);
    }
  });

  test("finds the days of a unit", () => {
    expect(daysOf("day", "2024-02-29")).toEqual(["2024-02-29", "2024-02-29"]);
    expect(daysOf("week", "2024-03-03")).toEqual(["2024-02-26", "2024-03-03"]);
    expect(daysOf("month", "2024-02-10")).toEqual(["2024-02-01", "2024-02-29"]);
    expect(daysOf("quarter", "2024-12-31")).toEqual(["2024-10-01", "2024-12-31"]);
    expect(daysOf("year", "2024-02-29")).toEqual(["2024-01-01", "2024-12-31"]);
    expect(daysOf("year", "0044-03-15")).toEqual(["0044-01-01", "0044-12-31"]);
    expect(daysOf("month", "9999-12-31")).toEqual(["9999-12-01", "9999-12-31"]);
    expect(dayAfter("2024-01-31", "day", 30)).toBe("2024-03-01");
    expect(dayAfter("9999-12-31", "day", 1)).toBe("10000-01-01");
  });

  test("knows the beginning of a shown day", () => {
    const instants = JSON.stringify(["2024-04-06T11:00:00Z", "2024-04-07T00:00:00+12:00", "2024-04-07T00:00:00.001Z"]);
    const found = (kind: string): unknown =>
      inZone("Pacific/Auckland", `${instants}.map((each) => zone.isMidnight(each, "${kind}"))`);
    expect(found("local")).toEqual([true, false, false]);
    expect(found("UTC")).toEqual([false, false, false]);
    expect(inZone("Pacific/Auckland", `zone.isMidnight("2024-04-07T00:00:00.0000000Z", "UTC")`)).toBe(true);
    expect(inZone("Pacific/Auckland", `zone.isMidnight("2024-04-07T00:00:00.0000001Z", "UTC")`)).toBe(false);
  });

  test("takes UTC for a column whose zone the service states, and the choice of the reader for others", () => {
    const instant = { kind: "primitive", name: "Edm.DateTimeOffset" } as const;
    expect([
      zoneOf(instant, "local"),
      zoneOf({ ...instant, timezone: "UTC" }, "local"),
      zoneOf(instant, "UTC"),
    ]).toEqual(["local", "UTC", "UTC"]);
    expect([zoneOf({ kind: "primitive", name: "Edm.Date" }, "local"), zoneOf(null, "UTC")]).toEqual([null, null]);
  });
});
