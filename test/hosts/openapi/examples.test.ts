import type { ODataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { afterAll, describe, expect, test } from "vitest";
import { v1, v2 } from "../../../examples/versions/services.ts";
import { worldService } from "../../../examples/world/service.ts";
import { openEmptyWorld } from "../../examples/empty-world.ts";
import { library } from "../../service/http/expand-model.ts";
import { knotService } from "../../service/http/limits.ts";
import { FORM_NAMES, itemService, sampleService } from "../../service/http/model.ts";
import { LOADS, shop } from "../../service/http/navigation-model.ts";
import { echoService } from "../../service/http/operation-model.ts";
import { sqliteShop } from "../../service/http/shop-sqlite.ts";
import { shop as shopOverTables } from "../../service/http/shop-tables.ts";
import { Notes, noteService } from "../../service/http/write-model.ts";
import { everything } from "./model.ts";
import { faultsOf, lintOf } from "./validate.ts";
import { operationsOf } from "./walk.ts";

const db = await openEmptyWorld();
const world = worldService(db);
const sqlite = await sqliteShop({ links: true });
afterAll(async () => {
  await db.destroy();
  await sqlite.db.destroy();
});

const SERVICES: ReadonlyArray<readonly [string, ODataService]> = [
  ["the world", world],
  ["the first version", v1],
  ["the second version", v2],
  ["everything", everything()],
  ["everything, with the profile of the standard", everything({ profile: "standard", propertyNaming: "camelCase" })],
  ["every type of property", sampleService],
  ["every type of parameter and result", echoService({ last: undefined })],
  ["tables with navigations to each other", sqlite.service],
  ["arrays with navigations to each other", shopOverTables({ by: "tables" }).service],
  ["handlers with navigations to each other", shopOverTables({ by: "handlers" }).service],
  ["a library", library({}).service],
  ["limits", knotService({}).service],
  ["writes", noteService(new Notes([]), { etag: true, upsert: true, idempotentDelete: false, readable: true })],
  ...FORM_NAMES.map((form) => [`items by ${form}`, itemService(form)] as const),
  ...LOADS.map((load) => [`a shop by ${load}`, shop({ load }).service] as const),
];

describe("an independent validator accepts documents as OpenAPI 3.1", () => {
  test.each(SERVICES)("%s", async (_name, service) => {
    const document = openApiDocument(service);
    expect(operationsOf(document).length).toBeGreaterThan(2);
    expect(await faultsOf(document)).toEqual([]);
    const found = await lintOf(document);
    // Only the application can state a licence.
    expect(found.filter((each) => !each.startsWith("warn info-license:"))).toEqual([]);
  });

  test("both versions and the world example in one document", async () => {
    expect(await faultsOf(openApiDocument([v1, v2]))).toEqual([]);
    const license = { name: "MIT", identifier: "MIT" };
    expect(await lintOf(openApiDocument([v1, v2, world], { license }))).toEqual([]);
    const { paths } = openApiDocument([v1, v2, world]);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/v1/Products", "/v2/Products", "/odata/Trips"]));
    expect(await faultsOf(openApiDocument([v1, v2, world]))).toEqual([]);
  });

  test("an invalid document is rejected", async () => {
    const { openapi, info, paths, components } = openApiDocument(world);
    for (const wrong of [
      { openapi, paths, components },
      { openapi: "3.0.0", info, paths: { ...paths, Trips: {} }, components },
      { openapi, info, paths: { "/x": { get: { responses: 5 } } }, components },
    ]) {
      expect(await faultsOf(wrong)).not.toEqual([]);
      expect(await lintOf(wrong)).not.toEqual([]);
    }
  });
});

describe("the world", () => {
  test("serves the document and the viewer", async () => {
    const get = async (path: string) => world.fetch(new Request(`http://world.example/odata/${path}`));
    expect(await (await get("openapi.json")).json()).toEqual(openApiDocument(world));
    const page = await get("openapi");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
  });

  test("describes reads and writes", () => {
    const operations = operationsOf(openApiDocument(world));
    const methodsOf = (path: string) =>
      operations.filter((each) => each.endsWith(` /odata/${path}`)).map((each) => each.split(" ")[0]);
    expect(methodsOf("Countries")).toEqual(["GET"]);
    expect(methodsOf("Countries('{Code}')")).toEqual(["GET"]);
    expect(methodsOf("Trips")).toEqual(["GET", "POST"]);
    expect(methodsOf("Trips({Id})")).toEqual(["DELETE", "GET", "PATCH", "PUT"]);
    expect(methodsOf("Trips({Id})/Stops")).toEqual(["GET", "POST"]);
    expect(methodsOf("Trips({Id})/Countries/$ref")).toEqual(["DELETE", "GET", "POST"]);
  });
});
