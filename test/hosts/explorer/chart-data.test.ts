import { describe, expect, test } from "vitest";
import { chartData, describe as describeChart } from "../../../explorer/src/screens/chart/chart-data.ts";
import type { ChartPlan } from "../../../explorer/src/screens/chart/chart-plan.ts";
import { frameOf, linePath } from "../../../explorer/src/screens/chart/frame.ts";
import { groupRows } from "../../../explorer/src/screens/chart/read-chart.ts";
import { viewOf } from "../../../explorer/src/state/view.ts";
import { primitive } from "./sample-model.ts";

/** A plan of each row, with the series Y. */
function planOfRows(parts: Partial<ChartPlan> = {}): ChartPlan {
  return {
    view: viewOf("chart"),
    series: [{ path: "Y", title: "Y" }],
    labels: ["X"],
    joint: " ",
    type: null,
    zone: "UTC",
    period: null,
    groups: null,
    dates: [],
    totals: null,
    hasNames: false,
    ...parts,
  };
}

describe("the points of a chart", () => {
  test("null has a name, and exact digits stay", () => {
    const rows = [
      { X: null, Y: "12345678901234567890.5" },
      { X: "a", Y: null },
    ];
    const { axis, points, missing } = chartData(rows, planOfRows({ type: primitive("String") }), "bars", "en");
    expect({ axis, missing }).toEqual({ axis: "bands", missing: 1 });
    expect(points.map(({ label, texts }) => [label, ...texts])).toEqual([["null", "12,345,678,901,234,567,890.5"]]);
  });

  test("lines have times in their order, those of databases without dates, too", () => {
    const rows = [
      { X: "2024-03-01", Y: 2 },
      { X: "2024-01-01", Y: 1 },
      { X: null, Y: 3 },
    ];
    const { axis, points, missing } = chartData(rows, planOfRows({ type: primitive("String") }), "lines", "en");
    expect({ axis, missing, ys: points.map(({ values }) => values[0]) }).toEqual({
      axis: "time",
      missing: 1,
      ys: [1, 2],
    });
    expect(points[0]?.label).toBe("Jan 1, 2024");
  });

  test("bars have times in their order, too, and other names in that of the query", () => {
    const labels = (xs: readonly string[]): readonly string[] =>
      chartData(
        xs.map((X) => ({ X, Y: 1 })),
        planOfRows({ type: primitive("String") }),
        "bars",
        "en",
      ).points.map(({ label }) => label);
    expect(labels(["2024-03-01", "2024-01-01"])).toEqual(["Jan 1, 2024", "Mar 1, 2024"]);
    expect(labels(["b", "a"])).toEqual(["b", "a"]);
  });

  test("numbers within texts are names, and so are numbers below bars", () => {
    const rows = [{ X: "10", Y: 1 }];
    expect(chartData(rows, planOfRows({ type: primitive("String") }), "lines", "en").axis).toBe("bands");
    expect(chartData(rows, planOfRows({ type: primitive("Int64") }), "lines", "en").axis).toBe("number");
    expect(chartData(rows, planOfRows({ type: primitive("Int64") }), "bars", "en").axis).toBe("bands");
  });

  test("several labels name a group, without those that say nothing", () => {
    const rows = [
      { Id: 1, C: { First: "Ana", Last: null }, Y: 1 },
      { Id: 2, C: { First: "Ben", Last: "Smith" }, Y: 2 },
    ];
    const plan = planOfRows({ labels: ["C/First", "C/Last"], groups: ["Id", "C/First", "C/Last"] });
    expect(chartData(rows, plan, "bars", "en").points.map(({ label }) => label)).toEqual(["Ana", "Ben Smith"]);
    expect(chartData([{ Y: 5 }], planOfRows({ labels: [] }), "bars", "en").points[0]?.label).toBe("all");
  });

  test("the page groups rows by periods, with their total", () => {
    const rows = [
      { X: "2024-03-31", Y: "0.1" },
      { X: "2024-01-15", Y: "0.2" },
      { X: "2024-02-01", Y: "0.1" },
      { X: null, Y: "7" },
    ];
    const points = (period: "month" | "quarter", method: "sum" | "average" | "max") => {
      const groups = {
        labels: ["P"],
        groups: ["P"],
        dates: [{ path: "X", unit: period, alias: "P", of: "date" }],
        totals: [{ method, path: "Y", alias: "Y" }],
      } as const;
      const plan = planOfRows({ type: primitive("Date"), period, ...groups });
      return chartData(groupRows(rows, plan, method), plan, "bars", "en").points.map(({ label, values, x, end }) => [
        label,
        values[0],
        (Number(end) - Number(x)) / 864e5,
      ]);
    };
    expect(points("month", "sum")).toEqual([
      ["Jan 2024", 0.2, 31],
      ["Feb 2024", 0.1, 29],
      ["Mar 2024", 0.1, 31],
    ]);
    expect(points("quarter", "sum")).toEqual([["Q1 2024", 0.4, 91]]);
    expect(points("quarter", "max")).toEqual([["Q1 2024", 0.2, 91]]);
    expect(points("quarter", "average")[0]?.[1]).toBeCloseTo(0.4 / 3, 12);
  });

  test("the text alternative names the least and the greatest value of each series", () => {
    const rows = [
      { X: "a", Y: 2 },
      { X: "b", Y: 1000 },
    ];
    const data = chartData(
      rows,
      planOfRows({
        series: [
          { path: "Y", title: "Y" },
          { path: "Z", title: "Z" },
        ],
      }),
      "bars",
      "en",
    );
    expect(describeChart(data, ["Sum of Y", "Z"])).toBe(
      "2 points. Sum of Y: minimum 2 at a, maximum 1,000 at b. Z has no values.",
    );
    const one = chartData([{ X: "a", Y: 2 }, { X: "b" }], planOfRows(), "bars", "en");
    expect(describeChart(one, ["Y"])).toBe(
      "1 point. Y: minimum 2 at a, maximum 2 at a. Left out: 1 row without a number, or without a place on the axis.",
    );
  });
});

describe("the layout of a chart", () => {
  const frameOfRows = (rows: readonly { readonly X: string; readonly Y: number }[], width: number) => {
    const data = chartData(rows, planOfRows(), "bars", "en");
    return frameOf({ kind: "bars", data, titles: ["Y"], width, zone: "UTC", locale: "en" });
  };

  test.for([200, 320, 1200])("everything is within a picture of %i pixels, and labels do not touch", (width) => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ X: `name ${String(index)}`, Y: index * 1234 }));
    const frame = frameOfRows(rows, width);
    const xs = rows.map((_, index) => frame.xOf(index));
    expect(Math.min(...xs)).toBeGreaterThan(frame.left);
    expect(Math.max(...xs)).toBeLessThan(frame.right);
    expect(frame.yOf(0)).toBe(frame.bottom);
    expect(frame.yOf(59 * 1234)).toBeGreaterThanOrEqual(frame.top);
    const gaps = frame.xTexts.slice(1).map(({ at }, index) => at - (frame.xTexts[index]?.at ?? 0));
    expect(frame.xTexts.length).toBeGreaterThan(1);
    expect(Math.min(...gaps)).toBeGreaterThan(7 * 6);
  });

  test.for([
    [
      [0, 5_000_000],
      ["0", "1M", "2M", "3M", "4M", "5M"],
    ],
    [
      [0, 0.04],
      ["0.00", "0.01", "0.02", "0.03", "0.04"],
    ],
    [
      [0, 1e-12],
      ["0E0", "2E-13", "4E-13", "6E-13", "8E-13", "1E-12"],
    ],
  ] as const)("numbers of an axis are written alike: %j", ([values, texts]) => {
    const { yTexts } = frameOfRows(
      values.map((value) => ({ X: "a", Y: value })),
      500,
    );
    expect(yTexts.map(({ text }) => text)).toEqual(texts);
  });

  test("the bars of months are as wide as their days, and a month without rows is a gap", () => {
    const rows = ["2024-01-15", "2024-02-01", "2024-04-01"].map((X) => ({ X, Y: 1 }));
    const plan = planOfRows({ type: primitive("Date"), period: "month" });
    const data = chartData(rows, plan, "bars", "en");
    const frame = frameOf({ kind: "bars", data, titles: ["Y"], width: 400, zone: "UTC", locale: "en" });
    const [january, february, april] = [0, 1, 2].map((at) => ({ x: frame.xOf(at), width: frame.bandOf(at) }));
    expect((january?.width ?? 0) / (february?.width ?? 1)).toBeCloseTo(31 / 29, 1);
    expect((april?.x ?? 0) - (february?.x ?? 0)).toBeGreaterThan(1.5 * ((february?.x ?? 0) - (january?.x ?? 0)));
    expect(frame.xTexts.map(({ text }) => text)).toContain("March");
  });

  test("a line has a gap where a value is missing", () => {
    const points = [
      [0, 1],
      [10, 2],
      [20, null],
      [30, 3],
      [40, 4],
    ] as const;
    expect(linePath(points, (value) => value * 2)).toBe("M0 2L10 4M30 6L40 8");
  });
});
