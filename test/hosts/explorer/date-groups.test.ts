import { edm, entitySet, entityType, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { daysOfPeriod, periodText } from "../../../explorer/src/format/period.ts";
import { daysOf } from "../../../explorer/src/format/zone.ts";
import { readApply, writeApply } from "../../../explorer/src/query/apply-text.ts";
import { type DateGroup, UNITS } from "../../../explorer/src/query/date-groups.ts";

/** The last hour of each seventh day of 60 years, in UTC and at an offset that is another day. */
const INSTANTS = Array.from({ length: 3200 }, (_, at) => {
  const time = new Date(Date.UTC(1969, 11, 28, 23, 30) + at * 7 * 86_400_000 + (at % 7) * 86_400_000);
  const utc = time.toISOString().replace(".000Z", "Z");
  const moved = new Date(time.getTime() + 5.75 * 3_600_000).toISOString().replace(".000Z", "+05:45");
  return { id: at, at: at % 2 === 0 ? utc : moved, day: utc.slice(0, 10) };
});
const Visit = entityType("Visit", { id: edm.int32().key(), at: edm.dateTimeOffset(), day: edm.date() });
const service = odataService({
  defaults: { applyEnabled: true, computeEnabled: true, maxTop: 5000 },
  propertyNaming: "camelCase",
  entitySets: [entitySet(Visit, { getAll: () => INSTANTS })],
});

const group = (path: string, unit: DateGroup["unit"], of: DateGroup["of"]): DateGroup => ({
  path,
  unit,
  alias: "Period",
  of,
});

describe("groups by periods", () => {
  test.for(UNITS.flatMap((unit) => [["day", unit, "date"] as const, ["at", unit, "instant"] as const]))(
    "of the path %s by %s contain their days",
    async ([path, unit, of]) => {
      if (path === "day" && unit === "day") return;
      const text = writeApply({ filter: "", dates: [group(path, unit, of)], groupBy: ["day"], totals: [] });
      const target = `http://service.example/Visits?$top=5000&$apply=${encodeURIComponent(text)}`;
      const response = await service.fetch(new Request(target));
      const body = (await response.json()) as {
        readonly value?: readonly { readonly Period: unknown; readonly day: string }[];
      };
      expect([response.status, body.value?.length]).toEqual([200, INSTANTS.length]);
      const wrong = body.value?.filter(
        ({ Period, day }) => String(daysOfPeriod(unit, Period)) !== String(daysOf(unit, day)),
      );
      expect(wrong).toEqual([]);
    },
  );

  test.for(UNITS.flatMap((unit) => (["utc", "instant"] as const).map((of) => [unit, of] as const)))(
    "by %s are read from the text that was written (%s)",
    ([unit, of]) => {
      const form = {
        filter: "contains(Name,',year(A) as B')",
        // Weeks of instants are written alike, whatever their offsets.
        dates: [
          group("Order/PlacedAt", unit, unit === "week" ? "utc" : of),
          { ...group("At", "month", "utc"), alias: "AtMonth" },
        ],
        groupBy: ["Customer/Name"],
        totals: [{ method: "count", path: null, alias: "Count" }],
      } as const;
      expect(readApply(writeApply(form))).toEqual(form);
    },
  );

  test.for([
    "compute(month(At) as AtMonth)/groupby((AtMonth))",
    "compute(year(At) as AtYear)/groupby((Name,AtYear))",
    "compute(year(At) as AtYear,Price mul 2 as Double)/groupby((AtYear,Double))",
  ])("are not in %s", (text) => {
    expect(readApply(text)).toBeNull();
  });

  test("have names for people", () => {
    const names = [
      ["year", 2024],
      ["quarter", "20241"],
      ["month", 202402],
      ["week", 2823],
      ["day", "2024-02-05"],
      ["month", null],
    ] as const;
    expect(names.map(([unit, value]) => periodText(unit, value, "en-GB"))).toEqual([
      "2024",
      "Q1 2024",
      "Feb 2024",
      expect.stringMatching(/^Week of \d+ \w+ 2024$/u),
      "5 Feb 2024",
      "null",
    ]);
  });
});
