import { describe, expect, test } from "vitest";
import { rawDoor, url } from "./doors.ts";
import { accountService } from "./threats-model.ts";

rawDoor((door) => {
  describe("the largest page stays the largest page", () => {
    const send = door.to(accountService({ defaults: { maxTop: 2, maxExpandTop: 2 } }).service);
    const none = ["-1", "-0.5", "1.5", "1e309", "1e1", "", "+2", "0x2", "NaN", "INF", "\u0662", "9".repeat(30)];
    const places = ["/s/Accounts", "/s/Accounts(1)/Notes"];

    test.each(none)("$top and $skip of %j are 400, on sets, navigations and expansions", async (number) => {
      for (const option of ["$top", "$skip"]) {
        for (const place of places) {
          const { status, json } = await send(url(place, { [option]: number }));
          expect([status, json.error?.target], place).toEqual([400, option]);
        }
        const nested = await send(url("/s/Accounts", { $expand: `Notes(${option}=${number})` }));
        expect(nested.status).toBe(400);
      }
    });

    test.each(["0", "-1", "1e309", "abc", "", "999999999999", "1.5", '"2"'])("maxpagesize=%s", async (size) => {
      for (const place of places) {
        const { status, json } = await send(place, { Prefer: `maxpagesize=${size}` });
        expect([status, json.value.length]).toEqual([200, 2]);
      }
    });

    test("an expansion has no more than maxExpandTop, and a $top above it is 400", async () => {
      const { json } = await send("/s/Accounts?$expand=Notes");
      const accounts = json.value as ReadonlyArray<{ readonly Notes: readonly unknown[] }>;
      expect(accounts.map(({ Notes }) => Notes.length)).toEqual([2, 2]);
      expect((await send("/s/Accounts?$expand=Notes($top=3)")).status).toBe(400);
      expect((await send("/s/Accounts?$top=3")).status).toBe(400);
    });

    test.each([2 ** 31, 2 ** 32, 2 ** 53 - 1])("$skip=%d is an empty page", async (skip) => {
      for (const place of places) {
        const { status, json } = await send(`${place}?$skip=${String(skip)}`);
        expect([status, json.value]).toEqual([200, []]);
      }
    });
  });
});
