import { describe, expect, test } from "vitest";
import { eachDoor, expectInvalidOption, url } from "./doors.ts";
import {
  bytesKept,
  expectViolation,
  knotService,
  KNOTS,
  nested,
  NO_LIMITS,
  type Violation,
  watched,
} from "./limits.ts";

const NAVIGATIONS = ["parent", "children", "all"];

/** Every navigation of every level expanded: 3, 9, 27, … */
function everything(levels: number): string {
  const below = levels === 1 ? "" : `($expand=${everything(levels - 1)})`;
  return NAVIGATIONS.map((name) => name + below).join(",");
}

const ENTITIES: Violation = { target: "$expand", limit: /more than 100000 entities/u };

/** Expansions that are rejected before any read. */
const REFUSED: Readonly<Record<string, readonly [expand: string, limit: RegExp]>> = {
  "four levels": [
    nested((inner) => `children($expand=${inner})`, "children", 3),
    /Expansions may nest at most 3 deep/u,
  ],
  "four levels by $levels": ["children($levels=4)", /Expansions may nest at most 3 deep/u],
  "as many levels as a number holds": ["children($levels=9007199254740991)", /Expansions may nest at most 3 deep/u],
  "everything on eight levels": [everything(8), /Expansions may nest at most 3 deep/u],
  "$top above the limit": ["all($top=1001)", /\$top of 'all' must not exceed 1000: request at most 1000/u],
  "$top above the limit, two levels down": ["all($expand=all($top=1001))", /must not exceed 1000: request/u],
};

eachDoor((door) => {
  describe.each(["Knots", "Rows"])("%s: an expansion that is too much", (set) => {
    const { service, work } = knotService({ maxUrlLength: null });
    const send = door.to(service);

    test.each(Object.entries(REFUSED))("%s, before anything is read", async (_name, [expand, limit]) => {
      work.calls = 0;
      const answer = await watched(() => send(url(`/s/${set}`, { $expand: expand })));
      expectViolation(answer, { target: "$expand", limit }, work);
      expectViolation(await send(url(`/s/Knots(1)`, { $expand: expand })), { target: "$expand", limit }, work);
    });

    test("$levels=max is the deepest that is allowed, on a type that leads to itself", async () => {
      const { json } = await send(url(`/s/${set}`, { $expand: "parent($levels=max)", $filter: "id eq 20" }));
      expect(json.value[0].parent.parent.parent.id).toBe(3);
      expect(json.value[0].parent.parent.parent).not.toHaveProperty("parent");
    });
  });

  test("more than 50 expansions of one request", async () => {
    const { service, work } = knotService({ maxExpandDepth: 10 });
    const send = door.to(service);
    const violation = { target: "$expand", limit: /at most 50 expansions on all levels together/u };
    for (const expand of [everything(4), "*($levels=4)"]) {
      expectViolation(await send(url("/s/Knots(1)", { $expand: expand })), violation, work);
    }
    expect((await send(url("/s/Knots(1)", { $expand: everything(2) }))).status).toBe(200);
    const none = knotService({ maxExpandItems: 0 });
    expectViolation(
      await door.to(none.service)("/s/Knots?$expand=all"),
      { target: "$expand", limit: /at most 0/u },
      none.work,
    );
  });

  describe("the entities of a response are counted as they come", () => {
    test("too many entities are rejected before they are written, after a known number of calls", async () => {
      const { service, work } = knotService({ maxResponseEntities: 1000 });
      const send = door.to(service);
      const limit = /more than 1000 entities/u;
      // 20, 400, and the next level would be 8,000.
      expectViolation(
        await send(url("/s/Knots", { $expand: "all($expand=all)" })),
        { target: "$expand", limit },
        work,
        3,
      );
      expect((await send(url("/s/Knots", { $expand: "all" }))).status).toBe(200);
    });

    test("as many entities as the limit are returned", async () => {
      const exact = knotService({ maxResponseEntities: KNOTS.length * (KNOTS.length + 1) });
      expect((await door.to(exact.service)("/s/Knots?$expand=all")).status).toBe(200);
      const short = knotService({ maxResponseEntities: KNOTS.length * (KNOTS.length + 1) - 1 });
      expectInvalidOption(await door.to(short.service)("/s/Knots?$expand=all"), "$expand", /more than 419 entities/u);
    });

    test("by default up to 100,000, whatever other limits are taken away", async () => {
      const { service, work } = knotService(NO_LIMITS);
      const send = door.to(service);
      for (const expand of [
        "all($levels=max)",
        "parent($levels=max),children($levels=max),all($levels=max)",
        everything(5),
      ]) {
        work.calls = 0;
        const answer = await watched(() => send(url("/s/Knots", { $expand: expand })));
        expectViolation(answer, ENTITIES, work, 400);
      }
    });

    test("a page without expansions counts too, where MaxTop does not", async () => {
      const { service } = knotService({ maxResponseEntities: 10, maxTop: null });
      expectInvalidOption(await door.to(service)("/s/Knots"), "$top", /more than 10 entities: narrow it/u);
      expect((await door.to(service)("/s/Knots?$top=10")).status).toBe(200);
      expect((await door.to(service)("/s/Knots/$count")).text).toBe("20");
    });
  });

  describe("without limits", () => {
    const { service, work } = knotService(NO_LIMITS);
    const send = door.to(service);

    test.each([
      ["everything on nine levels", everything(9), /at most 10000 expansions/u],
      ["more levels than there may be", "parent($levels=101)", /Expansions may nest at most 100 deep/u],
    ])("%s is still too much", async (_name, expand, limit) => {
      work.calls = 0;
      expectViolation(
        await watched(() => send(url("/s/Knots", { $expand: expand }))),
        { target: "$expand", limit },
        work,
      );
    });

    test("sixty levels are expanded", async () => {
      const sixty = nested((inner) => `parent($expand=${inner})`, "parent", 60);
      expect(
        (await send(url("/s/Knots(20)", { $expand: sixty }))).json.parent.parent.parent.parent.parent.parent,
      ).toBeNull();
      expect((await send(url("/s/Knots(20)", { $expand: "parent($levels=max)" }))).status).toBe(200);
    });
  });
});

test("nothing of what was refused or answered is kept but shapes, up to a bound", async () => {
  const { service } = knotService({ maxUrlLength: null, maxResponseEntities: 1000 });
  const read = async (expand: string): Promise<void> => {
    const query = `$expand=${encodeURIComponent(expand)}`;
    await (await service.fetch(new Request(`http://service.example/s/Knots?${query}`))).text();
  };
  const flood = async (round: number): Promise<void> => {
    const name = `knot ${String(round)}${"a".repeat(20_000)}`;
    // Too many entities, too many expansions, too deep, and a valid request: each with its own shape.
    const terms = Array.from({ length: 20 + round }, (_none, index) => `id eq ${String(index)}`).join(" or ");
    await read(`all($filter=${terms} or name eq '${name}';$expand=all)`);
    await read(`all($filter=${terms} or name eq '${name}';$expand=${everything(5)})`);
    await read(`all($filter=${terms} or name eq '${name}';$levels=9)`);
    await read(`parent($filter=${terms} or name eq '${name}')`);
  };
  await flood(0);
  const before = bytesKept();
  for (let round = 1; round <= 100; round += 1) await flood(round);
  expect(bytesKept() - before).toBeLessThan(60_000_000);
});
