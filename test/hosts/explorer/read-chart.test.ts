import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { beforeAll, describe, expect, test } from "vitest";
import { itemsIn, memberOf } from "../../../explorer/src/client/json-members.ts";
import type { Zone } from "../../../explorer/src/format/zone.ts";
import { type Model, readMetadata } from "../../../explorer/src/model/model.ts";
import { resolvePath } from "../../../explorer/src/query/resolve-type.ts";
import { choiceOf, columnsOfType } from "../../../explorer/src/screens/chart/chart-choice.ts";
import { chartData } from "../../../explorer/src/screens/chart/chart-data.ts";
import { planOf, viewOfRows } from "../../../explorer/src/screens/chart/chart-plan.ts";
import { isCut, MOST, readChart } from "../../../explorer/src/screens/chart/read-chart.ts";
import { parseFragment, resourceUrl, type View, withOptions } from "../../../explorer/src/state/view.ts";
import { parseXml } from "./parse-xml.ts";

const Visit = entityType("Visit", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset().nullable(),
  year: edm.int64(),
  zipCode: edm.int32(),
  latitude: edm.double(),
  score: edm.int64(),
});
const visits = Array.from({ length: 3000 }, (_, id) => ({
  id,
  at: id % 750 === 0 ? null : new Date(Date.UTC(2023, 0, 1) + id * 7_200_000).toISOString(),
  year: BigInt(2021 + (id % 3 === 0 ? 1 : id % 4)),
  zipCode: 94_100 + (id % 5),
  latitude: 40 + id / 1000,
  score: BigInt(id),
}));
const service = odataService({
  prefix: "/s",
  profile: "standard",
  entitySets: [
    entitySet(Visit, {
      queryable: () => arraySource(Visit, visits),
      getByKey: (id) => visits[id] ?? null,
    }),
  ],
});

let model: Model;

async function read(url: string): Promise<unknown> {
  const headers = { Accept: "application/json;IEEE754Compatible=true" };
  const response = await service.fetch(new Request(new URL(url, "http://h/s/"), { headers }));
  const body: unknown = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** Reads pages as the screen does. */
async function readRows(view: View): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (let next: unknown = resourceUrl(view); typeof next === "string" && rows.length <= MOST;) {
    const body = await read(next);
    rows.push(...itemsIn(body, "value"));
    next = memberOf(body, "@odata.nextLink");
  }
  return rows;
}

beforeAll(async () => {
  const response = await service.fetch(new Request("http://h/s/$metadata", { headers: { Accept: "application/xml" } }));
  model = readMetadata(await response.text(), parseXml);
});

function requestOf(fragment: string, zone: Zone = "UTC") {
  const view = parseFragment(fragment);
  const place = resolvePath(model, view.path);
  if (place === null) throw new Error("The model has no such set.");
  const columns = columnsOfType(place.type, place.set?.abilities ?? null);
  return { view, place, columns, choice: choiceOf(view, columns), zone };
}

async function draw(fragment: string, chosen?: Zone) {
  const request = requestOf(fragment, chosen);
  const { rows, zone } = await readChart(request, readRows);
  const plan = planOf({ ...request, zone });
  return { request: { ...request, zone }, rows, zone, plan, data: chartData(rows, plan, request.choice.kind, "en") };
}

describe("a chart in local time", () => {
  test("of more rows than the page reads has the totals of the service in UTC, and its bars lead to their rows", async () => {
    const { request, rows, zone, plan, data } = await draw("#/chart/Visits?x=At&y=$count", "local");
    expect([zone, plan.zone, isCut(plan, rows)]).toEqual(["UTC", "UTC", false]);
    expect(data.points.reduce((sum, { values }) => sum + Number(values[0]), 0)).toBe(2996);
    for (const point of data.points) {
      const view = viewOfRows(request, plan, point.row);
      if (view === null) throw new Error("The bar leads nowhere.");
      const found = await read(resourceUrl(withOptions(view, { $count: "true", $top: "0" })));
      expect(Number(memberOf(found, "@odata.count"))).toBe(point.values[0]);
    }
  });

  test("of few rows has the totals of the page", async () => {
    const { zone, plan } = await draw("#/chart/Visits?x=At&y=$count&$filter=Id lt 100", "local");
    expect([zone, plan.totals?.length]).toEqual(["local", 1]);
  });

  test("draws no totals of a part of the rows where the page makes them", async () => {
    const { rows, plan } = await draw("#/chart/Visits?x=At&y=Score&rows=each&by=month", "local");
    expect(isCut(plan, rows)).toBe(true);
    const values = await draw("#/chart/Visits?x=At&y=Score&rows=each&by=value", "local");
    expect(isCut(values.plan, values.rows)).toBe(false);
  });
});

describe("numbers that are names", () => {
  test("years that arrive as texts have no separators, and are in their order", async () => {
    const { data } = await draw("#/chart/Visits?x=Year&y=$count");
    expect(data.points.map(({ label }) => label)).toEqual(["2021", "2022", "2023", "2024"]);
  });

  test("codes are no values, and coordinates have no sum", () => {
    const { choice, columns } = requestOf("#/chart/Visits");
    expect(choice.y).toEqual(["Score"]);
    expect(columns.find(({ path }) => path === "ZipCode")?.isMeasure).toBe(false);
    expect(columns.find(({ path }) => path === "Latitude")?.methods).not.toContain("sum");
    expect(requestOf("#/chart/Visits?y=Latitude&total=average").choice.y).toEqual(["Latitude"]);
    expect(requestOf("#/chart/Visits?total=average").choice.y).toEqual(["Score"]);
    // A reader may know better.
    expect(requestOf("#/chart/Visits?y=ZipCode").choice.y).toEqual(["ZipCode"]);
  });
});

describe("rows without a place", () => {
  test.each([
    ["y=$count", 4, "row"],
    ["y=Score", 1, "group"],
    ["y=Score&rows=each&$filter=Id lt 800", 2, "row"],
  ] as const)("%s: %i, each a %s", async (options, missing, missingOf) => {
    const { data } = await draw(`#/chart/Visits?x=At&by=month&${options}`);
    expect([data.missing, data.missingOf]).toEqual([missing, missingOf]);
  });
});
