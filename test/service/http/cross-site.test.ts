import { action, entitySet, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, type HeaderTable, HOST, ORIGIN, VARY } from "./doors.ts";
import { Item, ITEMS, noFailures } from "./model.ts";

/** Headers of a write, and whether a service that refuses writes of other sites accepts it. */
const WRITES: ReadonlyArray<readonly [headers: HeaderTable, taken: boolean]> = [
  [{}, true],
  [{ "Sec-Fetch-Site": "same-origin" }, true],
  [{ "Sec-Fetch-Site": "none" }, true],
  [{ "Sec-Fetch-Site": "same-site" }, false],
  [{ "Sec-Fetch-Site": "cross-site" }, false],
  [{ "Sec-Fetch-Site": "" }, false],
  [{ "Sec-Fetch-Site": "same-origin, cross-site" }, false],
  [{ Origin: ORIGIN }, true],
  [{ Origin: ORIGIN.toUpperCase() }, true],
  [{ Origin: `${ORIGIN}:80` }, false],
  [{ Origin: `https://${HOST}` }, false],
  [{ Origin: `http://${HOST}.evil.example` }, false],
  [{ Origin: "https://other.example" }, false],
  [{ Origin: "null" }, false],
  [{ "Sec-Fetch-Site": "same-origin", Origin: "https://other.example" }, true],
  [{ "Sec-Fetch-Site": "cross-site", Origin: ORIGIN }, false],
];

let calls = 0;
let asked = 0;

function serve(crossSiteWrites: "allow" | "refuse" | undefined, publicUrl?: string) {
  const clear = action({
    handler: () => {
      calls += 1;
    },
  });
  return odataService({
    prefix: "/s",
    entitySets: [entitySet(Item, { getAll: () => ITEMS })],
    actions: { clear },
    authenticate: () => {
      asked += 1;
      return { id: "cookie" };
    },
    ...(crossSiteWrites === undefined ? {} : { crossSiteWrites }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    logger: noFailures,
  });
}

const SIGNED_IN = { ...EMPTY_HEADERS, vary: VARY, "cache-control": "no-store" };

eachDoor((door) => {
  describe("writes that a page of another site sends", () => {
    const refusing = door.to(serve("refuse"));

    test.each(WRITES)("%j: taken %s", async (headers, taken) => {
      calls = 0;
      asked = 0;
      const answer = await refusing("/s/clear", headers, "POST");
      if (taken) expectAnswer(answer, { status: 204, headers: SIGNED_IN, body: "" });
      else expectError(answer, { status: 403, code: "Forbidden", message: /other sites/u });
      expect({ calls, asked }).toEqual(taken ? { calls: 1, asked: 1 } : { calls: 0, asked: 0 });
    });

    test.each([undefined, "allow"] as const)("are taken where the option is %s", async (option) => {
      const answer = await door.to(serve(option))("/s/clear", { "Sec-Fetch-Site": "cross-site" }, "POST");
      expectAnswer(answer, { status: 204, headers: SIGNED_IN, body: "" });
    });

    test("are compared with the address that clients see", async () => {
      const published = door.to(serve("refuse", "https://api.example.com/"));
      expect((await published("/s/clear", { Origin: "https://api.example.com" }, "POST")).status).toBe(204);
      expectError(await published("/s/clear", { Origin: ORIGIN }, "POST"), { status: 403, code: "Forbidden" });
    });

    test("reads, OPTIONS and unknown routes are unaffected", async () => {
      const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://other.example" };
      expect((await refusing("/s/Items", headers)).status).toBe(200);
      expect((await refusing("/s/Items", headers, "HEAD")).status).toBe(200);
      expect((await refusing("/s/Items", headers, "OPTIONS")).status).toBe(204);
      expect((await refusing("/s/Items", headers, "PATCH")).status).toBe(405);
      expect((await refusing("/s/Nope", headers, "POST")).status).toBe(404);
    });
  });
});

test("the option has two values", () => {
  expect(() => serve("sometimes" as "allow")).toThrow(/crossSiteWrites/u);
});
