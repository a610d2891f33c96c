import { edm, entitySet, entityType, odataService } from "odatakit";
import { afterEach, describe, expect, test } from "vitest";
import { processorTime } from "../../processor-time.ts";
import { eachDoor, expectError, expectInvalidOption, ORIGIN, rawDoor, url } from "./doors.ts";
import { Item, ITEM_FORMS, ITEMS, noFailures, sampleService } from "./model.ts";

const set = entitySet(Item, { ...ITEM_FORMS.queryable, getByKey: (key) => ITEMS.find(({ id }) => id === key) ?? null });
const service = odataService({ prefix: "/s", entitySets: [set], logger: noFailures });
/** The same without a limit on the URL, so that the later limits apply. */
const unlimited = odataService({
  prefix: "/s",
  entitySets: [set],
  defaults: { maxUrlLength: null },
  logger: noFailures,
});

const MILLION = 1_000_000;
/** Recursion and length, each as a query or a path. */
const FLOODS: Readonly<Record<string, string>> = {
  "a million parentheses": `$filter=${"(".repeat(MILLION)}`,
  "a million balanced parentheses": `$filter=${"(".repeat(MILLION / 2)}true${")".repeat(MILLION / 2)}`,
  nots: `$filter=${"not%20".repeat(MILLION / 6)}true`,
  "nots without blanks": `$filter=${"not(".repeat(MILLION / 4)}`,
  "minus signs": `$filter=${"-".repeat(MILLION)}Id%20eq%201`,
  "minus signs apart": `$filter=${"-%20".repeat(MILLION / 4)}Id%20eq%201`,
  "function calls": `$filter=${"length(".repeat(MILLION / 7)}`,
  casts: `$filter=${"cast(".repeat(MILLION / 5)}`,
  lambdas: `$filter=${"Tags/any(t:".repeat(MILLION / 11)}`,
  "lambdas in a row": `$filter=Tags/any()${"%20or%20Tags/any()".repeat(MILLION / 18)}`,
  "a range variable": `$filter=Tags/any(${"t".repeat(MILLION)}:true)`,
  "member paths": `$filter=${"Place/".repeat(MILLION / 6)}Latitude%20eq%201`,
  "or chains": `$filter=Id%20eq%201${"%20or%20Id%20eq%201".repeat(MILLION / 20)}`,
  sums: `$filter=Id${"%20add%20Id".repeat(MILLION / 11)}%20eq%201`,
  "a list": `$filter=Id%20in%20(1${",1".repeat(MILLION / 2)})`,
  "lists in lists": `$filter=Id%20in%20${"(".repeat(MILLION)}`,
  "an unclosed string": `$filter=Name%20eq%20'${"a".repeat(MILLION)}`,
  quotes: `$filter=Name%20eq%20${"'".repeat(MILLION - 1)}`,
  digits: `$filter=Id%20eq%20${"9".repeat(MILLION)}`,
  "fraction digits": `$filter=Price%20eq%200.${"1".repeat(MILLION)}x`,
  "an exponent": `$filter=Id%20eq%201e${"9".repeat(MILLION)}`,
  "a name": `$filter=${"a".repeat(MILLION)}%20eq%201`,
  dots: `$filter=${"a.".repeat(MILLION / 2)}b'c'%20eq%201`,
  blanks: `$filter=Id%20eq${"%20".repeat(MILLION / 3)}`,
  "JSON arrays": `$filter=Id%20eq%20@a&@a=${"[".repeat(MILLION)}`,
  "JSON objects": `$filter=Id%20eq%20@a&@a=${'{"a":'.replaceAll('"', "%22").repeat(MILLION / 9)}`,
  "an alias that needs itself": "$filter=Id%20eq%20@a&@a=@a",
  "aliases in a ring": "$filter=Id%20eq%20@a&@a=@b&@b=@c&@c=@a",
  "commas in $orderby": `$orderby=Id${",Id".repeat(MILLION / 3)}`,
  "expressions in $orderby": `$orderby=${"(".repeat(MILLION)}`,
  "commas in $select": `$select=${",".repeat(MILLION)}`,
  "paths in $select": `$select=${"Place/".repeat(MILLION / 6)}Latitude`,
  expansions: `$expand=${"Parts($expand=".repeat(MILLION / 14)}`,
  "parentheses in $expand": `$expand=Parts${"(".repeat(MILLION)}`,
  "parentheses in $search": `$search=${"(".repeat(MILLION)}`,
  "NOTs in $search": `$search=${"NOT%20".repeat(MILLION / 6)}a`,
  "a number": `$top=${"9".repeat(MILLION)}`,
  "a negative number": `$skip=-${"9".repeat(MILLION)}`,
  "a token": `$skiptoken=${"A".repeat(MILLION)}`,
  options: `$top=1${"&$top=1".repeat(MILLION / 7)}`,
  "names of options": `$${"a".repeat(MILLION)}=1`,
};

const FLOODED_PATHS: Readonly<Record<string, string>> = {
  segments: `/s${"/a".repeat(MILLION / 2)}`,
  slashes: `/s${"/".repeat(MILLION)}`,
  "parentheses of a key": `/s/Items${"(".repeat(MILLION)}`,
  "a key of digits": `/s/Items(${"9".repeat(MILLION)})`,
  "a key of quotes": `/s/Items(${"'".repeat(MILLION)})`,
  "a key of commas": `/s/Items(${",".repeat(MILLION)})`,
  "a key of aliases": `/s/Items(@a)?@a=@a`,
  "a name": `/s/${"a".repeat(MILLION)}`,
  "percent signs": `/s/${"%25".repeat(MILLION / 3)}`,
};

/** Percent-encoding that decodes to no string. */
const MALFORMED = [
  "%",
  "%a",
  "%zz",
  "%%",
  "%2",
  "%C3",
  "%80",
  "%C0%AF",
  "%ED%A0%80",
  "%F5%80%80%80",
  "a%FFb",
  "%u0041",
];

const PROTOTYPE = Object.getOwnPropertyNames(Object.prototype);

afterEach(() => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- it belongs to each test
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(PROTOTYPE);
});

eachDoor((door) => {
  const send = door.to(service);
  const sendUnlimited = door.to(unlimited);

  describe("percent-encoding that decodes to no string: 400", () => {
    test.each(MALFORMED)("%s", async (text) => {
      for (const path of [`/s/${text}`, `/s/Items('${text}')`, `/s/Items(1)/${text}`, `/s/Items/$count${text}`]) {
        const answer = await send(path);
        expectError(answer, {
          status: 400,
          code: "InvalidUrl",
          message: /\d/u,
          ...(answer.json.error.target ? { target: answer.json.error.target as string } : {}),
        });
      }
      for (const option of [
        "$filter",
        "$orderby",
        "$select",
        "$top",
        "$skip",
        "$count",
        "$skiptoken",
        "$search",
        "$expand",
      ]) {
        const answer = await send(`/s/Items?${option}=${text}`);
        expect([answer.status, answer.json.error.target], option).toEqual([400, option]);
      }
      expect((await send(`/s/Items?$format=${text}`)).status).toBe(400);
      expect((await send(`/s/Items?$filter=Id eq @a&@a=${text}`.replaceAll(" ", "%20"))).status).toBe(400);
      expect((await send(`/s/Items?$${text}=1`)).status).toBe(400);
      expect((await send(`/s/Items?x=${text}`)).status).toBeLessThan(500);
    });
  });

  describe("NUL and other control characters", () => {
    test.each(["/s/%00", "/s/Items%00", "/s/Items(1)/%00", "/s/%0d%0aX: y".replaceAll(" ", "%20")])(
      "404: %s",
      async (path) => {
        expectError(await send(path), { status: 404, code: "NotFound" });
      },
    );

    test.each(["Id eq 1\0", "\0", "Id\0eq 1", "Id eq \u0001", "Nope\u0000 eq 1", "Id eq 1\r\nX-Injected: 1"])(
      "400: %j",
      async ($filter) => {
        const answer = await send(url("/s/Items", { $filter }));
        expectInvalidOption(answer, "$filter");
        expect(answer.headers).not.toHaveProperty("x-injected");
      },
    );

    test("in a string they are characters", async () => {
      expect((await send(url("/s/Items", { $filter: "Name eq '\0\u0001\u007f'" }))).json.value).toEqual([]);
    });
  });

  describe("numbers beyond everything", () => {
    test.each([
      "1e309",
      "-1e309",
      "1e-400",
      "9".repeat(400),
      `0.${"0".repeat(400)}1`,
      `1${"0".repeat(400)}.5`,
      "99999999999999999999999m",
      "9999999999999999999L",
      "1e",
      "0x10",
      "1_000",
    ])("%s", async (number) => {
      for (const property of ["Id", "Price"]) {
        const answer = await send(url("/s/Items", { $filter: `${property} gt ${number}`, $select: "Id" }));
        if (answer.status !== 200) expectInvalidOption(answer, "$filter", /\d/u);
      }
      expectError(await send(`/s/Items(${number})`), { status: 400, code: "InvalidKey", target: "key" });
    });
  });

  describe("names that JavaScript knows and the model does not", () => {
    const NAMES = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "valueOf",
      "__defineGetter__",
      "then",
    ];

    test.each(NAMES)("%s", async (name) => {
      expectError(await send(`/s/${name}`), { status: 404, code: "NotFound", message: new RegExp(name, "u") });
      expectError(await send(`/s/Items(1)/${name}`), { status: 404, code: "NotFound", message: new RegExp(name, "u") });
      expectError(await send(`/s/Items(${name}=1)`), { status: 400, code: "InvalidKey", target: "key" });
      expectError(await send(`/s/Items?$${name}=1`), {
        status: 400,
        code: "UnsupportedQueryOption",
        target: `$${name}`,
      });
      expectInvalidOption(await send(`/s/Items?$select=${name}`), "$select", new RegExp(name, "u"));
      expectInvalidOption(await send(`/s/Items?$select=Place/${name}`), "$select", new RegExp(name, "u"));
      expectInvalidOption(await send(`/s/Items?$orderby=${name}`), "$orderby", new RegExp(name, "u"));
      expectInvalidOption(await send(`/s/Items?$filter=${name}%20eq%201`), "$filter", new RegExp(name, "u"));
      expectInvalidOption(await send(`/s/Items?$filter=${name}(Id)%20eq%201`), "$filter", new RegExp(name, "u"));
      expectInvalidOption(await send(`/s/Items?$filter=Id%20eq%20${name}'a'`), "$filter");
      expect((await send(`/s/Items?$filter=Id%20eq%20@${name}`)).json.value).toEqual([]);
      expect((await send(`/s/Items?$filter=Id%20eq%20@${name}&@${name}=1`)).json.value).toHaveLength(1);
      expect((await send(`/s/Items?${name}=1&@${name}=1&${name}[x]=1`)).status).toBe(200);
    });

    test("a model may have them", async () => {
      const Odd = entityType("Odd", {
        id: edm.int32().key(),
        constructor: edm.string(),
        ["__proto__"]: edm.string().nullable(),
        toString: edm.string().nullable(),
      });
      const rows = [1, 2].map((id) =>
        Object.fromEntries([
          ["id", id],
          ["constructor", `c${String(id)}`],
          ["__proto__", "p"],
          ["toString", null],
        ]),
      );
      const odd = entitySet(Odd, {
        name: "hasOwnProperty",
        getAll: () => rows as never,
        getByKey: () => rows[0] as never,
      });
      const ask = door.to(
        odataService({ prefix: "/s", propertyNaming: "asDeclared", entitySets: [odd], logger: noFailures }),
      );
      const path =
        "/s/hasOwnProperty?$select=__proto__,constructor,toString&$filter=__proto__%20eq%20'p'&$orderby=constructor%20desc";
      const { text } = await ask(path);
      expect(text).toContain(
        `"value":[{"@odata.id":"${ORIGIN}/s/hasOwnProperty(2)","constructor":"c2","__proto__":"p","toString":null},` +
          `{"@odata.id":"${ORIGIN}/s/hasOwnProperty(1)","constructor":"c1","__proto__":"p","toString":null}]`,
      );
      expect((await ask("/s/hasOwnProperty(1)")).text).toContain('"__proto__":"p"');
      expect((await ask("/s/$metadata")).text).toContain('Name="__proto__"');
    });
  });

  describe("a URL that is too long", () => {
    test("is refused at the limit, whatever it holds", async () => {
      for (const target of [`/s/Items?x=${"a".repeat(16_384)}`, `/s/${"a".repeat(20_000)}`]) {
        const answer = await send(target);
        expect([answer.status, answer.json.error.code]).toEqual([400, "InvalidQueryOption"]);
        expect(answer.json.error.message).toMatch(/16384/u);
      }
      const fits = `/s/Items?x=${"a".repeat(16_384 - "/s/Items?x=".length)}`;
      expect((await send(fits)).status).toBe(200);
    });

    test("is a setting", async () => {
      const short = odataService({
        prefix: "/s",
        entitySets: [set],
        defaults: { maxUrlLength: 20 },
        logger: noFailures,
      });
      expect((await door.to(short)("/s/Items?$top=1")).status).toBe(200);
      expect((await door.to(short)("/s/Items?$top=1&x=1234567")).status).toBe(400);
    });
  });

  describe("recursion and length, with no limit on the URL: a 4xx in bounded time", () => {
    test.each(Object.keys(FLOODS))("%s", async (name) => {
      const started = processorTime();
      const answer = await sendUnlimited(`/s/Items?${FLOODS[name]!}`);
      expect(answer.status).toBe(400);
      expect(answer.json.error.code).toMatch(/^(?:InvalidQueryOption|UnsupportedQueryOption|InvalidSkipToken)$/u);
      expect(answer.json.error.target).toMatch(/^[$@]/u);
      expect(answer.text.length).toBeLessThan(2000);
      expect(processorTime() - started).toBeLessThan(10_000);
    });

    test.each(Object.keys(FLOODED_PATHS))("%s in the path", async (name) => {
      const started = processorTime();
      const answer = await sendUnlimited(FLOODED_PATHS[name]!);
      expect([400, 404]).toContain(answer.status);
      expect(answer.text.length).toBeLessThan(2000);
      expect(processorTime() - started).toBeLessThan(10_000);
    });

    test("accepts long valid requests", async () => {
      const list = Array.from({ length: 1000 }, (_, index) => String(index));
      expect((await sendUnlimited(url("/s/Items/$count", { $filter: `Id in (${list.join(",")})` }))).text).toBe("7");
      expectInvalidOption(
        await sendUnlimited(url("/s/Items", { $filter: `Id in (${list.join(",")},1)` })),
        "$filter",
        /1000/u,
      );
      const chain = list
        .slice(0, 300)
        .map((id) => `Id eq ${id}`)
        .join(" or ");
      expect((await sendUnlimited(url("/s/Items/$count", { $filter: chain }))).text).toBe("7");
    });

    test("the service lives on", async () => {
      expect((await sendUnlimited("/s/Items/$count")).text).toBe("7");
    });
  });

  describe("header values without end or sense are read in time", () => {
    const HEADERS = [
      "Accept",
      "Accept-Charset",
      "Prefer",
      "If-None-Match",
      "OData-MaxVersion",
      "Content-Type",
      "Authorization",
    ];
    const FILLERS = [" x", ",", '"', ";", "=", "(", "*/*,", "a/b;q=", "application/json;", '\\"', "W/", "maxpagesize="];

    test.each(HEADERS)("%s", async (header) => {
      for (const filler of FILLERS) {
        const value = filler.repeat(Math.floor(12_000 / filler.length)).trim();
        const started = processorTime();
        const answer = await send("/s/Items(1)", { [header]: value });
        expect(answer.status).toBeLessThan(500);
        expect(processorTime() - started).toBeLessThan(10_000);
      }
    });

    test.each([
      ";;;",
      ",,,",
      "/",
      "*",
      "json",
      "application/json;q=2",
      "application/json;q=-1",
      "application/json;q=x",
      "a/b/c",
      '"application/json"',
      "application/json;;;",
    ])("Accept: %s", async (accept) => {
      const answer = await send("/s/Items(1)", { Accept: accept });
      if (answer.status !== 200) expectError(answer, { status: 406, code: "NotAcceptable", target: "Accept" });
    });
  });
});

rawDoor((door) => {
  const send = door.to(service);

  describe("a Host that names no host", () => {
    test.each([
      "a/b",
      "a?b",
      "a#b",
      "user@host",
      "a:b",
      "a:999999",
      "[::1",
      "a b",
      "<x>",
      '"',
      "a,b",
      "x".repeat(300),
      "é",
    ])("%s", async (host) => {
      const answer = await send("/s/Items(1)", { Host: host });
      expectError(answer, { status: 400, code: "InvalidUrl", target: "Host" });
      expect(answer.text).not.toContain(`http://${host}`);
    });

    test.each([
      "localhost",
      "localhost:8080",
      "[::1]:8080",
      "a-b.example",
      "EXAMPLE.com",
      "127.0.0.1",
      "xn--bcher-kva.example",
    ])("a good one: %s", async (host) => {
      const { json } = await send("/s/Items(1)", { Host: host });
      expect(json["@odata.id"]).toBe(`http://${host}/s/Items(1)`);
    });
  });

  describe("targets are used unchanged: nothing is normalised, decoded twice or looked up elsewhere", () => {
    test.each([
      "//s/Items",
      "/s/../s/Items",
      "/s/./Items",
      "/./s/Items",
      "/s\\Items",
      "/s/%2e%2e/s/Items",
      "/s%2FItems",
      "/%73/Items",
      "/s/Items%2F$count",
      "/s/Items;x=1",
      "/s/Items%3F$top=1",
    ])("404: %s", async (path) => {
      expectError(await send(path), { status: 404, code: "NotFound" });
    });

    test("an absolute target is one of this service too", async () => {
      expect((await send("http://service.example/s/Items/$count")).text).toBe("7");
      expect((await send(`${ORIGIN}?x`)).status).toBe(404);
    });

    test.each(["*", "/s/Items#fragment", "/s/Items?a?b?c", "/s/Items??$top=1"])("no failure: %s", async (path) => {
      expect((await send(path)).status).toBeLessThan(500);
    });

    test("segments are split before anything else: a raw slash in quotes ends one, an encoded slash does not", async () => {
      const samples = door.to(sampleService);
      expectError(await samples("/odata/Samples('a/b')"), { status: 400, code: "InvalidUrl", message: /%2F/u });
      expectError(await samples("/odata/Samples('a%2Fb')"), { status: 400, code: "InvalidKey", target: "key" });
    });
  });
});
