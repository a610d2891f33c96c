import { arraySource, edm, entitySet, entityType, enumType, hasRequired, odataService } from "odatakit";
import { beforeAll, describe, expect, test } from "vitest";
import { itemsIn, memberOf } from "../../../explorer/src/client/json-members.ts";
import { type Model, readMetadata } from "../../../explorer/src/model/model.ts";
import { resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { choiceOf, columnsOfRows, columnsOfType } from "../../../explorer/src/screens/chart/chart-choice.ts";
import { chartData } from "../../../explorer/src/screens/chart/chart-data.ts";
import { planOf, viewOfRows } from "../../../explorer/src/screens/chart/chart-plan.ts";
import { readChart } from "../../../explorer/src/screens/chart/read-chart.ts";
import { parseFragment, resourceUrl, withOptions } from "../../../explorer/src/state/view.ts";
import { parseXml } from "./parse-xml.ts";

const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string(), country: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  day: edm.date().nullable(),
  at: edm.dateTimeOffset().nullable(),
  color: edm.enum(enumType("Color", { Red: 0, Blue: 1 })),
  year: edm.int32(),
  total: edm.decimal({ precision: 12, scale: 2 }),
  quantity: edm.int32().nullable(),
});

const DAY = 86_400_000;
const OFFSETS = ["Z", "+14:00", "-03:30"];
const orders = Array.from({ length: 300 }, (_, id) => {
  const time = Date.UTC(1968, 10, 1) + ((id * id * 31) % 1500) * DAY + (id % 24) * 3_600_000;
  const offset = OFFSETS[id % 3] ?? "Z";
  const minutes = { Z: 0, "+14:00": 840, "-03:30": -210 }[offset] ?? 0;
  const local = new Date(time + minutes * 60_000).toISOString().slice(0, 19);
  const isKnown = id % 50 > 0;
  return {
    id,
    customerId: id % 7,
    day: isKnown ? new Date(time).toISOString().slice(0, 10) : null,
    at: isKnown ? `${local}${offset}` : null,
    color: id % 3 === 0 ? ("Red" as const) : ("Blue" as const),
    year: 1990 + (id % 5),
    total: `${id}.25`,
    quantity: id % 4 === 0 ? null : id,
  };
});
// Two customers have one name.
const customers = Array.from({ length: 7 }, (_, id) => ({ id, name: `Customer ${Math.min(id, 5)}`, country: "it's" }));

const service = odataService({
  prefix: "/s",
  profile: "standard",
  entitySets: [
    entitySet(Customer, { queryable: () => arraySource(Customer, customers), getByKey: (id) => customers[id] ?? null }),
    entitySet(Order, {
      queryable: () => arraySource(Order, orders),
      getByKey: (id) => orders[id] ?? null,
      navigation: { customer: hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }) },
    }),
  ],
});

let model: Model;

async function read(path: string): Promise<unknown> {
  const headers = { Accept: "application/json;IEEE754Compatible=true" };
  const response = await service.fetch(new Request(`http://h/s/${path}`, { headers }));
  const body: unknown = path.startsWith("$metadata") ? await response.text() : await response.json();
  if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

beforeAll(async () => {
  const response = await service.fetch(new Request("http://h/s/$metadata", { headers: { Accept: "application/xml" } }));
  model = readMetadata(await response.text(), parseXml);
});

/** Draws the chart of a fragment as the screen does. */
async function draw(fragment: string) {
  const view = parseFragment(fragment);
  const place = resolvePath(model, view.path);
  if (place === null) throw new Error("The model has no such set.");
  const known = columnsOfType(place.type, place.set?.abilities ?? null);
  const asked = { view, place, columns: known, choice: choiceOf(view, known), zone: "UTC" as const };
  const apply = view.options.get("$apply");
  const url = resourceUrl(planOf(asked).view);
  const { rows } = await readChart(asked, async (each) => itemsIn(await read(resourceUrl(each)), "value"));
  const columns = apply === undefined ? known : columnsOfRows(rows, place.type, apply);
  const request = { view, place, columns, choice: choiceOf(view, columns), zone: "UTC" as const };
  const plan = planOf(request);
  const data = chartData(rows, plan, request.choice.kind, "en");
  const viewsOfRows = data.points.map(({ row }) => viewOfRows(request, plan, row));
  return { ...request, plan, data, viewsOfRows, url: decodeURIComponent(url) };
}

/** The points of a chart as text and number. */
async function pointsOf(fragment: string): Promise<readonly (readonly [string, number | null | undefined])[]> {
  const { data } = await draw(fragment);
  return data.points.map(({ label, values }) => [label, values[0]]);
}

/** How many rows a view of rows has. */
async function countOf(view: NonNullable<ReturnType<typeof viewOfRows>>): Promise<number> {
  return Number(memberOf(await read(resourceUrl(withOptions(view, { $count: "true", $top: "0" }))), "@odata.count"));
}

describe("a chart without groups", () => {
  test("makes totals of a measure by months, never of ids", async () => {
    const { choice, plan, url } = await draw("#/chart/Orders");
    expect([choice.x, choice.y, choice.source, choice.period]).toEqual(["Day", ["Total"], "totals", "month"]);
    expect(plan.series).toEqual([{ path: "TotalSum", title: "Sum of Total" }]);
    expect(url).toContain("compute(year(Day) mul 100 add month(Day) as DayMonth)/groupby((DayMonth),");
    expect(url).toContain(",aggregate(Total with sum as TotalSum))");
    for (const y of ["Id", "CustomerId", "Year"]) {
      expect((await draw(`#/chart/Orders?y=${y}`)).choice.y).toEqual(["Total"]);
    }
  });

  test("takes the search, the filter and the limits of the query before the groups", async () => {
    const fragment = "#/chart/Orders?x=Color&y=$count&$filter=Total gt @a&@a=10&$orderby=Total desc&$top=9";
    const { url, data, viewsOfRows } = await draw(fragment);
    expect(url).toContain("filter(Total gt @a)/orderby(Total desc)/top(9)/groupby((Color),aggregate($count as Count))");
    expect(new Set(data.points.map(({ values }) => values[0]))).toEqual(new Set([3, 6]));
    // No filter finds the first nine rows.
    expect(viewsOfRows).toEqual([null, null]);
  });

  test("names related entities, and keeps those of one name apart", async () => {
    const points = await pointsOf("#/chart/Orders?x=Customer&y=$count");
    expect(points).toHaveLength(7);
    expect(points.filter(([label]) => label === "Customer 5")).toHaveLength(2);
  });

  test("has the greatest values first, but numbers in their order", async () => {
    const totals = (await pointsOf("#/chart/Orders?x=Color&total=max")).map(([, value]) => value);
    expect(totals).toEqual([299.25, 297.25]);
    expect((await pointsOf("#/chart/Orders?x=Quantity&y=$count")).slice(0, 3).map(([label]) => label)).toEqual([
      "null",
      "1",
      "2",
    ]);
  });

  test("years and ids have no separators", async () => {
    expect((await pointsOf("#/chart/Orders?x=Year&y=$count")).map(([label]) => label).toSorted()).toEqual([
      "1990",
      "1991",
      "1992",
      "1993",
      "1994",
    ]);
  });

  test("shows each row for scatter, and if the reader wants it", async () => {
    expect((await draw("#/chart/Orders?kind=scatter&x=Quantity")).plan.groups).toBeNull();
    const { plan, viewsOfRows } = await draw("#/chart/Orders?rows=each&x=Color&$top=2");
    expect([plan.groups, plan.view.options.get("$select")]).toEqual([null, "Color,Total,Id"]);
    expect(viewsOfRows.map((each) => each?.path)).toEqual(["Orders(0)", "Orders(1)"]);
  });
});

describe("periods", () => {
  test.each(["Day", "At"])("the service groups %s as the page does, whatever the offsets", async (x) => {
    for (const by of ["year", "quarter", "month", "week", "day"]) {
      for (const total of ["sum", "average", "min", "max"]) {
        const byService = await pointsOf(`#/chart/Orders?x=${x}&by=${by}&total=${total}`);
        const here = await pointsOf(`#/chart/Orders?x=${x}&by=${by}&total=${total}&rows=each`);
        const labels = here.map(([label]) => label);
        expect([x, by, total, byService.map(([label]) => label)]).toEqual([x, by, total, labels]);
        for (const [at, [, value]] of byService.entries()) expect(value).toBeCloseTo(here[at]?.[1] ?? Number.NaN, 4);
      }
    }
  });

  test("lead to their rows", async () => {
    for (const x of ["Day", "At"]) {
      for (const by of ["year", "quarter", "month", "week", "day"]) {
        const { data, viewsOfRows } = await draw(`#/chart/Orders?x=${x}&by=${by}&y=$count&$filter=Total gt 20`);
        for (const at of [0, 1, data.points.length - 1]) {
          const view = viewsOfRows[at] ?? null;
          expect(view === null ? null : await countOf(view)).toBe(data.points[at]?.values[0]);
        }
      }
    }
  });
});

describe("a chart of groups", () => {
  const APPLY =
    "search(x)/filter(Total gt 20)/groupby((Customer/Name,Color),aggregate(Total with sum as Sum,$count as N))";
  const applied = (text: string): string => `#/chart/Orders?$apply=${text}&$orderby=Sum desc`;

  test("has the groups on the axis and the totals as values, in the order of the query", async () => {
    const apply = "groupby((Year),aggregate(Total with sum as Sum,Quantity with max as Most))";
    const { choice, data } = await draw(applied(apply));
    expect([choice.x, choice.y]).toEqual(["Year", ["Sum"]]);
    const sums = data.points.map(({ values }) => Number(values[0]));
    expect(sums).toEqual(sums.toSorted((left, right) => right - left));
    expect(data.points.map(({ label }) => label)).toContain("1994");
  });

  test("has one bar for each pair of groups", async () => {
    const { data } = await draw(applied(APPLY.replace("search(x)/", "")));
    expect(data.points).toHaveLength(12);
    expect(data.points.map(({ label }) => label)).toContain("Customer 5 · Blue");
  });

  test("leads to the rows of a group, with the filter before it", async () => {
    const { data, viewsOfRows } = await draw(applied(APPLY.replace("search(x)/", "")));
    for (const [at, view] of viewsOfRows.entries()) {
      expect(view === null ? null : await countOf(view)).toBe(Number(memberOf(data.points[at]?.row, "N")));
    }
  });

  test("leads nowhere if other steps made the rows of its groups", async () => {
    for (const apply of [
      "compute(Total mul 2 as Twice)/groupby((Color),aggregate(Twice with sum as Sum))",
      "top(5)/groupby((Color),aggregate(Total with sum as Sum))",
      "compute(month(Day) as M)/groupby((M),aggregate(Total with sum as Sum))",
    ]) {
      expect(new Set((await draw(applied(apply))).viewsOfRows)).toEqual(new Set([null]));
    }
  });

  test.each(["year(Day)", "year(Day) mul 100 add month(Day)", "floor(totalseconds(Day sub 1969-12-29) div 604800)"])(
    "of periods of %s has a calendar axis, and leads to the rows of each",
    async (expression) => {
      const groups = `compute(${expression} as P)/groupby((P),aggregate(Total with sum as Sum,$count as N))`;
      const { data, viewsOfRows } = await draw(`#/chart/Orders?$apply=filter(Total gt 20)/${groups}&$orderby=Sum desc`);
      expect(data.axis).toBe("time");
      expect(data.points.length).toBeGreaterThan(2);
      for (const [at, view] of viewsOfRows.entries()) {
        expect(view === null ? null : await countOf(view)).toBe(Number(memberOf(data.points[at]?.row, "N")));
      }
    },
  );

  test("of everything is one bar", async () => {
    expect(await pointsOf(applied("aggregate($count as N,Total with sum as Sum)"))).toEqual([["all", 300]]);
  });
});

test("a set without $apply shows each row, and groups by a period what it read", () => {
  const type = model.sets.get("Orders")?.type;
  if (type === undefined) throw new Error("The model has no orders.");
  const columns = columnsOfType(type, null);
  expect(choiceOf(parseFragment("#/chart/Orders"), columns)).toMatchObject({ source: "rows", x: "Day", period: null });
  expect(choiceOf(parseFragment("#/chart/Orders?by=week"), columns).period).toBe("week");
});
