// Statements: docs/reference/explorer.md#screens
import { describe, expect, test } from "vitest";
import { type ResolvedPath, resolvePath } from "../../explorer/src/query/resolve-type.ts";
import { choiceOf, offerOf, offerOfColumns } from "../../explorer/src/screens/chart/chart-choices.ts";
import {
  chartData,
  chartQuery,
  columnsOf,
  describe as describeChart,
} from "../../explorer/src/screens/chart/chart-data.ts";
import { frameOf } from "../../explorer/src/screens/chart/frame.ts";
import { linePath, shapePath } from "../../explorer/src/screens/chart/line-path.ts";
import { parseFragment } from "../../explorer/src/state/view.ts";
import { MODEL, primitive } from "./sample-model.ts";

const ORDERS = placeOf("Orders");

function placeOf(name: string): ResolvedPath {
  const place = resolvePath(MODEL, name);
  if (place === null || place.set === null) return expect.fail(`no set ${name}`);
  const abilities = {
    ...place.set.abilities,
    methodsOf: (path: string) => (path === "Total" || path === "Id" ? ["sum", "average", "countdistinct"] : []),
  };
  return { ...place, set: { ...place.set, abilities } };
}

function choose(fragment: string): ReturnType<typeof choiceOf> {
  return choiceOf(parseFragment(fragment), offerOf(ORDERS), ORDERS);
}

describe("the choices of a chart", () => {
  test("without choices it has bars of a total for each value of the first property that is no number", () => {
    expect(choose("#/chart/Orders")).toEqual({ kind: "bars", x: "PlacedAt", y: ["Total"], total: "sum" });
  });

  test("scatter shows rows", () => {
    expect(choose("#/chart/Orders?kind=scatter&x=Id")).toEqual({ kind: "scatter", x: "Id", y: ["Total"], total: null });
  });

  test("the number of rows has no values", () => {
    expect(choose("#/chart/Orders?x=Color&total=count&y=Total")).toEqual({
      kind: "bars",
      x: "Color",
      y: [],
      total: "count",
    });
  });

  test("what the set does not permit is not chosen", () => {
    expect(choose("#/chart/Orders?kind=pie&x=Nothing&y=Secret&total=max")).toEqual(choose("#/chart/Orders"));
    const denied = { ...ORDERS, set: null };
    expect(choiceOf(parseFragment("#/chart/Orders?total=sum"), offerOf(denied), denied).total).toBeNull();
  });

  test("rows are counted only where the set permits it", () => {
    const { set } = ORDERS;
    const uncounted = set === null ? null : { ...set, abilities: { ...set.abilities, canCount: false } };
    expect(offerOf(ORDERS).totals).toEqual(["count", "sum", "average", "countdistinct"]);
    expect(offerOf({ ...ORDERS, set: uncounted }).totals).toEqual(["sum", "average", "countdistinct"]);
  });

  test("at most six series are chosen", () => {
    const offer = offerOfColumns("ABCDEFGH".split(""), (name) => name !== "A");
    const view = parseFragment("#/chart/Orders?x=A&y=B,C,D,E,F,G,H");
    expect(choiceOf(view, offer, null)).toEqual({ kind: "bars", x: "A", y: "BCDEFG".split(""), total: null });
  });
});

describe("the request of a chart", () => {
  const options = new Map(
    Object.entries({
      $search: "red",
      $compute: "Total mul 2 as Twice",
      $filter: "Total gt @a",
      "@a": "5",
      $top: "3",
      $expand: "Items",
      kind: "bars",
    }),
  );

  test("groups by x after search, further columns and filter", () => {
    const { options: sent, series } = chartQuery(options, {
      kind: "bars",
      x: "Color",
      y: ["Total", "Id"],
      total: "sum",
    });
    expect(Object.fromEntries(sent)).toEqual({
      "@a": "5",
      $apply:
        "search(red)/compute(Total mul 2 as Twice)/filter(Total gt @a)/groupby((Color),aggregate(Total with sum as TotalSum,Id with sum as IdSum))",
      $orderby: "Color",
    });
    expect(series).toEqual([
      { column: "TotalSum", title: "Sum of Total" },
      { column: "IdSum", title: "Sum of Id" },
    ]);
  });

  test("counts rows", () => {
    const { options: sent, series } = chartQuery(new Map(), { kind: "bars", x: "Color", y: [], total: "count" });
    expect(sent.get("$apply")).toBe("groupby((Color),aggregate($count as Count))");
    expect(series).toEqual([{ column: "Count", title: "Number of rows" }]);
  });

  test("reads the columns of the rows, or the rows of $apply as they are", () => {
    const choice = { kind: "lines", x: "PlacedAt", y: ["Total"], total: null } as const;
    const { options: sent } = chartQuery(options, choice);
    expect(sent.get("$select")).toBe("PlacedAt,Total");
    expect([...sent.keys()]).not.toContain("$expand");
    const bare = { canSelect: false, sortable: () => false };
    expect([...chartQuery(options, choice, bare).options.keys()]).not.toContain("$select");
    expect([...chartQuery(options, { ...choice, total: "sum" }, bare).options.keys()]).toEqual(["@a", "$apply"]);
    const applied = chartQuery(new Map([["$apply", "identity"]]), choice);
    expect(applied.options).toEqual(new Map([["$apply", "identity"]]));
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

  test("numbers within texts are names, and so are numbers below bars", () => {
    const rows = [{ X: "10", Y: 1 }];
    expect(chartData(rows, columns, primitive("String"), "lines", "en").axis).toBe("bands");
    expect(chartData(rows, columns, primitive("Int64"), "lines", "en").axis).toBe("number");
    expect(chartData(rows, columns, primitive("Int64"), "bars", "en").axis).toBe("bands");
  });

  test("columns of groups along navigations have paths", () => {
    expect(columnsOf({ "@odata.id": null, Customer: { Country: "DE" }, N: 1, List: [1] })).toEqual([
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
  });
});

describe("the layout of a chart", () => {
  test.for([200, 320, 1200])("everything is within a picture of %i pixels, and labels do not touch", (width) => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ X: `name ${String(index)}`, Y: index * 1234 }));
    const frame = frameOf(chartData(rows, { x: "X", y: ["Y"] }, null, "bars", "en"), true, width, "en");
    const xs = rows.map((_, index) => frame.xOf(index));
    expect(Math.min(...xs)).toBeGreaterThan(frame.left);
    expect(Math.max(...xs)).toBeLessThan(frame.right);
    expect(frame.yOf(0)).toBe(frame.bottom);
    expect(frame.yOf(59 * 1234)).toBeGreaterThanOrEqual(frame.top);
    const gaps = frame.xTicks.slice(1).map(({ at }, index) => at - (frame.xTicks[index]?.at ?? 0));
    expect(Math.min(...gaps, Infinity)).toBeGreaterThan(7 * 6);
  });

  test.for([
    [
      [0, 5_000_000],
      ["0", "2M", "4M", "6M"],
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
    const rows = values.map((value) => ({ X: "a", Y: value }));
    const { yTicks } = frameOf(chartData(rows, { x: "X", y: ["Y"] }, null, "bars", "en"), true, 500, "en");
    expect(yTicks.map(({ text }) => text)).toEqual(texts);
  });

  test("rows have no properties of related entities", () => {
    const offer = offerOf(ORDERS);
    expect([...offer.xOf("sum").keys()]).toContain("Customer/Name");
    expect([...offer.xOf(null).keys()]).not.toContain("Customer/Name");
  });

  test("each series has a shape of its own, around the point", () => {
    const shapes = [0, 1, 2, 3, 4, 5].map((series) => shapePath(series, 10, 20));
    expect(new Set(shapes).size).toBe(6);
    expect(shapes[0]).toBe("M6.5 20.0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z");
  });

  test("a line has a gap where a value is missing", () => {
    const points = [
      [0, 1],
      [10, 2],
      [20, null],
      [30, 3],
      [40, 4],
    ] as const;
    expect(linePath(points, (value) => value * 2)).toBe("M0.0 2.0L10.0 4.0M30.0 6.0L40.0 8.0");
  });
});
