import { arraySource, entitySet, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  eachDoor,
  expectAnswer,
  expectError,
  expectInvalidOption,
  JSON_HEADERS,
  ORIGIN,
  type Send,
  targetOf,
  url,
} from "./doors.ts";
import { FORM_NAMES, idsOf, Item, type ItemForm, ITEMS, itemService, noFailures, shown } from "./model.ts";

const NEXT = "@odata.nextLink";
const CONTEXT = `${ORIGIN}/s/$metadata#Items`;

const capped = Object.fromEntries(FORM_NAMES.map((form) => [form, itemService(form, { maxTop: 3 })]));
const open = Object.fromEntries(FORM_NAMES.map((form) => [form, itemService(form, { maxTop: null })]));

/** Base64 of a 4-byte little-endian integer, as the specification says. */
function tokenOf(offset: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(offset);
  return encodeURIComponent(bytes.toString("base64"));
}

/** The link to an offset, as the form writes it. */
function linkTo(form: ItemForm, offset: number, others = ""): string {
  const option = form.startsWith("queryable") ? `$skiptoken=${tokenOf(offset)}` : `$skip=${String(offset)}`;
  return `${ORIGIN}/s/Items?${others === "" ? "" : `${others}&`}${option}`;
}

/** All pages from a target on; ends with an error when the links do not. */
async function pages(send: Send, target: string, headers = {}): Promise<Answer[]> {
  const found: Answer[] = [];
  let next: string | undefined = target;
  while (next !== undefined) {
    expect(found.length).toBeLessThan(20);
    const answer = await send(next, headers);
    expect(answer.status, answer.text).toBe(200);
    found.push(answer);
    next = answer.json[NEXT] === undefined ? undefined : targetOf(answer.json[NEXT] as string);
  }
  return found;
}

eachDoor((door) => {
  describe.each(FORM_NAMES)("%s", (form) => {
    const send = door.to(capped[form]!);
    const sendOpen = door.to(open[form]!);
    const all = ITEMS.map(({ id }) => id);
    const body = (ids: readonly number[], extra = {}) => ({
      "@odata.context": CONTEXT,
      ...extra,
      value: ids.map(shown),
    });

    test("without $top, the page has maxTop entities and a next link", async () => {
      expectAnswer(await send("/s/Items"), { body: body([1, 2, 3], { [NEXT]: linkTo(form, 3) }) });
    });

    test("the pages together contain each row once, and no next link returns an empty page", async () => {
      const found = await pages(send, "/s/Items");
      expect(found.map(({ json }) => idsOf(json))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    });

    test.each([1, 2, 7, 6, 8, 100])("pages have the preferred size %i, up to maxTop", async (size) => {
      const honoured = Math.min(size, 3);
      const found = await pages(send, "/s/Items", { Prefer: `maxpagesize=${String(size)}` });
      expect(found.flatMap(({ json }) => idsOf(json))).toEqual(all);
      for (const [index, { json, headers }] of found.entries()) {
        expect(idsOf(json)).toHaveLength(index < found.length - 1 ? honoured : ITEMS.length - honoured * index);
        expect(headers).toEqual({ ...JSON_HEADERS, "preference-applied": `maxpagesize=${String(honoured)}` });
      }
    });

    test.each([1, 3, 6])("with maxTop null, only the preference limits the page: %i", async (size) => {
      const found = await pages(sendOpen, "/s/Items", { Prefer: `odata.maxpagesize=${String(size)}` });
      expect(found.flatMap(({ json }) => idsOf(json))).toEqual(all);
      expect(found[0]!.headers["preference-applied"]).toBe(`odata.maxpagesize=${String(size)}`);
      expect(idsOf(found[0]!.json)).toHaveLength(size);
    });

    test("with maxTop null and no preference, the response has no limit and no next link", async () => {
      expectAnswer(await sendOpen("/s/Items"), { body: body(all) });
    });

    test("the last page has no next link", async () => {
      expectAnswer(await send("/s/Items?$skip=4"), { body: body([5, 6, 7]) });
      expectAnswer(await send(targetOf(linkTo(form, 4))), { body: body([5, 6, 7]) });
    });

    test("the offset of a next link includes an initial $skip", async () => {
      const found = await pages(send, "/s/Items?$skip=1");
      expect(found.map(({ json }) => idsOf(json))).toEqual([
        [2, 3, 4],
        [5, 6, 7],
      ]);
      expect(found[0]!.json[NEXT]).toBe(linkTo(form, 4));
    });

    test("with $top, the response has no next link, and maxpagesize is ignored", async () => {
      const headers = { Prefer: "maxpagesize=1" };
      expectAnswer(await send("/s/Items?$top=2", headers), { body: body([1, 2]) });
      expectAnswer(await send("/s/Items?$top=3"), { body: body([1, 2, 3]) });
      expectAnswer(await send("/s/Items?$skip=1&$top=2"), { body: body([2, 3]) });
      expectAnswer(await sendOpen("/s/Items?$top=5", headers), { body: body([1, 2, 3, 4, 5]) });
    });

    test("$top=0 returns an empty page, with the total if requested", async () => {
      expectAnswer(await send("/s/Items?$top=0"), { body: body([]) });
      expectAnswer(await send("/s/Items?$top=0&$count=true"), { body: body([], { "@odata.count": 7 }) });
    });

    test("rejects $top above maxTop, and names the limit", async () => {
      expectInvalidOption(await send("/s/Items?$top=4"), "$top", /\b3\b/u);
      expectInvalidOption(await send("/s/Items?$top=1000000"), "$top", /\b3\b/u);
      expectAnswer(await sendOpen("/s/Items?$top=1000000"), { body: body(all) });
    });

    test("$skip beyond the end returns an empty page", async () => {
      expectAnswer(await send("/s/Items?$skip=7"), { body: body([]) });
      expectAnswer(await send("/s/Items?$skip=2147483647"), { body: body([]) });
      expectAnswer(await send("/s/Items?$skip=2147483648"), { body: body([]) });
    });

    test("$count=true returns the total before paging on every page, and the next link keeps it", async () => {
      const found = await pages(send, "/s/Items?$count=true");
      expect(found.map(({ json }) => json["@odata.count"] as number)).toEqual([7, 7, 7]);
      expect(found[0]!.json[NEXT]).toBe(linkTo(form, 3, "$count=true"));
      expectAnswer(await send("/s/Items?$count=true&$skip=5"), { body: body([6, 7], { "@odata.count": 7 }) });
      expectAnswer(await send("/s/Items?$count=true&$skip=99"), { body: body([], { "@odata.count": 7 }) });
      expectAnswer(await send("/s/Items?$count=false&$skip=5"), { body: body([6, 7]) });
    });

    test("a next link keeps every other option as sent, custom options too", async () => {
      const others = "sap-client=%C3%A4+b&$select=Id,%20Name&%24count=true&_=&x";
      const { json } = await send(`/s/Items?${others}&$skip=1`);
      expect(json[NEXT]).toBe(linkTo(form, 4, others));
      const encoded = await send(`/s/Items?%24skip=1&${others}`);
      expect(encoded.json[NEXT]).toBe(linkTo(form, 4, others));
    });

    test("/$count is not paged", async () => {
      const answer = await send("/s/Items/$count", { Prefer: "maxpagesize=1" });
      expect([answer.status, answer.text, answer.headers["preference-applied"]]).toEqual([200, "7", undefined]);
    });
  });

  describe("Prefer", () => {
    const send = door.to(capped["queryable"]!);

    test.each([
      "maxpagesize=0",
      "maxpagesize=-1",
      "maxpagesize=x",
      "maxpagesize=1.5",
      "maxpagesize=1e3",
      "maxpagesize",
      "maxpagesize=99999999999999999999",
      "foo=bar",
      "",
      ",,,",
      "return=minimal",
    ])("a preference that makes no sense here is ignored: %j", async (prefer) => {
      const answer = await send("/s/Items", { Prefer: prefer });
      expectAnswer(answer, {
        body: { "@odata.context": CONTEXT, [NEXT]: linkTo("queryable", 3), value: [1, 2, 3].map(shown) },
      });
    });

    test.each([
      ["maxpagesize=2", "maxpagesize=2"],
      ['maxpagesize="2"', "maxpagesize=2"],
      ["return=minimal, maxpagesize=2", "maxpagesize=2"],
      ["maxpagesize = 2; x=y, foo", "maxpagesize=2"],
      ["MaxPageSize=2", "maxpagesize=2"],
      ["odata.maxpagesize=2", "odata.maxpagesize=2"],
      ["maxpagesize=50", "maxpagesize=3"],
    ])("%s is echoed as %s", async (prefer, applied) => {
      const answer = await send("/s/Items", { Prefer: prefer });
      expect(answer.headers["preference-applied"]).toBe(applied);
      expect(idsOf(answer.json)).toHaveLength(applied.endsWith("3") ? 3 : 2);
    });
  });

  describe("filter and order with paging", () => {
    const service = (form: "queryable" | "getAll") =>
      odataService({
        prefix: "/s",
        entitySets: [
          form === "getAll"
            ? entitySet(Item, { maxTop: 2, getAll: () => ITEMS })
            : entitySet(Item, { maxTop: 2, queryable: () => arraySource(Item, ITEMS) }),
        ],
        logger: noFailures,
      });

    test.each(["queryable", "getAll"] as const)("%s: pages of a filtered, ordered set with a total", async (form) => {
      const send = door.to(service(form));
      const found = await pages(send, url("/s/Items", { $filter: "Id ne 4", $orderby: "Rank desc", $count: "true" }));
      // Rank: 5 and 6 have 2, 3 has 1, 1 and 2 have 0, 7 has null; ties by key, descending too (decision 0007).
      expect(found.map(({ json }) => idsOf(json))).toEqual([
        [6, 5],
        [3, 2],
        [1, 7],
      ]);
      expect(found.map(({ json }) => json["@odata.count"] as number)).toEqual([6, 6, 6]);
      expect(found[0]!.json[NEXT]).toContain("$filter=Id%20ne%204&$orderby=Rank%20desc&$count=true&");
    });

    test("a queryable set is ordered by key without $orderby; get-all keeps the order of the handler", async () => {
      const rows = ITEMS.toReversed();
      const set = { maxTop: null };
      const sets = [
        entitySet(Item, { ...set, name: "Queryable", queryable: () => arraySource(Item, rows) }),
        entitySet(Item, { ...set, name: "GetAll", getAll: () => rows }),
        entitySet(Item, { ...set, name: "Applied", applyQuery: () => ({ items: rows }) }),
      ];
      const send = door.to(odataService({ prefix: "/s", entitySets: sets, logger: noFailures }));
      const order = async (name: string) => idsOf((await send(`/s/${name}`)).json);
      expect(await order("Queryable")).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await order("GetAll")).toEqual([7, 6, 5, 4, 3, 2, 1]);
      expect(await order("Applied")).toEqual([7, 6, 5, 4, 3, 2, 1]);
    });
  });

  describe("$skiptoken", () => {
    const send = door.to(capped["queryable"]!);

    test.each([
      [0, [1, 2, 3]],
      [5, [6, 7]],
      [7, []],
      [2147483647, []],
    ])("an offset of %i", async (offset, ids) => {
      expect(idsOf((await send(`/s/Items?$skiptoken=${tokenOf(offset)}`)).json)).toEqual(ids);
    });

    test.each([
      ["empty", ""],
      ["text", "x"],
      ["a number", "3"],
      ["three bytes", "AwAA"],
      ["five bytes", "AwAAAAA%3D"],
      ["eight bytes", "AwAAAAAAAAA%3D"],
      ["no padding", "AwAAAA"],
      ["negative", encodeURIComponent(Buffer.from([255, 255, 255, 255]).toString("base64"))],
      ["bits behind the last byte", "AwAAAB%3D%3D"],
      ["base64url", "_-AAAA%3D%3D"],
      ["a megabyte", "A".repeat(10_000)],
    ])("a token that was never issued returns 400: %s", async (_, token) => {
      const answer = await send(`/s/Items?$skiptoken=${token}`);
      expectError(answer, { status: 400, code: "InvalidSkipToken", target: "$skiptoken" });
    });
  });

  test("rejects $skip beside $skiptoken, because the token contains the whole offset (decision 0006)", async () => {
    const send = door.to(capped["queryable"]!);
    expectInvalidOption(await send(`/s/Items?$skip=1&$skiptoken=${tokenOf(3)}`), "$skip");
    expect(idsOf((await send(`/s/Items?$skip=0&$skiptoken=${tokenOf(3)}`)).json)).toEqual([4, 5, 6]);
  });

  describe("a set that applies the query itself", () => {
    const set = (
      result: { count?: number | bigint; nextLink?: string; items?: typeof ITEMS },
      maxTop: number | null = 3,
    ) =>
      door.to(
        odataService({
          prefix: "/s",
          entitySets: [entitySet(Item, { maxTop, applyQuery: () => ({ items: ITEMS, ...result }) })],
          logger: noFailures,
        }),
      );
    const value = (count: number) => ITEMS.slice(0, count).map(({ id }) => shown(id));

    test("the total of the handler is the count", async () => {
      const answer = await set({ count: 1234 })("/s/Items?$count=true");
      expectAnswer(answer, {
        body: {
          "@odata.context": CONTEXT,
          "@odata.count": 1234,
          [NEXT]: `${ORIGIN}/s/Items?$count=true&$skip=3`,
          value: value(3),
        },
      });
    });

    test("omits the total unless requested", async () => {
      expect((await set({ count: 1234 })("/s/Items")).json).not.toHaveProperty("@odata.count");
    });

    test("without a total, the count is the number of items of the page", async () => {
      const { json } = await set({ items: ITEMS.slice(0, 2) })("/s/Items?$count=true");
      expect(json).toEqual({ "@odata.context": CONTEXT, "@odata.count": 2, value: value(2) });
      const cut = await set({})("/s/Items?$count=true");
      expect(cut.json["@odata.count"]).toBe(3);
    });

    test("the next link of the handler wins and disables the limit", async () => {
      const nextLink = "https://elsewhere.example/next?token=1";
      expectAnswer(await set({ nextLink })("/s/Items", { Prefer: "maxpagesize=2" }), {
        body: { "@odata.context": CONTEXT, [NEXT]: nextLink, value: value(7) },
      });
    });

    describe("a count above the entities returned so far yields a next link", () => {
      const linkTo = (skip: number, options = "") => `${ORIGIN}/s/Items?${options}$skip=${String(skip)}`;
      // Each row: how many of seven entities the handler returns, its total, and the start of the next page.
      const pagesOf = (maxTop: number | null, count: number | bigint, most: number) =>
        door.to(
          odataService({
            prefix: "/s",
            entitySets: [
              entitySet(Item, { maxTop, applyQuery: ({ skip }) => ({ items: ITEMS.slice(skip, skip + most), count }) }),
            ],
            logger: noFailures,
          }),
        );

      test.each([
        ["a full page", "/s/Items", 7, 3, linkTo(3)],
        ["a full page, counted by a bigint", "/s/Items", 7n, 3, linkTo(3)],
        ["a count beyond every number", "/s/Items", 2n ** 70n, 3, linkTo(3)],
        ["a page behind $skip", "/s/Items?$skip=2", 7, 3, linkTo(5)],
        ["a page behind $skiptoken", `/s/Items?$skiptoken=${tokenOf(2)}`, 7, 3, linkTo(5)],
        ["a page that the handler kept shorter", "/s/Items?$orderby=Id", 7, 2, linkTo(2, "$orderby=Id&")],
        ["the last full page", "/s/Items?$skip=4", 7, 3, undefined],
        ["a full page that is everything", "/s/Items", 3, 3, undefined],
        ["a count below what the page holds", "/s/Items", 1, 3, undefined],
        ["an empty page", "/s/Items?$skip=7", 9, 3, undefined],
        ["an explicit $top", "/s/Items?$top=3", 7, 3, undefined],
      ])("%s", async (_name, target, count, most, link) => {
        const { status, json } = await pagesOf(3, count, most)(target);
        expect(status).toBe(200);
        expect(json[NEXT]).toBe(link);
      });

      test("a page of the preferred size", async () => {
        const answer = await pagesOf(5, 7, 2)("/s/Items?$count=true", { Prefer: "maxpagesize=2" });
        expectAnswer(answer, {
          headers: { ...JSON_HEADERS, "preference-applied": "maxpagesize=2" },
          body: { "@odata.context": CONTEXT, "@odata.count": 7, [NEXT]: linkTo(2, "$count=true&"), value: value(2) },
        });
      });

      test("without maxTop and preference, the request is for the whole set and has no next link", async () => {
        expect((await pagesOf(null, 7, 3)("/s/Items")).json).not.toHaveProperty([NEXT]);
      });

      test("the next links cover the whole set", async () => {
        const send = pagesOf(5, 7, 2);
        const ids: number[] = [];
        let next: string | undefined = "/s/Items";
        while (next !== undefined && ids.length < 20) {
          const { json }: Answer = await send(next);
          ids.push(...idsOf(json));
          next = json[NEXT] === undefined ? undefined : targetOf(json[NEXT]);
        }
        expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7]);
      });
    });

    test("$top above maxTop returns 400 here too", async () => {
      expectInvalidOption(await set({})("/s/Items?$top=4"), "$top");
    });

    test("receives the bound query with its literals", async () => {
      const queries: unknown[] = [];
      const service = odataService({
        prefix: "/s",
        entitySets: [
          entitySet(Item, {
            maxTop: 5,
            applyQuery: (query) => {
              queries.push(query);
              return { items: [] };
            },
          }),
        ],
        logger: noFailures,
      });
      const send = door.to(service);
      const options = {
        $filter: "Name eq 'x'",
        $orderby: "Rank desc",
        $skip: "2",
        $top: "4",
        $count: "true",
        $select: "Id",
      };
      await send(url("/s/Items", options));
      await send("/s/Items");
      expect(queries).toMatchObject([
        { orderBy: [{ descending: true }], expand: null, search: null, skip: 2, top: 4, count: true },
        { filter: null, orderBy: [], select: null, expand: null, search: null, skip: 0, top: undefined, count: false },
      ]);
      const [first] = queries as [{ filter: unknown; select: unknown[] }];
      expect(JSON.stringify(first.filter)).toContain('"x"');
      expect(JSON.stringify(first.filter)).not.toContain('"parameter"');
      expect(first.select).toHaveLength(1);
    });
  });
});
