import { describe, expect, test } from "vitest";
import { FIRST_ETAG, JSON_RESPONSE, ROOT, runExchanges, type Exchange } from "./exchanges.ts";

/**
 * Requests of Tableau for an extract. As documented, Tableau reads the service or one feed, all pages, and nothing else. The
 * documentation omits the headers, so the table has the forms that readers of OData 4 send.
 */
const ACCEPTS = [
  "application/json;odata.metadata=minimal",
  "application/json;q=0.9,application/atom+xml;q=0.8,*/*;q=0.1",
  "application/atomsvc+xml,application/atom+xml,application/xml,application/json,*/*",
  "*/*",
];
const HEADERS = { "OData-MaxVersion": "4.0", "User-Agent": "Tableau" };
const SETS =
  '[{"name":"Categories","kind":"EntitySet","url":"Categories"},{"name":"Products","kind":"EntitySet","url":"Products"},{"name":"Orders","kind":"EntitySet","url":"Orders"}]';

/** Enumerations, dates, timestamps, times and Int64 as Tableau reads them. */
const ORDERS = ["Paid", "Shipped", "New", "Paid", "Shipped", "New"].map(
  (status, index) =>
    `{"@odata.etag":${JSON.stringify(FIRST_ETAG)},"Id":${index + 1},"Customer":"Customer ${index + 1}","Number":${9_007_199_254_740_991n + BigInt(index)},"Status":"${status}","OrderedAt":"2026-03-0${index + 1}T10:30:00.000Z","DueOn":"2026-04-0${index + 1}","OpensAt":"08:0${index + 1}:00","Version":1}`,
);

const EXCHANGES = ACCEPTS.flatMap((accept): readonly Exchange[] => {
  const headers = { ...HEADERS, Accept: accept };
  return [
    {
      name: "the service",
      request: ["GET", ""],
      headers,
      response: {
        status: 200,
        headers: JSON_RESPONSE,
        text: `{"@odata.context":"${ROOT}/$metadata","value":${SETS}}`,
      },
    },
    {
      name: "a feed with values of all types",
      request: ["GET", "/Orders"],
      headers,
      response: {
        status: 200,
        headers: JSON_RESPONSE,
        text: `{"@odata.context":"${ROOT}/$metadata#Orders","value":[${ORDERS.join(",")}]}`,
      },
    },
    {
      name: "a feed",
      request: ["GET", "/Categories"],
      headers,
      response: {
        status: 200,
        headers: JSON_RESPONSE,
        text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"},{"Id":2,"Name":"Tables"},{"Id":3,"Name":"Lamps & more"}]}`,
      },
    },
  ];
});

describe("Tableau", () => {
  const send = runExchanges(EXCHANGES, { pageSize: 25 });

  test.each(ACCEPTS)("reads $metadata as XML, with Accept %s", async (accept) => {
    const { status, headers, text } = await send()("/odata/$metadata", { ...HEADERS, Accept: accept });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/xml");
    expect(text).toContain('<EntitySet Name="Products" EntityType="Shop.Product"');
  });

  test("reads all pages of a feed, each row once, with credentials that the service ignores", async () => {
    const headers = { ...HEADERS, Accept: "*/*", Authorization: "Basic dGFibGVhdTpzZWNyZXQ=" };
    const ids: number[] = [];
    const sizes: number[] = [];
    for (let next: string | undefined = `${ROOT}/Products`; next !== undefined;) {
      const { status, headers: received, json } = await send()(next.slice(ROOT.length - "/odata".length), headers);
      expect(status).toBe(200);
      expect(received).toEqual(JSON_RESPONSE);
      const page = json as {
        readonly value: ReadonlyArray<{ readonly Id: number }>;
        readonly "@odata.nextLink"?: string;
      };
      sizes.push(page.value.length);
      ids.push(...page.value.map(({ Id }) => Id));
      next = page["@odata.nextLink"];
      if (next !== undefined) expect(next).toMatch(new RegExp(`^${ROOT}/Products\\?\\$skiptoken=[\\w%]+$`, "u"));
    }
    expect(sizes).toEqual([25, 25, 10]);
    expect(ids).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });
});
