import type { Kysely } from "kysely";
import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld, type WorldDatabase } from "../../examples/world/database.ts";
import { worldService } from "../../examples/world/service.ts";
import { requestsOf, toRequest, withoutSpace } from "./requests.ts";
import { filesBelow, readSource } from "./source-files.ts";

let db: Kysely<WorldDatabase>;
let world: ODataService;

beforeAll(async () => {
  db = await openWorld(":memory:", () => undefined);
  world = worldService(db);
});
afterAll(() => db.destroy());

const requests = [readSource("README.md"), ...filesBelow("docs", ".md")].flatMap(requestsOf);

describe("the requests of README.md and docs are answered by the example as the page says", () => {
  test.each(requests)("$place $target", async (request) => {
    const response = await world.fetch(toRequest(request));
    const text = await response.text();
    if (request.answer === undefined) expect(response.status, text).toBe(200);
    else expect(withoutSpace(text)).toMatch(request.answer);
  });
});
