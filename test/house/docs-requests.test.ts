import { sql, type Kysely } from "kysely";
import type { ODataService } from "odatakit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorldDatabase } from "../../examples/world/database.ts";
import { worldService } from "../../examples/world/service.ts";
import { openLoadedWorld } from "../examples/loaded-world.ts";
import { requestsOf, toRequest, withoutSpace } from "./requests.ts";
import { filesBelow, readSource } from "./source-files.ts";

let db: Kysely<WorldDatabase>;
let world: ODataService;

beforeAll(async () => {
  db = await openLoadedWorld();
  world = worldService(db);
});
afterAll(() => db.destroy());

const pages = [readSource("README.md"), ...filesBelow("docs", ".md")]
  .map((page) => ({ path: page.path, requests: requestsOf(page) }))
  .filter(({ requests }) => requests.length > 0);

describe.each(pages)("the requests of $path are answered by the example as the page says", ({ requests }) => {
  // Each page begins with a world without trips.
  beforeAll(async () => {
    await db.deleteFrom("trips").execute();
    await sql`delete from sqlite_sequence`.execute(db);
  });

  test.each(requests)("$place $method $target", async (request) => {
    const response = await world.fetch(toRequest(request));
    const text = await response.text();
    if (request.answer === undefined) {
      expect(response.ok, text).toBe(true);
      return;
    }
    const { status = response.status, headers, body } = request.answer;
    expect(response.status, text).toBe(status);
    for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name), name).toBe(value);
    expect(withoutSpace(text)).toMatch(body);
  });
});
