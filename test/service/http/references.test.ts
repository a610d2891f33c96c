import { edm, entitySet, entityType, hasMany, hasOptional, odataError, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import {
  eachDoor,
  expectAnswer,
  expectError,
  expectInvalidOption,
  JSON_HEADERS,
  ORIGIN,
  targetOf,
  url,
} from "./doors.ts";
import { recordingLogger } from "./model.ts";

const Order = entityType("Order", { id: edm.int32().key(), title: edm.string() });
const Line = entityType("Line", { order: edm.int32().key(), part: edm.string().key(), price: edm.decimal() });

const ORDERS = [
  { id: 1, title: "one" },
  { id: 2, title: "two" },
] as const;
const LINES = [
  { order: 1, part: "b/c", price: "3" },
  { order: 1, part: "o'k", price: "1" },
  { order: 1, part: "a", price: "2" },
] as const;

type Style = "get" | "later" | "getBatch";
const STYLES: readonly Style[] = ["get", "later", "getBatch"];

/** A handler of each form over one function of the key; null means a missing parent. */
function along<R>(style: Style, find: (key: number) => R) {
  if (style === "get") return { get: find };
  if (style === "later") return { get: async (key: number) => find(key) };
  return { getBatch: (keys: readonly number[]) => new Map(keys.map((key) => [key, find(key) as NonNullable<R>])) };
}

function store(
  style: Style = "get",
  { lines = {}, navigation = {}, defaults = {} }: Readonly<Record<string, object>> = {},
) {
  const logger = recordingLogger();
  const linesOf = (key: number) =>
    ORDERS.some(({ id }) => id === key) ? LINES.filter(({ order }) => order === key) : null;
  const first = (key: number) => LINES.find(({ order }) => order === key) ?? null;
  const service = odataService({
    prefix: "/r",
    logger,
    defaults,
    entitySets: [
      entitySet(Order, {
        getByKey: (key) => ORDERS.find(({ id }) => id === key) ?? null,
        navigation: {
          lines: hasMany(Line, { target: "Lines", ...along(style, linesOf) }),
          first: hasOptional(Line, { target: "Lines", ...along(style, first) }),
          loose: hasMany(Line, along(style, linesOf)),
          odd: hasOptional(Line, along(style, first)),
          linked: hasMany(Line, { target: "Lines", addRef: () => {}, removeRef: () => {} }),
          main: hasOptional(Line, { target: "Lines", setRef: () => {} }),
          silent: hasMany(Line, { target: "Lines" }),
          ...navigation,
        },
      }),
      entitySet(Line, { getAll: () => LINES, etag: ["price"], ...lines }),
    ],
  });
  return { service, logger };
}

const reference = (part: string) => ({ "@odata.id": `${ORIGIN}/r/Lines(Order=1,Part='${part}')` });
const B = reference("b%2Fc");
const K = reference("o''k");
const A = reference("a");
const COLLECTION = `${ORIGIN}/r/$metadata#Collection($ref)`;
const SINGLE = `${ORIGIN}/r/$metadata#$ref`;

eachDoor((door) => {
  describe.each(STYLES)("GET …/Nav/$ref with %s", (style) => {
    const { service, logger } = store(style);
    const ask = door.to(service);

    test("a collection", async () => {
      expectAnswer(await ask("/r/Orders(1)/Lines/$ref"), {
        body: { "@odata.context": COLLECTION, value: [B, K, A] },
      });
      expectAnswer(await ask("/r/Orders(2)/Lines/$ref"), { body: { "@odata.context": COLLECTION, value: [] } });
    });

    test("a single entity", async () => {
      expectAnswer(await ask("/r/Orders(1)/First/$ref"), { body: { "@odata.context": SINGLE, ...B } });
      expectError(await ask("/r/Orders(2)/First/$ref"), { status: 404, code: "NotFound", message: /Orders\(2\)/u });
    });

    test("without a target set the envelope is empty", async () => {
      expectAnswer(await ask("/r/Orders(1)/Loose/$ref"), { body: { "@odata.context": COLLECTION, value: [] } });
      expectAnswer(await ask("/r/Orders(1)/Loose/$ref?$count=true&$top=1"), {
        body: { "@odata.context": COLLECTION, "@odata.count": 0, value: [] },
      });
      expectAnswer(await ask("/r/Orders(1)/Odd/$ref"), { body: { "@odata.context": SINGLE } });
      expectError(await ask("/r/Orders(2)/Odd/$ref"), { status: 404, code: "NotFound" });
    });

    test("a missing parent is 404", async () => {
      for (const path of ["Lines", "Loose"]) {
        expectError(await ask(`/r/Orders(9)/${path}/$ref`), {
          status: 404,
          code: "NotFound",
          message: "Orders has no entity with the key (9).",
        });
      }
      expectError(await ask("/r/Orders(9)/First/$ref"), { status: 404, code: "NotFound" });
    });

    test("$orderby, then $skip, then $top; $count is what $skip leaves", async () => {
      const options = { $orderby: "price desc", $skip: 1, $top: 1, $count: "true" };
      expectAnswer(await ask(url("/r/Orders(1)/Lines/$ref", options)), {
        body: { "@odata.context": COLLECTION, "@odata.count": 2, value: [A] },
      });
    });

    test("each is the URL of its entity", async () => {
      const { json } = await ask("/r/Orders(1)/Lines/$ref");
      expect(logger.errors).toEqual([]);
      expect(json.value).toHaveLength(3);
      const getByKey = (key: object) => ({ ...LINES[0], ...key });
      const { service: keyed } = store(style, { lines: { getByKey } });
      for (const each of json.value) expect((await door.to(keyed)(targetOf(each["@odata.id"]))).status).toBe(200);
    });
  });

  describe("the envelope", () => {
    const ask = door.to(store().service);

    test.each([
      ["none", "/r/Orders(1)/First/$ref", { ...B }],
      ["none", "/r/Orders(1)/Odd/$ref", {}],
      ["none", "/r/Orders(1)/Lines/$ref", { value: [B, K, A] }],
      ["full", "/r/Orders(1)/First/$ref", { "@odata.context": SINGLE, ...B }],
      ["full", "/r/Orders(1)/Lines/$ref", { "@odata.context": COLLECTION, value: [B, K, A] }],
    ])("odata.metadata=%s of %s", async (metadata, path, body) => {
      const contentType = `application/json;odata.metadata=${metadata}`;
      expectAnswer(await ask(path, { Accept: contentType }), {
        headers: { ...JSON_HEADERS, "content-type": contentType },
        body,
      });
    });

    test("counts are text where numbers are not to be lost", async () => {
      const { json } = await ask("/r/Orders(1)/Lines/$ref?$count=true", {
        Accept: "application/json;IEEE754Compatible=true",
      });
      expect(json["@odata.count"]).toBe("3");
    });

    test("HEAD and OPTIONS", async () => {
      const head = await ask("/r/Orders(1)/Lines/$ref", {}, "HEAD");
      expect([head.status, head.text, head.headers]).toEqual([200, "", JSON_HEADERS]);
      expect((await ask("/r/Orders(1)/Lines/$ref", {}, "OPTIONS")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
    });
  });

  describe("options", () => {
    const ask = door.to(store().service);
    const refused = { status: 400, code: "UnsupportedQueryOption" } as const;

    test.each(["$filter", "$expand", "$search", "$select", "$skiptoken", "$apply", "$compute", "$levels"])(
      "%s is not taken",
      async (option) => {
        for (const path of ["Lines", "First"]) {
          expectError(await ask(url(`/r/Orders(1)/${path}/$ref`, { [option]: "Price" })), {
            ...refused,
            target: option,
          });
        }
      },
    );

    test.each(["$orderby", "$top", "$skip", "$count"])("%s is for collections", async (option) => {
      expectError(await ask(url("/r/Orders(1)/First/$ref", { [option]: "1" })), { ...refused, target: option });
    });

    test("wrong values", async () => {
      for (const [option, value] of [
        ["$orderby", "nothing"],
        ["$top", "-1"],
        ["$skip", "x"],
        ["$count", "maybe"],
      ] as const) {
        expectInvalidOption(await ask(url("/r/Orders(1)/Lines/$ref", { [option]: value })), option);
      }
    });

    test("options that the target set disables", async () => {
      const off = door.to(store("get", { lines: { orderByEnabled: false, countEnabled: false } }).service);
      expectError(await off("/r/Orders(1)/Lines/$ref?$orderby=Price"), { ...refused, target: "$orderby" });
      expectError(await off("/r/Orders(1)/Lines/$ref?$count=true"), { ...refused, target: "$count" });
    });

    test("formats", async () => {
      expectError(await ask("/r/Orders(1)/Lines/$ref?$format=xml"), {
        status: 400,
        code: "UnsupportedFormat",
        target: "$format",
      });
      expectError(await ask("/r/Orders(1)/Lines/$ref", { Accept: "text/html" }), {
        status: 406,
        code: "NotAcceptable",
        target: "Accept",
      });
    });
  });

  test("pages of the target set's maxTop have links; together they return the set", async () => {
    const ask = door.to(store("get", { lines: { maxTop: 2 } }).service);
    const first = await ask("/r/Orders(1)/Lines/$ref?$orderby=Price");
    expect(first.json).toEqual({
      "@odata.context": COLLECTION,
      "@odata.nextLink": `${ORIGIN}/r/Orders(1)/Lines/$ref?$orderby=Price&$skip=2`,
      value: [K, A],
    });
    const second = await ask(targetOf(first.json["@odata.nextLink"]));
    expect(second.json).toEqual({ "@odata.context": COLLECTION, value: [B] });
    expect((await ask("/r/Orders(1)/Loose/$ref")).json).not.toHaveProperty("@odata.nextLink");
    expectInvalidOption(await ask("/r/Orders(1)/Lines/$ref?$top=3"), "$top");
    const preferred = await ask("/r/Orders(1)/Lines/$ref", { Prefer: "odata.maxpagesize=1" });
    expect([preferred.json.value, preferred.headers["preference-applied"]]).toEqual([[B], "odata.maxpagesize=1"]);
  });

  describe("the available routes", () => {
    test("link handlers alone give the empty envelope, where the parent exists", async () => {
      const ask = door.to(store().service);
      expectAnswer(await ask("/r/Orders(1)/Linked/$ref"), { body: { "@odata.context": COLLECTION, value: [] } });
      expectAnswer(await ask("/r/Orders(1)/Main/$ref"), { body: { "@odata.context": SINGLE } });
      for (const name of ["Linked", "Main"]) {
        expectError(await ask(`/r/Orders(9)/${name}/$ref`), { status: 404, code: "NotFound" });
        expectError(await ask(`/r/Orders(1)/${name}/$ref?$filter=true`), {
          status: 400,
          code: "UnsupportedQueryOption",
          target: "$filter",
        });
      }
      const counted = await ask("/r/Orders(1)/Linked/$ref?$count=true&$top=2");
      expect(counted.json).toEqual({ "@odata.context": COLLECTION, "@odata.count": 0, value: [] });
      expectError(await ask("/r/Orders(1)/Silent/$ref"), { status: 404, code: "NotFound" });
      expectError(await ask("/r/Orders(1)/Nothing/$ref"), { status: 404, code: "NotFound" });
    });

    test("an error of a handler becomes the response", async () => {
      const get = () => odataError(409, "Busy", "Come back later.");
      const { service, logger } = store("get", { navigation: { lines: hasMany(Line, { target: "Lines", get }) } });
      expectError(await door.to(service)("/r/Orders(1)/Lines/$ref"), {
        status: 409,
        code: "Busy",
        message: "Come back later.",
      });
      expect(logger.errors).toEqual([]);
    });

    test("an entity without its key is a fault that is logged", async () => {
      const get = () => [{ order: 1 }] as never;
      const { service, logger } = store("get", { navigation: { lines: hasMany(Line, { target: "Lines", get }) } });
      expectError(await door.to(service)("/r/Orders(1)/Lines/$ref"), { status: 500, code: "InternalServerError" });
      expect(logger.errors).toHaveLength(1);
    });
  });
});
