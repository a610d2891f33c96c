import { describe, expect, test } from "vitest";
import type { StructuredType } from "../../../explorer/src/model/model.ts";
import {
  chartView,
  choiceOf,
  columnsOfRows,
  columnsOfType,
  pathsOf,
} from "../../../explorer/src/screens/chart/chart-choice.ts";
import { chartData, describe as describeChart } from "../../../explorer/src/screens/chart/chart-data.ts";
import { frameOf, linePath } from "../../../explorer/src/screens/chart/frame.ts";
import { parseFragment } from "../../../explorer/src/state/view.ts";
import { entityType, primitive, property, setNamed } from "./sample-model.ts";

const ORDERS = setNamed("Orders").type;

function choose(fragment: string, type: StructuredType = ORDERS): ReturnType<typeof choiceOf> {
  return choiceOf(parseFragment(fragment), columnsOfType(type));
}

describe("the choices of a chart", () => {
  test("without choices it has bars of the first number at the first property that is neither number nor key", () => {
    expect(choose("#/chart/Orders")).toEqual({ kind: "bars", x: "PlacedAt", y: ["Total"] });
  });

  test("it does not begin with bytes, nor with what refers to others", () => {
    const photos = entityType("Photo", [
      property("Id", "Guid"),
      property("Content", "Binary"),
      property("OwnerId", "Int32"),
      property("Title", "String"),
      property("Size", "Int64"),
    ]);
    const owner = {
      name: "Owner",
      target: photos,
      isCollection: false,
      isNullable: true,
      partner: null,
      description: null,
      constraints: new Map([["OwnerId", "Id"]]),
    };
    const type = { ...photos, navigations: new Map([["Owner", owner]]) };
    expect(choose("#/chart/Photos", type)).toEqual({ kind: "bars", x: "Title", y: ["Size"] });
    expect(choose("#/chart/Photos?x=Content", type).x).toBe("Title");
    expect(columnsOfRows([{ Content: "YQ==", Title: "a" }], photos).map(({ path }) => path)).toEqual(["Title"]);
  });

  test("what the model does not have is not chosen", () => {
    expect(choose("#/chart/Orders?kind=pie&x=Nothing&y=Secret")).toEqual(choose("#/chart/Orders"));
    expect(choose("#/chart/Orders?kind=scatter&x=Id")).toEqual({ kind: "scatter", x: "Id", y: ["Total"] });
  });

  test("at most six series are chosen", () => {
    const columns = columnsOfRows([{ A: "a", B: 1, C: 1, D: 1, E: "1.5", F: 1, G: 1, H: 1 }], ORDERS);
    const view = parseFragment("#/chart/Orders?x=A&y=B,C,D,E,F,G,H");
    expect(choiceOf(view, columns)).toEqual({ kind: "bars", x: "A", y: "BCDEFG".split("") });
  });
});

describe("the request of a chart", () => {
  test("reads the chosen columns of the query, or the rows of $apply as they are", () => {
    const view = parseFragment("#/chart/Orders?$filter=Total gt @a&@a=5&$top=3&$expand=Items&$count=true&kind=lines");
    const choice = choose("#/chart/Orders?kind=lines");
    const query = [
      ["$filter", "Total gt @a"],
      ["@a", "5"],
      ["$top", "3"],
      ["kind", "lines"],
    ];
    expect([...chartView(view, choice, true).options]).toEqual([...query, ["$select", "PlacedAt,Total"]]);
    expect([...chartView(view, choice, false).options]).toEqual(query);
    const applied = parseFragment("#/chart/Orders?$apply=identity");
    expect(chartView(applied, choice, true)).toEqual(applied);
  });
});

describe("the points of a chart", () => {
  const columns = { x: "X", y: ["Y"] };

  test("null has a name, and exact digits stay", () => {
    const rows = [
      { X: null, Y: "12345678901234567890.5" },
      { X: "a", Y: null },
    ];
    const { axis, points, missing } = chartData(rows, columns, primitive("String"), "bars", "en");
    expect({ axis, missing }).toEqual({ axis: "bands", missing: 1 });
    expect(points.map(({ label, texts }) => [label, ...texts])).toEqual([["null", "12,345,678,901,234,567,890.5"]]);
  });

  test("lines have times in their order, those of databases without dates, too", () => {
    const rows = [
      { X: "2024-03-01", Y: 2 },
      { X: "2024-01-01", Y: 1 },
      { X: null, Y: 3 },
    ];
    const { axis, points, missing } = chartData(rows, columns, primitive("String"), "lines", "en");
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
        columns,
        primitive("String"),
        "bars",
        "en",
      ).points.map(({ label }) => label);
    expect(labels(["2024-03-01", "2024-01-01"])).toEqual(["Jan 1, 2024", "Mar 1, 2024"]);
    expect(labels(["b", "a"])).toEqual(["b", "a"]);
  });

  test("numbers within texts are names, and so are numbers below bars", () => {
    const rows = [{ X: "10", Y: 1 }];
    expect(chartData(rows, columns, primitive("String"), "lines", "en").axis).toBe("bands");
    expect(chartData(rows, columns, primitive("Int64"), "lines", "en").axis).toBe("number");
    expect(chartData(rows, columns, primitive("Int64"), "bars", "en").axis).toBe("bands");
  });

  test("columns of groups along navigations have paths", () => {
    expect(pathsOf({ "@odata.id": null, Customer: { Country: "DE" }, N: 1, List: [1] })).toEqual([
      "Customer/Country",
      "N",
    ]);
  });

  test("the text alternative names the least and the greatest value of each series", () => {
    const rows = [
      { X: "a", Y: 2 },
      { X: "b", Y: 1000 },
    ];
    const data = chartData(rows, { x: "X", y: ["Y", "Z"] }, null, "bars", "en");
    expect(describeChart(data, ["Sum of Y", "Z"])).toBe(
      "2 points. Sum of Y: minimum 2 at a, maximum 1,000 at b. Z has no values.",
    );
    const one = chartData([{ X: "a", Y: 2 }, { X: "b" }], columns, null, "bars", "en");
    expect(describeChart(one, ["Y"])).toBe(
      "1 point. Y: minimum 2 at a, maximum 2 at a. Left out: 1 without a number, or without a place on the axis.",
    );
  });
});

describe("the layout of a chart", () => {
  const frameOfRows = (rows: readonly { readonly X: string; readonly Y: number }[], width: number) => {
    const data = chartData(rows, { x: "X", y: ["Y"] }, null, "bars", "en");
    return frameOf({ kind: "bars", data, titles: ["Y"], width, locale: "en" });
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
