import { describe } from "vitest";
import {
  EMPTY_RESPONSE,
  ERROR_RESPONSE,
  FIRST_ETAG,
  JSON_RESPONSE,
  ROOT,
  SECOND_ETAG,
  TEXT_RESPONSE,
  crlf,
  runExchanges,
  type Exchange,
} from "./exchanges.ts";

/**
 * Requests of clients that the SAP Cloud SDK generates. Before each write it asks for a CSRF token twice, by `HEAD`
 * with and without a slash; it names the key, and sends the ETag of the read.
 */
const READ = { Accept: "application/json", "Content-Type": "application/json" };
const TOKEN = { Accept: "application/json", "x-csrf-token": "Fetch" };
const CHANGE = { ...READ, "If-Match": FIRST_ETAG };
const BATCH = { Accept: "multipart/mixed", "Content-Type": "multipart/mixed; boundary=batch_a" };

const EXCHANGES: readonly Exchange[] = [
  {
    name: "asks for a token",
    request: ["HEAD", "/Products/"],
    headers: TOKEN,
    response: { status: 200, headers: JSON_RESPONSE },
  },
  {
    name: "asks for a token without the slash",
    request: ["HEAD", "/Products"],
    headers: TOKEN,
    response: { status: 200, headers: JSON_RESPONSE },
  },
  {
    name: "asks for a token of the service",
    request: ["HEAD", "/"],
    headers: TOKEN,
    response: { status: 200, headers: JSON_RESPONSE },
  },
  {
    name: "filters, sorts, pages and expands",
    request: [
      "GET",
      "/Products?$filter=(Price%20gt%2050%20and%20IsInStock%20eq%20true)&$expand=Category&$orderby=Id%20desc&$top=1&$skip=1",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":58,"Name":"Product 58","Price":58.50,"IsInStock":true,"CategoryId":2,"Version":1,"Released":"2026-01-03","Category":{"Id":2,"Name":"Tables"}}]}`,
    },
  },
  {
    name: "filters with `any`",
    request: ["GET", "/Categories?$filter=(Products/any(a0:(a0/Id%20eq%203)))"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"}]}`,
    },
  },
  {
    name: "counts",
    request: ["GET", "/Products/$count"],
    headers: READ,
    response: { status: 200, headers: TEXT_RESPONSE, text: `60` },
  },
  {
    name: "reads by a named key",
    request: ["GET", "/Products(Id=3)"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: FIRST_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(3)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Name":"Product 03","Price":3.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-04"}`,
    },
  },
  {
    name: "creates",
    request: ["POST", "/Products"],
    headers: READ,
    body: '{"Name":"New","Price":5.5,"IsInStock":true}',
    response: {
      status: 201,
      headers: {
        ...JSON_RESPONSE,
        etag: FIRST_ETAG,
        location: `${ROOT}/Products(61)`,
        "content-location": `${ROOT}/Products(61)`,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(61)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":61,"Name":"New","Price":5.5,"IsInStock":true,"CategoryId":null,"Version":1,"Released":null}`,
    },
  },
  {
    name: "changes",
    request: ["PATCH", "/Products(Id=2)"],
    headers: CHANGE,
    body: '{"Name":"Changed"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Name":"Changed","Price":2.50,"IsInStock":true,"CategoryId":3,"Version":2,"Released":"2026-01-03"}`,
    },
  },
  {
    name: "changes with a stale ETag",
    request: ["PATCH", "/Products(Id=2)"],
    headers: CHANGE,
    body: '{"Name":"Late"}',
    response: {
      status: 412,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"PreconditionFailed","message":"If-Match does not hold. The entity has changed: read it again before you repeat the request."}}`,
    },
  },
  {
    name: "replaces",
    request: ["PUT", "/Products(Id=5)"],
    headers: CHANGE,
    body: '{"Name":"Replaced","Price":5.5,"IsInStock":true}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(5)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":5,"Name":"Replaced","Price":5.5,"IsInStock":true,"CategoryId":null,"Version":2,"Released":null}`,
    },
  },
  {
    name: "deletes",
    request: ["DELETE", "/Products(Id=6)"],
    headers: CHANGE,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "calls a function",
    request: ["GET", "/CountAbove(price=50)"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":11}`,
    },
  },
  {
    name: "calls an action",
    request: ["POST", "/Restock"],
    headers: READ,
    body: '{"categoryId":1}',
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":19}`,
    },
  },
  {
    name: "reads and saves in a batch, with URLs that start with a slash",
    request: ["POST", "/$batch"],
    headers: BATCH,
    body: crlf(
      "--batch_a",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      "GET /Products(Id=1)?$select=Id,Name HTTP/1.1",
      "Content-Type: application/json",
      "Accept: application/json",
      "",
      "",
      "--batch_a",
      "Content-Type: multipart/mixed; boundary=changeset_a",
      "",
      "--changeset_a",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "Content-Id: 6f1d2f0e-9a45-4f0c-8f77-1c1f1f9a4d11",
      "",
      "PATCH /Products(Id=8) HTTP/1.1",
      "Content-Type: application/json",
      "Accept: application/json",
      'If-Match: "Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU="',
      "",
      '{"Name":"Eight"}',
      "--changeset_a--",
      "--batch_a--",
    ),
    response: {
      status: 200,
      headers: {
        ...EMPTY_RESPONSE,
        "content-type": "multipart/mixed; boundary=batchresponse_id",
        "cache-control": "no-store",
      },
      text: crlf(
        "--batchresponse_id",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        "HTTP/1.1 200 OK",
        "OData-Version: 4.0",
        "Content-Type: application/json;odata.metadata=minimal",
        "X-Content-Type-Options: nosniff",
        "Vary: Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
        'ETag: "Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU="',
        "",
        `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)/$entity","@odata.id":"${ROOT}/Products(1)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Name":"Product 01"}`,
        "--batchresponse_id",
        "Content-Type: multipart/mixed; boundary=changesetresponse_id",
        "",
        "--changesetresponse_id",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "Content-ID: 6f1d2f0e-9a45-4f0c-8f77-1c1f1f9a4d11",
        "",
        "HTTP/1.1 200 OK",
        "OData-Version: 4.0",
        "Content-Type: application/json;odata.metadata=minimal",
        "X-Content-Type-Options: nosniff",
        "Vary: Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
        'ETag: "0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8="',
        "",
        `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(8)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":8,"Name":"Eight","Price":8.50,"IsInStock":true,"CategoryId":3,"Version":2,"Released":"2026-01-09"}`,
        "--changesetresponse_id--",
        "--batchresponse_id--",
        "",
      ),
    },
  },
];

describe("SAP Cloud SDK", () => {
  runExchanges(EXCHANGES);
});
