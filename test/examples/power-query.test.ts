import type { Kysely } from "kysely";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorldDatabase } from "../../examples/world/database.ts";
import { worldService } from "../../examples/world/service.ts";
import { headersOf } from "../service/http/doors.ts";
import { openLoadedWorld } from "./loaded-world.ts";

/** The headers that Power Query sends with every request. */
const HEADERS = {
  Accept:
    "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7",
  "OData-MaxVersion": "4.0",
  MaxDataServiceVersion: "3.0",
  "User-Agent": "Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)",
};

const VARY = "Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization";
const JSON_HEADERS = {
  "odata-version": "4.0",
  "content-type": "application/json;odata.metadata=minimal",
  vary: VARY,
};

/** Headers that belong to the connection, not to the answer. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
]);

let db: Kysely<WorldDatabase>;
let server: RunningServer;
let root: string;

beforeAll(async () => {
  db = await openLoadedWorld();
  server = await serve(worldService(db), { port: 0 });
  root = `${server.url}/odata`;
});
afterAll(async () => {
  await server.close();
  await db.destroy();
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

async function get(url: string, headers: Record<string, string> = HEADERS): Promise<Answer> {
  const response = await fetch(url, { headers });
  const headersOfAnswer = Object.entries(headersOf(response)).filter(([name]) => !OF_CONNECTION.has(name));
  return { status: response.status, headers: Object.fromEntries(headersOfAnswer), text: await response.text() };
}

interface Page {
  readonly "@odata.context": string;
  readonly "@odata.nextLink"?: string;
  readonly value: readonly Readonly<Record<string, unknown>>[];
}

async function getPage(url: string): Promise<Page> {
  const answer = await get(url);
  expect(answer.status).toBe(200);
  expect(answer.headers).toEqual(JSON_HEADERS);
  return JSON.parse(answer.text) as Page;
}

describe("Power Query connects", () => {
  test("it probes with an empty bearer token", async () => {
    const answer = await get(`${root}/`, { ...HEADERS, Authorization: "Bearer" });
    expect(answer.status).toBe(200);
    expect(answer.headers).toEqual(JSON_HEADERS);
  });

  test.each(["", "/"])("it reads the service document at the root%s", async (slash) => {
    const answer = await get(`${root}${slash}`);
    expect(answer.status).toBe(200);
    expect(answer.headers).toEqual(JSON_HEADERS);
    expect(answer.text).toBe(
      `{"@odata.context":"${root}/$metadata","value":[{"name":"Countries","kind":"EntitySet","url":"Countries"},{"name":"Cities","kind":"EntitySet","url":"Cities"},{"name":"Trips","kind":"EntitySet","url":"Trips"},{"name":"Stops","kind":"EntitySet","url":"Stops"},{"name":"Me","kind":"Singleton","url":"Me"}]}`,
    );
  });

  test("it reads $metadata, as XML whatever it asks for, and again with the ETag", async () => {
    const answer = await get(`${root}/$metadata`);
    const { etag = "" } = answer.headers;
    expect(answer.status).toBe(200);
    expect(answer.headers).toEqual({ "odata-version": "4.0", "content-type": "application/xml", vary: VARY, etag });
    expect(answer.text).toContain('<EntitySet Name="Countries" EntityType="World.Country"');
    const again = await get(`${root}/$metadata`, { ...HEADERS, "If-None-Match": etag });
    expect(again).toEqual({ status: 304, headers: { "odata-version": "4.0", vary: VARY, etag }, text: "" });
  });

  test("it previews a set with $top=1000", async () => {
    const page = await getPage(`${root}/Countries?$top=1000`);
    expect(page["@odata.context"]).toBe(`${root}/$metadata#Countries`);
    expect(page.value).toHaveLength(250);
    expect(page["@odata.nextLink"]).toBeUndefined();
  });

  test("it folds a filter, a selection and an order", async () => {
    const query =
      "$filter=Region%20eq%20World.Region%27Europe%27%20and%20Area%20gt%20300000&$orderby=Area%20desc,Name&$select=Code,Name,Area&$top=3";
    const answer = await get(`${root}/Countries?${query}`);
    expect(answer.headers).toEqual(JSON_HEADERS);
    expect(answer.text).toBe(
      `{"@odata.context":"${root}/$metadata#Countries(Code,Name,Area)","value":[{"Code":"RU","Name":"Russia","Area":17098242},{"Code":"UA","Name":"Ukraine","Area":603500},{"Code":"FR","Name":"France","Area":551695}]}`,
    );
  });

  test("it reads a navigation column one parent at a time, by its key", async () => {
    const cities = await getPage(`${root}/Countries('PT')/Cities`);
    expect(cities["@odata.context"]).toBe(`${root}/$metadata#Countries('PT')/Cities`);
    expect(cities.value).toContainEqual(expect.objectContaining({ Id: 2_267_057, Name: "Lisbon", CountryCode: "PT" }));
    const country = await get(`${root}/Cities(2267057)/Country`);
    expect(country.status).toBe(200);
    expect(country.headers).toEqual(JSON_HEADERS);
    expect(country.text).toContain(`{"@odata.context":"${root}/$metadata#Cities(2267057)/Country/$entity",`);
    expect(JSON.parse(country.text)).toMatchObject({ Code: "PT", Name: "Portugal" });
  });

  test("it follows next links to the end, each row once", async () => {
    const ids = new Set<unknown>();
    let url: string | undefined = `${root}/Cities?$filter=Population%20gt%2050000&$select=Id`;
    let pages = 0;
    while (url !== undefined) {
      const page: Page = await getPage(url);
      for (const { Id } of page.value) ids.add(Id);
      pages += 1;
      url = page["@odata.nextLink"];
      if (url !== undefined) {
        expect(page.value).toHaveLength(1000);
        expect(url).toMatch(/\/odata\/Cities\?\$filter=Population%20gt%2050000&\$select=Id&\$skiptoken=[\w%]+$/);
      }
    }
    const count = await get(`${root}/Cities/$count?$filter=Population%20gt%2050000`);
    expect(count.headers).toEqual({ "odata-version": "4.0", "content-type": "text/plain", vary: VARY });
    expect(ids.size).toBe(Number(count.text));
    expect(pages).toBe(Math.ceil(ids.size / 1000));
  });
});
