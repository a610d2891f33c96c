import { describe, expect, test } from "vitest";
import { type Answer, eachFramework, type HeaderTable, nodeDoor } from "../../service/http/doors.ts";
import { batchBody, JSON_TYPE, orderService } from "./hosts.ts";

const BATCH = { "Content-Type": "multipart/mixed; boundary=b" };

/** Requests in their order: a later one sees the writes of the earlier ones. */
const REQUESTS: ReadonlyArray<readonly [string, string, HeaderTable?, string?]> = [
  ["GET", "/odata"],
  ["GET", "/odata/$metadata"],
  ["HEAD", "/odata/$metadata"],
  ["GET", "/odata/Orders?$filter=Name%20eq%20'order%202'&$count=true"],
  ["GET", "/odata/Orders?$select=Name&$orderby=Id%20desc&$top=1"],
  ["GET", "/odata/Orders/$count"],
  ["GET", "/odata/Orders(1)"],
  ["GET", "/odata/Orders(1)/Name/$value"],
  ["GET", "/odata/Orders(1)", { Accept: "application/json;odata.metadata=full" }],
  ["GET", "/odata/Orders(99)"],
  ["GET", "/odata/Orders('x')"],
  ["GET", "/odata/Orders('%zz')"],
  ["GET", "/odata//Orders"],
  ["GET", "/odata/Orders?$filter=Nam%20eq%201"],
  ["GET", "/odata/Orders", { Accept: "text/csv" }],
  ["GET", "/odata/Orders", { "OData-MaxVersion": "3.0" }],
  ["POST", "/odata/Orders", JSON_TYPE, '{"Id":9007199254740993,"Name":"é \\u0000","Price":1.25}'],
  ["POST", "/odata/Orders", JSON_TYPE, '{"Id":11,"Id":12,"Name":"a"}'],
  ["POST", "/odata/Orders", JSON_TYPE, "{"],
  ["POST", "/odata/Orders", JSON_TYPE],
  ["POST", "/odata/Orders", { "Content-Type": "text/plain" }, "{}"],
  ["POST", "/odata/Orders", { ...JSON_TYPE, Prefer: "return=minimal" }, '{"Id":13,"Name":"b"}'],
  ["POST", "/odata/$batch", BATCH, batchBody(["GET Orders(1)", "GET Orders(99)"])],
  ["DELETE", "/odata/Orders(1)"],
  ["PROPFIND", "/odata/Orders"],
  ["OPTIONS", "/odata/Orders"],
  ["GET", "/odata/Nowhere"],
  ["GET", "/elsewhere"],
];

/** Replaces the boundary of a batch, which is random. */
function withoutBoundary({ status, headers, text, json }: Answer): unknown {
  const boundary = /boundary=(\S+)/u.exec(headers["content-type"] ?? "")?.[1] ?? "no boundary";
  return JSON.parse(JSON.stringify({ status, headers, text, json }).replaceAll(boundary, "boundary"));
}

describe("each framework returns the responses of node:http", () => {
  eachFramework((door) => {
    test("byte by byte", async () => {
      const [own, other] = [door.to(orderService().service), nodeDoor.to(orderService().service)];
      for (const [method, target, headers, body] of REQUESTS) {
        const sent = { "X-Request-Id": "same", ...headers };
        const [answer, expected] = [await own(target, sent, method, body), await other(target, sent, method, body)];
        expect(withoutBoundary(answer), `${method} ${target}`).toEqual(withoutBoundary(expected));
      }
    });
  });
});
