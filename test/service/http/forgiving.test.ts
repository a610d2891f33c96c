import { describe, expect, test } from "vitest";
import { eachDoor, expectAnswer, expectError, ORIGIN, TEXT_HEADERS, url } from "./doors.ts";
import { idsOf, sampleService } from "./model.ts";

/** The Accept header of each client. */
const CLIENTS: Readonly<Record<string, string>> = {
  UI5: "application/json;odata.metadata=minimal;IEEE754Compatible=true",
  "SAP Cloud SDK": "application/json",
  "odata2ts with big numbers": "application/json;IEEE754Compatible=true",
  Syncfusion: "application/json, text/javascript, */*; q=0.01",
  DevExtreme: "application/json;odata=verbose,text/plain, */*; q=0.01",
  "Breeze 4": "application/json;q=0.9, */*;q=0.1",
  "Breeze 4, $metadata": "application/json;odata.metadata=full",
  "angular-odata": "application/json, text/plain, */*",
  "o.js": "*/*",
  "Power Query":
    "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7",
  "Microsoft.OData.Client": "application/json;odata.metadata=minimal",
  "Microsoft.OData.Client with $select": "application/json;odata.metadata=full",
  "Simple.OData.Client": "application/json, application/xml, application/text",
  "HttpURLConnection of Java": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
  "HttpURLConnection of newer Java": "text/html, image/gif, image/jpeg, */*; q=0.2",
  "many digits": "application/xml, application/json;q=0.33333",
  "no digit before the point": "application/json;q=.8",
  none: "application/*",
  streaming: "application/json;odata.metadata=minimal;odata.streaming=true",
  "odd letters": "Application/JSON; OData.Metadata=Minimal; Charset=UTF-8",
};

eachDoor((door) => {
  const send = door.to(sampleService);
  const ids = async (query: string) => {
    const answer = await send(`/odata/Samples?${query}`);
    return answer.status === 200 ? idsOf(answer.json) : answer.json;
  };

  describe("the Accept header of every client succeeds everywhere", () => {
    test.each(Object.keys(CLIENTS))("%s", async (client) => {
      const headers = { Accept: CLIENTS[client]! };
      for (const path of ["/odata", "/odata/Samples", "/odata/Samples?$select=Id", "/odata/Samples(1)"]) {
        const { status, headers: sent } = await send(path, headers);
        expect([status, sent["content-type"]?.split(";")[0]], path).toEqual([200, "application/json"]);
      }
      const metadata = await send("/odata/$metadata", headers);
      expect([metadata.status, metadata.headers["content-type"]]).toEqual([200, "application/xml"]);
      const count = await send("/odata/Samples/$count", headers);
      expect([count.status, count.headers["content-type"]?.split(";")[0], count.text]).toEqual([
        200,
        "text/plain",
        "6",
      ]);
    });

    test("text/plain for /$count, XML for $metadata, and no Accept at all", async () => {
      expectAnswer(await send("/odata/Samples/$count", { Accept: "text/plain" }), { headers: TEXT_HEADERS, body: "6" });
      expect((await send("/odata/$metadata", { Accept: "application/xml" })).status).toBe(200);
      const { Accept: _, ...nothing } = { Accept: "" };
      expect((await send("/odata/Samples", nothing)).status).toBe(200);
    });

    test("other headers of Power Query and UI5", async () => {
      const headers = {
        Accept: CLIENTS["Power Query"]!,
        "OData-MaxVersion": "4.0",
        MaxDataServiceVersion: "3.0",
        Authorization: "Bearer",
        "Content-Type": "application/json;charset=UTF-8;IEEE754Compatible=true",
        "User-Agent": "Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)",
      };
      expect((await send("/odata/Samples?$top=1000", headers)).status).toBe(200);
    });
  });

  describe("where real clients differ", () => {
    test.each(["/odata/", "/odata/Samples/", "/odata/$metadata/", "/odata/Samples(1)/", "/odata/Samples/$count/"])(
      "a trailing slash: %s",
      async (path) => {
        expect(await send(path)).toEqual(await send(path.slice(0, -1)));
      },
    );

    test("%24 for the dollar sign, %27 for a quote, + for a blank", async () => {
      expect(await ids("%24filter=Text%20eq%20%27Chai%27&%24select=Id")).toEqual([1]);
      expect(await ids("$filter=Text+eq+'Chai'&$orderby=Id+desc")).toEqual([1]);
      expect(await ids("$orderby=Id+desc")).toEqual([6, 5, 4, 3, 2, 1]);
      expect((await send("/odata/Samples/%24count")).text).toBe("6");
      expect((await send("/odata/%24metadata")).status).toBe(200);
      expect((await send("/odata/%53amples(1)")).json["@odata.id"]).toBe(`${ORIGIN}/odata/Samples(1)`);
    });

    test("%2B is a plus sign", async () => {
      expect(await ids("$filter=DateTimeOffset+eq+2024-02-29T11:20:30%2B01:00")).toEqual([1, 5]);
      expect(await ids("$filter=Text eq 'a%2Bb'".replaceAll(" ", "%20"))).toEqual([]);
    });

    test.each<readonly [string, readonly number[]]>([
      ["Contains(Text,'ha')", [1, 2]],
      ["CONTAINS(Text,'ha')", [1, 2]],
      ["startsWith(Text,'Ch')", [1]],
      ["toLower(Text) eq 'chai'", [1]],
      ["indexOf(Text,'ha') eq 1", [1, 2]],
      ["Contains(Text,'ha') eq true", [1, 2]],
      ["true eq contains(Text,'ha')", [1, 2]],
      ["contains(Text,'ha') eq false", [3, 4, 5, 6]],
      ["( (Id eq 1) or (Id eq 2) ) eq true", [1, 2]],
      ["(Id eq 1 or Id eq 2) eq true", [1, 2]],
      ["not(Id eq 1)", [2, 3, 4, 5, 6]],
      ["not (Id eq 1)", [2, 3, 4, 5, 6]],
      ["not  (  Id eq 1  )", [2, 3, 4, 5, 6]],
      ["contains( Text , 'ha' )", [1, 2]],
      ["contains (Text,'ha')", [1, 2]],
      ["Id  eq   1", [1]],
      ["(((Id eq 1)))", [1]],
      ["Id in (1,2)", [1, 2]],
      ["Id in(1,2)", [1, 2]],
      ["Id in ( 1 , 2 )", [1, 2]],
      ["Decimal eq 18m", [1]],
      ["Decimal eq 18M", [1]],
      ["Decimal gt 0m", [1, 2, 3, 5, 6]],
      ["Int64 eq 5L", [1]],
      ["Int64 eq 5l", [1]],
      ["Double eq 2.5d", [1]],
      ["Double eq 2.5D", [1]],
      ["Single eq 0.5f", [1]],
      ["Single eq 0.5F", [1]],
      ["Date eq 2024-02-29T00:00:00Z", [1]],
      ["Date lt 2000-01-01T00:00:00Z", [4, 5]],
      ["Date ge 2024-03-01T00:00:00Z", [2, 3, 6]],
      ["Date ge 2024-03-01T00:00:00.000Z", [2, 3, 6]],
      ["Date eq '2024-02-29'", [1]],
      ["'2024-02-29' eq Date", [1]],
      ["Date in ('2024-02-29',2024-03-01)", [1, 2, 6]],
      ["TimeOfDay eq '08:30:00'", [1]],
      ["DateTimeOffset eq '2024-02-29T11:20:30+01:00'", [1, 5]],
      ["DateTimeOffset ge '2024-03-01'", [3]],
      ["date(DateTimeOffset) eq '2024-02-29'", [1, 5, 6]],
      ["not Id gt 2", [1, 2]],
      ["not Id add 1 gt 3", [1, 2]],
      ["not Id in (1,2,3)", [4, 5, 6]],
      ["not Id gt 2 and Id gt 1", [2]],
      ["not Boolean eq true", [2, 4, 6]],
      ["not length(Text) eq 4", [2, 3, 4, 5, 6]],
      ["contains(tolower(Color),'re')", [1, 2, 4, 5]],
      ["startswith(Color,'Bl')", [3, 6]],
      ["length(MaybeColor) eq 5", [1]],
      ["toupper(concat(Color,'!')) eq 'RED!'", [1, 4]],
      ["Boolean eq TRUE", [1, 3, 5]],
      ["id eq 1 and TEXT eq 'Chai'", [1]],
    ])("%s", async ($filter, expected) => {
      expect(await ids(url("", { $filter, $select: "Id" }).slice(1))).toEqual(expected);
    });

    test("$top=0 and $select=*", async () => {
      expect(await ids("$top=0")).toEqual([]);
      expect((await send("/odata/Samples?$select=*&$top=1")).json.value).toEqual(
        (await send("/odata/Samples?$top=1")).json.value,
      );
    });

    test.each([
      "$top=1",
      "$skip=2",
      "$top=1&$skip=1",
      "$select=Id",
      "$orderby=Id%20desc",
      "$top=0&$skip=1&$select=Id&$orderby=Id",
    ])("/$count with stray options: %s", async (options) => {
      expectAnswer(await send(`/odata/Samples/$count?${options}`), { headers: TEXT_HEADERS, body: "6" });
      const filtered = await send(`/odata/Samples/$count?${options}&$filter=Id%20lt%203`);
      expectAnswer(filtered, { headers: TEXT_HEADERS, body: "2" });
    });

    test("custom options are ignored", async () => {
      expect(await ids("$select=Id&_=1&sap-client=100&callback=x")).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test("HEAD on the root and the sets is harmless", async () => {
      for (const path of ["/odata", "/odata/", "/odata/Samples/", "/odata/Samples"]) {
        expect((await send(path, { "X-CSRF-Token": "Fetch" }, "HEAD")).status).toBe(200);
      }
    });
  });

  describe("never where it would change the response silently", () => {
    test.each(["$Filter=Id eq 1", "$TOP=1", "$filter =Id eq 1"])("the name of an option: %s", async (query) => {
      const answer = await send(`/odata/Samples?${query.replaceAll(" ", "%20")}`);
      expectError(answer, { status: 400, code: "UnsupportedQueryOption", target: query.split("=")[0]! });
    });

    test("set names are case-sensitive", async () => {
      expectError(await send("/odata/samples"), { status: 404, code: "NotFound", message: /Samples/u });
    });

    test.each(["Id EQ 1", "Id eq 1 AND Id eq 2", "NOT (Id eq 1)", "Id eq NULL", "Double eq nan", "Id Eq 1"])(
      "operators and literals: %s",
      async ($filter) => {
        expectError(await send(url("/odata/Samples", { $filter })), {
          status: 400,
          code: "InvalidQueryOption",
          target: "$filter",
        });
      },
    );
  });
});
