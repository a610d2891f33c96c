import {
  arraySource,
  authenticated,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  odataService,
  role,
  type ServiceOptions,
} from "odatakit";
import { serve } from "odatakit/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { batchShop, shopBehind, single } from "./batch-model.ts";
import { type Answer, eachDoor, EMPTY_HEADERS, expectError, type HeaderTable, type Send, targetOf } from "./doors.ts";
import { noFailures, recordingLogger } from "./model.ts";

const TEXT: HeaderTable = { "Content-Type": "text/plain" };

const Line = entityType("Line", { id: edm.int32().key(), text: edm.string() });
const Item = entityType("Item", { id: edm.int32().key(), name: edm.string(), rank: edm.int32(), version: edm.int32() });
const ITEMS = Array.from({ length: 30 }, (_none, index) => ({
  id: index + 1,
  name: `Item ${String(index + 1)}`,
  rank: index % 3,
  version: 1,
}));
const LINES = [1, 2, 3].map((id) => ({ id, text: `line ${String(id)}` }));

/** The URLs that handlers saw. */
const seen: string[] = [];

function shop(options: Partial<ServiceOptions> = {}) {
  return odataService({
    prefix: "/odata",
    logger: noFailures,
    authenticate: ({ headers }) => (headers.get("authorization") === null ? null : { id: "ann", roles: ["reader"] }),
    entitySets: [
      entitySet(Line, { queryable: () => arraySource(Line, LINES), getByKey: (id) => LINES[id - 1] ?? null }),
      entitySet(Item, {
        etag: ["version"],
        queryable: ({ request }) => {
          seen.push(`${request.method} ${request.url}`);
          return arraySource(Item, ITEMS);
        },
        getByKey: (id) => ITEMS[id - 1] ?? null,
        create: () => ITEMS[0]!,
        navigation: { lines: hasMany(Line, { target: "Lines", get: () => LINES, create: () => LINES[0]! }) },
        functions: {
          above: fn({
            bound: "collection",
            params: { rank: edm.int32() },
            returns: edm.collection(Item),
            composable: true,
            handler: ({ rank }) => ITEMS.filter((item) => item.rank > rank),
          }),
        },
      }),
      entitySet(Item, { name: "Drafts", create: () => ITEMS[0]! }),
      entitySet(Item, {
        name: "Secrets",
        queryable: () => arraySource(Item, ITEMS),
        create: () => ITEMS[0]!,
        authorization: { all: role("reader"), create: role("writer") },
      }),
    ],
    functions: {
      twice: fn({ params: { n: edm.int32() }, returns: edm.int32(), handler: ({ n }) => n * 2, authorization: [] }),
    },
    ...options,
  });
}

const query = (send: Send, path: string, body: string, headers: HeaderTable = {}) =>
  send(`/odata${path}`, { ...TEXT, ...headers }, "POST", body);

function idsOf({ json }: Answer): readonly number[] {
  const { value } = json as { value: ReadonlyArray<{ Id: number }> };
  return value.map(({ Id }) => Id);
}

/** Resources, and query options for them. */
const READS: ReadonlyArray<readonly [path: string, options: string]> = [
  ["/Items", ""],
  ["/Items", "$filter=Rank eq 1 and contains(Name,'2')&$orderby=Id desc&$count=true&$top=3"],
  ["/Items", "$filter=Rank%20eq%201&%24select=Name&$format=json"],
  ["/Items", "$select=Name&custom=%23x&$expand=Lines($filter=Id gt 1;$select=Text)&$top=2"],
  ["/Items", "$filter=Id in (@a,@b)&@a=3&@b=4"],
  ["/Items", "$filter=Name eq 'é # \"'"],
  ["/Items/$count", "$filter=Rank eq 2"],
  ["/Items(3)", "$select=Name&$expand=Lines($top=1)"],
  ["/Items(@k)", "@k=5"],
  ["/Items(3)/Name", ""],
  ["/Items(3)/Name/$value", ""],
  ["/Items(3)/Lines", "$orderby=Id desc&$top=2&$count=true"],
  ["/Items(3)/Lines/$count", ""],
  ["/Items(3)/Lines(2)", "$select=Text"],
  ["/Items(3)/Lines/$ref", ""],
  ["/Items/above(rank=1)", "$top=2&$filter=Id gt 5"],
  ["/Items/above", "rank=1&$top=2"],
  ["/twice", "n=21"],
  ["/twice(n=@n)", "@n=4"],
];

/** Faults of options. */
const FAULTS = [
  "$filter=",
  "$filter=Nme eq 1",
  "$top=-1",
  "$fliter=x",
  "$select=Name&$select=Id",
  "$filter=%zz",
  "$format=xml",
  " $filter=Id eq 1",
  "$top=1& $filter=Id eq 1",
  "$top=1&%09@a=1",
  "$top=1&+$skip=1",
];

eachDoor((door) => {
  describe("POST …/$query", () => {
    test.each(READS)("%s with %s is the same as GET", async (path, options) => {
      const send = door.to(shop());
      const encoded = encodeURI(options.replaceAll("%", "\u0000")).replaceAll("%00", "%").replaceAll("#", "%23");
      const expected = await send(`/odata${path}${options === "" ? "" : `?${encoded}`}`);
      expect(expected.status).toBe(200);
      for (const end of ["/$query", "/%24query", "/$query/"]) {
        expect(await query(send, path + end, options)).toEqual({ ...expected, headerNames: expect.any(Array) });
      }
    });

    test.each(FAULTS)("the options %s get the same error as in a URL", async (options) => {
      const send = door.to(shop());
      const expected = await send(`/odata/Items?${options.replaceAll(" ", "%20")}`);
      expect(expected.status).toBeGreaterThanOrEqual(400);
      expect(await query(send, "/Items/$query", options)).toEqual({ ...expected, headerNames: expect.any(Array) });
    });

    test("joins the options of the URL and the body, each once", async () => {
      const send = door.to(shop());
      const joined = await query(send, "/Items/$query?$top=1&$select=Name", "$filter=Id eq 7&custom=1\r\n");
      expect(joined.json.value).toEqual([
        { "@odata.id": "http://service.example/odata/Items(7)", "@odata.etag": expect.any(String), Name: "Item 7" },
      ]);
      const twice = await query(send, "/Items/$query?$top=1", "$top=1");
      expectError(twice, { status: 400, code: "InvalidQueryOption", target: "$top", message: /twice/u });
    });

    test.each(["\n$filter=Id eq 1", "$top=1&\r\n$filter=Id eq 1&\r\n$orderby=Name", "$top=2&\t$filter=Id eq 1"])(
      "refuses %j, and ignores no option of it",
      async (options) => {
        const answer = await query(door.to(shop()), "/Items/$query", options);
        expectError(answer, {
          status: 400,
          code: "InvalidQueryOption",
          target: "$filter",
          message: /line break precedes the query option "\$filter"/u,
        });
      },
    );

    test("accepts a request without a body", async () => {
      const answer = await door.to(shop())("/odata/Items/$count/$query", {}, "POST");
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: "30" });
    });

    test("honours the headers of a read", async () => {
      const send = door.to(shop());
      const { headers } = await send("/odata/Items(1)");
      const again = await query(send, "/Items(1)/$query", "", { "If-None-Match": headers["etag"] ?? "" });
      expect(again.status).toBe(304);
      const paged = await query(send, "/Items/$query", "", { Prefer: "maxpagesize=2" });
      expect(paged.headers["preference-applied"]).toBe("maxpagesize=2");
      expect(paged.json["@odata.nextLink"]).toBe("http://service.example/odata/Items?$skiptoken=AgAAAA%3D%3D");
    });

    test("links to the next page with GET, and the link repeats the options", async () => {
      const send = door.to(shop({ defaults: { maxTop: 4 } }));
      const options = "$filter=Rank eq 1 and Name ne 'é # \"'&$count=true";
      const first = await query(send, "/Items/$query", options);
      const ids = [...idsOf(first)];
      let link: string | undefined = first.json["@odata.nextLink"];
      expect(link).toMatch(/^http:\/\/service\.example\/odata\/Items\?[\w.~!$&'()*+,;=:@/?%-]+$/u);
      while (link !== undefined) {
        const page = await send(targetOf(link));
        expect(page.json["@odata.count"]).toBe(10);
        ids.push(...idsOf(page));
        link = page.json["@odata.nextLink"];
      }
      expect(ids).toEqual(ITEMS.filter(({ rank }) => rank === 1).map(({ id }) => id));
    });

    test("accepts options that are longer than URLs, if one page suffices", async () => {
      const send = door.to(shop({ defaults: { maxUrlLength: 300, maxTop: 4 } }));
      const long = `$filter=Id in (${Array.from({ length: 200 }, (_none, index) => index + 1).join(",")})`;
      expect((await send(`/odata/Items?${encodeURI(long)}`)).status).toBe(400);
      const page = await query(send, "/Items/$query", `${long}&$top=3&$skip=2`);
      expect(idsOf(page)).toEqual([3, 4, 5]);
      const more = await query(send, "/Items/$query", long);
      expectError(more, {
        status: 400,
        code: "InvalidQueryOption",
        target: "$top",
        message: /limit is 300\. Set \$top/u,
      });
      const last = await query(send, "/Items/$query", `${long}&$skip=28`);
      expect(idsOf(last)).toEqual([29, 30]);
      const url = await query(send, `/Items/$query?custom=${"x".repeat(300)}`, "");
      expectError(url, { status: 400, code: "InvalidQueryOption", message: /The URL has/u });
    });

    test("applies the limits of expressions and bodies", async () => {
      const send = door.to(shop({ defaults: { maxNodeCount: 50, maxRequestBodyBytes: 2000 } }));
      const nodes = await query(send, "/Items/$query", `$filter=${"Id eq 1 or ".repeat(40)}Id eq 2`);
      expectError(nodes, { status: 400, code: "InvalidQueryOption", target: "$filter", message: /more than 50/u });
      const bytes = await query(send, "/Items/$query", `$filter=Id eq 1&x=${"y".repeat(2000)}`);
      expectError(bytes, { status: 413, code: "PayloadTooLarge", message: /limit of 2000 bytes/u });
      const fewer = door.to(shop({ defaults: { maxQueryBodyBytes: 100 } }));
      const long = await query(fewer, "/twice/$query", `n=1&x=${"y".repeat(100)}`);
      expectError(long, { status: 413, code: "PayloadTooLarge", message: /limit of 100 bytes/u });
      const open = door.to(shop({ defaults: { maxQueryBodyBytes: null, maxRequestBodyBytes: null } }));
      expect((await query(open, "/Items/$query", `$top=1&x=${"y".repeat(300_000)}`)).status).toBe(200);
      const usual = await query(door.to(shop()), "/Items/$query", `$top=1&x=${"y".repeat(300_000)}`);
      expectError(usual, { status: 413, code: "PayloadTooLarge", message: /limit of 262144 bytes/u });
    });

    test.each([
      [{ "Content-Type": "application/json" }],
      [{ "Content-Type": "application/x-www-form-urlencoded" }],
      [{ "Content-Type": "text/plain; charset=iso-8859-1" }],
      [{ "Content-Type": "text/html" }],
      [{ "Content-Type": "text/plain", "Content-Encoding": "gzip" }],
    ])("refuses %j", async (headers) => {
      const answer = await door.to(shop())("/odata/Items/$query", headers, "POST", "$top=1");
      expect({ status: answer.status, code: answer.json.error.code }).toEqual({
        status: 415,
        code: "UnsupportedMediaType",
      });
    });

    test.each([
      "text/plain;charset=UTF-8",
      "TEXT/PLAIN",
      'text/plain; charset="utf-8"',
      "text/plain; charset=us-ascii",
    ])("accepts %s", async (type) => {
      const answer = await door.to(shop())("/odata/Items/$query", { "Content-Type": type }, "POST", "$top=1");
      expect(answer.status).toBe(200);
    });

    test("refuses a question mark at the start, and bytes that are not UTF-8", async () => {
      const send = door.to(shop());
      expectError(await query(send, "/Items/$query", "?$top=1"), {
        status: 400,
        code: "InvalidBody",
        message: /question mark/u,
      });
      const bytes = Uint8Array.of(0x24, 0xff, 0xfe);
      const answer = await send("/odata/Items/$query", TEXT, "POST", bytes);
      expectError(answer, { status: 400, code: "InvalidBody", message: /UTF-8/u });
    });

    test("has the rules of a read, before the body is read", async () => {
      const send = door.to(shop());
      const anonymous = await query(send, "/Secrets/$query", "$top=-1", { "Content-Type": "application/json" });
      expectError(anonymous, { status: 401, code: "Unauthorized", headers: { "www-authenticate": "Bearer" } });
      const signed = await query(send, "/Secrets/$query", "$top=1", { Authorization: "x" });
      expect(signed.status).toBe(200);
      expect(signed.headers["cache-control"]).toBe("no-store");
      const closed = door.to(shop({ authorization: authenticated() }));
      expect((await query(closed, "/Items/$query", "")).status).toBe(401);
    });

    test("is a read for services that refuse writes of other sites", async () => {
      const send = door.to(shop({ crossSiteWrites: "refuse" }));
      const answer = await query(send, "/Items/$query", "$top=1", { "Sec-Fetch-Site": "cross-site" });
      expect(answer.status).toBe(200);
    });

    test.each(["GET", "PUT", "PATCH", "DELETE", "HEAD"])("does not support %s", async (method) => {
      const answer = await door.to(shop())("/odata/Items/$query", {}, method);
      expect({ status: answer.status, allow: answer.headers["allow"] }).toEqual({
        status: 405,
        allow: "POST, OPTIONS",
      });
    });

    test("lists its methods", async () => {
      const answer = await door.to(shop())("/odata/Items/$query", {}, "OPTIONS");
      expect(answer.headers).toEqual({ ...EMPTY_HEADERS, allow: "POST, OPTIONS" });
    });

    test.each([
      "/$query",
      "/$metadata/$query",
      "/Drafts/$query",
      "/Nothing/$query",
      "/Items/$query/Name",
      "/Items/$query/$query",
    ])("%s is not found", async (path) => {
      const answer = await query(door.to(shop()), path, "");
      expectError(answer, { status: 404, code: "NotFound" });
    });

    test("shows its own URL to handlers and logs, without the body", async () => {
      seen.length = 0;
      const logger = recordingLogger();
      const send = door.to(
        shop({
          logger,
          functions: {
            fail: fn({
              params: { secret: edm.string() },
              returns: edm.int32(),
              authorization: [],
              handler: () => {
                throw new Error("broken");
              },
            }),
          },
        }),
      );
      await query(send, "/Items/$query?custom=1", "$filter=Name eq 'hidden'");
      expect(seen).toEqual(["POST http://service.example/odata/Items/$query?custom=1"]);
      expect((await query(send, "/fail/$query", "secret='hidden'")).status).toBe(500);
      expect(logger.errors).toHaveLength(1);
      expect(JSON.stringify(logger.errors)).toContain("/odata/fail/$query");
      expect(JSON.stringify(logger.errors)).not.toContain("hidden");
    });
  });

  describe("POST …/$query in a batch", () => {
    test("is a read", async () => {
      const { batch } = await shopBehind(door);
      const parts = await batch([
        { request: "POST Customers/$query", headers: TEXT, body: "$filter=Name eq 'Bo'&$select=Name", id: "1" },
        { request: "POST Customers(2)/$query", headers: TEXT, body: "$select=Name", id: "two" },
        { request: "GET $two/Name/$value" },
        { request: "POST Customers/$query", headers: { "Content-Type": "application/json" }, body: "$top=1" },
      ]);
      expect(parts.map((part) => single(part).status)).toEqual([200, 200, 200, 415]);
      expect(single(parts[0]).json.value).toEqual([
        { "@odata.id": "http://service.example/odata/Customers(2)", "@odata.etag": expect.any(String), Name: "Bo" },
      ]);
      expect(single(parts[2]).text).toBe("Bo");
    });

    test("is a read in JSON batches", async () => {
      const { send } = await shopBehind(door, { batch: { json: true } });
      const requests = [
        { id: "1", method: "post", url: "Customers/$query", headers: { "content-type": "text/plain" }, body: "$top=1" },
      ];
      const answer = await send(
        "/odata/$batch",
        { "Content-Type": "application/json" },
        "POST",
        JSON.stringify({ requests }),
      );
      expect(answer.json.responses).toMatchObject([{ id: "1", status: 200, body: { value: [{ Name: "Ada" }] } }]);
    });

    test("refuses a change set, as GET does", async () => {
      const { send, rowsOf } = await shopBehind(door);
      const inner = "--c\r\nContent-Type: application/http\r\nContent-ID: 1\r\n\r\n";
      const body =
        "--batch_1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" +
        `${inner}DELETE Orders(10) HTTP/1.1\r\n\r\n\r\n` +
        `${inner.replace("1", "2")}POST Customers/$query HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n$top=1\r\n--c--\r\n\r\n--batch_1--\r\n`;
      const headers = { "Content-Type": "multipart/mixed; boundary=batch_1" };
      const answer = await send("/odata/$batch", headers, "POST", body);
      expect(answer.text).toContain("HTTP/1.1 400 Bad Request");
      expect(answer.text).toContain("contains a $query");
      expect(await rowsOf("orders")).toHaveLength(2);
    });
  });
});

test.each([11_000, 12_000, 12_200, 13_000, 16_200, 17_000])(
  "the next link of %d characters of options is a GET that serve accepts",
  async (length) => {
    const server = await serve(shop({ defaults: { maxTop: 4 } }), { port: 0, host: "127.0.0.1" });
    onTestFinished(() => server.close());
    const body = `$filter=Name ne '${"x".repeat(length)}'`;
    const url = `${server.url}/odata/Items/$query`;
    const first = await fetch(url, { method: "POST", headers: TEXT, body });
    const page = JSON.parse(await first.text());
    expect([first.status, page.error?.target]).toEqual(length > 12_200 ? [400, "$top"] : [200, undefined]);
    if (length > 12_200) return;
    // The headers of a browser with its user.
    const next = await fetch(page["@odata.nextLink"], { headers: { Authorization: `Bearer ${"t".repeat(3000)}` } });
    expect([next.status, idsOf({ json: await next.json() } as Answer)]).toEqual([200, [5, 6, 7, 8]]);
  },
);

test("a service whose URLs may be longer than Node.js accepts has links of that length", async () => {
  const service = shop({ defaults: { maxTop: 4, maxUrlLength: 40_000 } });
  const body = `$filter=Name ne '${"x".repeat(30_000)}'`;
  const request = new Request("http://x/odata/Items/$query", { method: "POST", headers: TEXT, body });
  const page = JSON.parse(await (await service.fetch(request)).text());
  const next = await service.fetch(new Request(page["@odata.nextLink"]));
  expect([next.status, idsOf({ json: await next.json() } as Answer)]).toEqual([200, [5, 6, 7, 8]]);
});

test("pages of tables that would be streamed stay whole where their links may be too long", async () => {
  const { service } = await batchShop({ defaults: { maxTop: 2, maxUrlLength: 200 } });
  const body = `$filter=Name ne '${"x".repeat(300)}'`;
  const request = new Request("http://x/odata/Customers/$query", { method: "POST", headers: TEXT, body });
  const response = await service.fetch(request);
  expect([response.status, JSON.parse(await response.text()).error.code]).toEqual([400, "InvalidQueryOption"]);
});

test.each<[boolean, string, Partial<ServiceOptions>]>([
  [true, "a set", { entitySets: [entitySet(Line, { getAll: () => LINES })] }],
  [true, "entities", { entitySets: [entitySet(Line, { getByKey: () => null })] }],
  [true, "a function", { entitySets: [], functions: { now: fn({ returns: edm.string(), handler: () => "" }) } }],
  [
    true,
    "a navigation",
    {
      entitySets: [
        entitySet(Item, {
          create: (item) => item,
          navigation: { lines: hasMany(Line, { target: "Lines", get: () => LINES }) },
        }),
        entitySet(Line, { create: (line) => line }),
      ],
    },
  ],
  [false, "nothing", { entitySets: [entitySet(Line, { create: (line) => line })] }],
])("$metadata says %s of a service in which clients can read %s", async (isClaimed, _what, options) => {
  const service = odataService({ logger: noFailures, entitySets: [], ...options });
  const xml = await (await service.fetch(new Request("http://x/$metadata"))).text();
  const claim = '<Annotation Term="Org.OData.Capabilities.V1.QuerySegmentSupported" Bool="true"/></EntityContainer>';
  expect(xml.replaceAll(/>\s+</gu, "><").includes(claim)).toBe(isClaimed);
  expect(xml.includes("QuerySegmentSupported")).toBe(isClaimed);
});
