import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { eachDoor, type Send, targetOf, url } from "./doors.ts";
import { knotService, KNOTS } from "./limits.ts";

const NEXT = "@odata.nextLink";
const ids = KNOTS.map(({ id }) => id);

interface KnotJson {
  readonly id: number;
  readonly children?: readonly KnotJson[];
  readonly all?: readonly KnotJson[];
  readonly "children@odata.nextLink"?: string;
  readonly "children@odata.count"?: number;
  readonly "all@odata.nextLink"?: string;
}

interface PageJson {
  readonly value: readonly KnotJson[];
  readonly "@odata.nextLink"?: string;
  readonly "@odata.count"?: number;
}

async function readPage(send: Send, target: string, headers = {}): Promise<PageJson> {
  const answer = await send(target, headers);
  expect(answer.status, `${decodeURIComponent(target)} ${answer.text}`).toBe(200);
  return answer.json as PageJson;
}

/** All entities from a target on, by the links. */
async function readAll(send: Send, target: string, headers = {}): Promise<KnotJson[]> {
  const found: KnotJson[] = [];
  let next: string | undefined = target;
  for (let page = 0; next !== undefined; page += 1) {
    expect(page, target).toBeLessThanOrEqual(KNOTS.length);
    const { value, [NEXT]: link }: PageJson = await readPage(send, next, headers);
    found.push(...value);
    next = link === undefined ? undefined : targetOf(link);
  }
  return found;
}

const FORMS = ["Knots", "Rows", "Loaded", "Applied"] as const;

eachDoor((door) => {
  describe.each(["offset", "keyset"] as const)("paging: %s", (paging) => {
    const { service } = knotService({ paging, maxTop: 6 });
    const send = door.to(service);

    test.each(FORMS)("%s: pages of any size from any row return the rest of the set", async (set) => {
      const walk = fc.record({ skip: fc.nat(22), size: fc.integer({ min: 1, max: 9 }), count: fc.boolean() });
      const property = fc.asyncProperty(walk, async ({ skip, size, count }) => {
        const target = url(`/s/${set}`, { $skip: skip, ...(count ? { $count: "true" } : {}) });
        const headers = { Prefer: `maxpagesize=${String(size)}` };
        expect((await readAll(send, target, headers)).map(({ id }) => id)).toEqual(ids.slice(skip));
        if (count) expect((await readPage(send, target, headers))["@odata.count"]).toBe(KNOTS.length);
      });
      await fc.assert(property, { numRuns: caseCount(25) });
    });

    test.each(["Knots", "Rows", "Loaded"])("%s: in any order, and with any filter", async (set) => {
      const orders = ["name desc", "parentId,id desc", "parentId desc,price", "price mul -1", "length(name) desc,name"];
      const filters = ["id gt 3", "parentId eq null or id lt 15", "contains(name,'1')"];
      const walk = fc.record({
        orderBy: fc.constantFrom(...orders),
        filter: fc.constantFrom(...filters),
        size: fc.integer({ min: 1, max: 6 }),
      });
      const open = door.to(knotService({ maxTop: null }).service);
      const property = fc.asyncProperty(walk, async ({ orderBy, filter, size }) => {
        const options = { $orderby: orderBy, $filter: filter };
        const whole = (await readPage(open, url("/s/Knots", options))).value.map(({ id }) => id);
        const pages = await readAll(send, url(`/s/${set}`, options), { Prefer: `maxpagesize=${String(size)}` });
        expect(pages.map(({ id }) => id)).toEqual(whole);
      });
      await fc.assert(property, { numRuns: caseCount(25) });
    });

    test.each(["Knots", "Rows"])(
      "%s: expansions do not change the pages, and each page has its own related entities",
      async (set) => {
        const target = url(`/s/${set}`, {
          $expand: "children($select=id)",
          $select: "name",
          $orderby: "parentId desc",
        });
        const found = await readAll(send, target, { Prefer: "maxpagesize=3" });
        expect(found.flatMap(({ children }) => (children ?? []).map(({ id }) => id)).toSorted((a, b) => a - b)).toEqual(
          KNOTS.filter(({ parentId }) => parentId !== null).map(({ id }) => id),
        );
      },
    );

    test("Knots: an order along a navigation continues by offset", async () => {
      const target = url("/s/Knots", { $orderby: "parent/name desc,id desc", $filter: "parent ne null" });
      const found = await readAll(send, target, { Prefer: "maxpagesize=4" });
      const nameOf = (id: number): string => KNOTS[(KNOTS[id - 1]?.parentId ?? 0) - 1]?.name ?? "";
      const expected = ids
        .slice(1)
        .toSorted((a, b) => (nameOf(b) < nameOf(a) ? -1 : Number(nameOf(b) > nameOf(a))) || b - a);
      expect(found.map(({ id }) => id)).toEqual(expected);
    });

    test.each([1, 2, 5, 6, 100])("a navigation route with pages of %i", async (size) => {
      const found = await readAll(send, "/s/Knots(7)/all?$orderby=name desc".replaceAll(" ", "%20"), {
        Prefer: `maxpagesize=${String(size)}`,
      });
      expect(found.map(({ id }) => id)).toEqual(
        KNOTS.toSorted((left, right) => (left.name < right.name ? 1 : -1)).map(({ id }) => id),
      );
    });
  });

  describe("an expansion that exceeds its page", () => {
    const { service } = knotService({ maxExpandTop: 3, maxTop: 4 });
    const send = door.to(service);

    /** Returns the expanded entities, and the rest of them by their next links. */
    async function whole(list: readonly KnotJson[] | undefined, link: string | undefined): Promise<number[]> {
      expect(list?.length).toBeLessThanOrEqual(3);
      const rest = link === undefined ? [] : await readAll(send, targetOf(link));
      return [...(list ?? []), ...rest].map(({ id }) => id);
    }

    test.each(["Knots", "Rows"])("%s: its next links return the rest for each parent", async (set) => {
      const parents = await readAll(send, `/s/${set}?$expand=all,children`);
      expect(parents).toHaveLength(KNOTS.length);
      for (const { id, all, children, ...links } of parents) {
        expect(await whole(all, links["all@odata.nextLink"])).toEqual(ids);
        expect(await whole(children, links["children@odata.nextLink"])).toEqual(
          KNOTS.filter(({ parentId }) => parentId === id).map((child) => child.id),
        );
      }
    });

    test("with $orderby, $select and $skip", async () => {
      const parents = await readAll(send, url("/s/Knots", { $expand: "all($orderby=id desc;$select=id;$skip=2)" }));
      for (const { all, ...links } of parents) {
        expect(await whole(all, links["all@odata.nextLink"])).toEqual(ids.toReversed().slice(2));
      }
    });

    test("is rejected if no next link can continue it", async () => {
      const answer = await send(url("/s/Knots", { $expand: "all($filter=id gt 1)" }));
      expect([answer.status, answer.json.error.target]).toEqual([400, "$expand"]);
      expect(answer.json.error.message).toMatch(/more than 3 entities for one parent: page through them with \$top/u);
    });
  });

  test.each(["0", "-1", "1.5", "1e3", "9007199254740993", "x", "", "3;x=1"])(
    "maxpagesize=%s is either ignored or applied",
    async (size) => {
      const send = door.to(knotService({ maxTop: 5 }).service);
      for (const target of ["/s/Knots", "/s/Rows", "/s/Loaded", "/s/Applied", "/s/Knots(1)/all"]) {
        const answer = await send(target, { Prefer: `maxpagesize=${size}` });
        expect(answer.status).toBe(200);
        expect(answer.json.value).toHaveLength(size === "3;x=1" ? 3 : 5);
      }
    },
  );

  test.each(["-1", "1.5", "1e309", "99999999999999999999", "x", "", "null", "%2B1", "0x10"])(
    "$top and $skip of %s return 400",
    async (value) => {
      const send = door.to(knotService(undefined).service);
      for (const target of ["/s/Knots", "/s/Rows", "/s/Loaded", "/s/Applied", "/s/Knots(1)/all"]) {
        for (const option of ["$top", "$skip"]) {
          const answer = await send(`${target}?${option}=${value}`);
          expect([answer.status, answer.json.error?.target], `${target} ${option}`).toEqual([400, option]);
          const inner = await send(`/s/Knots?$expand=all(${option}=${value})`);
          expect([inner.status, inner.json.error?.target]).toEqual([400, "$expand"]);
        }
      }
    },
  );
});
