import {
  EMPTY_RESPONSE,
  FIRST_ETAG,
  JSON_RESPONSE,
  ROOT,
  SECOND_ETAG,
  TEXT_RESPONSE,
  crlf,
  type Exchange,
} from "../exchanges.ts";

/**
 * Requests of small clients: angular-odata, o.js, odata-query, odata-client, @odata/client, ts-odata-client and
 * ra-data-odata-server.
 */
const ANGULAR = { Accept: "application/json, text/plain, */*" };
const ANGULAR_WRITE = { ...ANGULAR, "Content-Type": "application/json" };
const ANY = { Accept: "*/*" };
const ANY_WRITE = { ...ANY, "Content-Type": "application/json" };
const NONE = {};
const JSON_ONLY = { Accept: "application/json" };
const BATCH = { Accept: "application/json", "Content-Type": "multipart/mixed; boundary=batch_1" };

export const SCRIPT_CLIENT_REQUESTS: readonly Exchange[] = [
  {
    name: "angular-odata lists",
    request: [
      "GET",
      "/Products?$select=Id,Name&$filter=contains(Name,%20%271%27)%20and%20Price%20gt%2020&$expand=Category($select=Name)&$orderby=Id%20desc&$top=1&$skip=1&$count=true",
    ],
    headers: ANGULAR,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name,Category(Name))","@odata.count":4,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":41,"Name":"Product 41","Category":{"@odata.id":"${ROOT}/Categories(3)","Name":"Lamps & more"}}]}`,
    },
  },
  {
    name: "angular-odata counts",
    request: ["GET", "/Products/$count"],
    headers: ANGULAR,
    response: { status: 200, headers: TEXT_RESPONSE, text: `60` },
  },
  {
    name: "angular-odata changes",
    request: ["PATCH", "/Products(2)"],
    headers: { ...ANGULAR_WRITE, "If-Match": FIRST_ETAG },
    body: '{"Name":"Changed"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Name":"Changed","Price":2.50,"IsInStock":true,"CategoryId":3,"Version":2,"Released":"2026-01-03"}`,
    },
  },
  {
    name: "angular-odata calls an action",
    request: ["POST", "/Products(3)/Shop.Discount"],
    headers: ANGULAR_WRITE,
    body: '{"percent":50}',
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "o.js lists with encoded names of options",
    request: ["GET", "/Products?%24filter=Price+gt+50&%24orderby=Id&%24top=1&%24select=Id%2CName"],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":50,"Name":"Product 50"}]}`,
    },
  },
  {
    name: "o.js creates",
    request: ["POST", "/Products"],
    headers: ANY_WRITE,
    body: '{"Name":"New","Price":5,"IsInStock":true}',
    response: {
      status: 201,
      headers: {
        ...JSON_RESPONSE,
        etag: FIRST_ETAG,
        location: `${ROOT}/Products(61)`,
        "content-location": `${ROOT}/Products(61)`,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(61)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":61,"Name":"New","Price":5.00,"IsInStock":true,"CategoryId":null,"Version":1,"Released":null}`,
    },
  },
  {
    name: "odata-query filters with `in`, and `or` in parentheses",
    request: [
      "GET",
      "/Products?$filter=contains(Name,'1')%20and%20((Price%20gt%2020)%20or%20(IsInStock%20eq%20false))%20and%20(Id%20in%20(1,15,31))&$orderby=Id%20desc&$select=Id&$count=true&$top=2",
    ],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":31},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":15}]}`,
    },
  },
  {
    name: "odata-query expands with nested options",
    request: [
      "GET",
      "/Categories?$expand=Products($select=Id;$top=1;$orderby=Id%20desc;$filter=Id%20lt%2010;$expand=Category($select=Name))&$filter=not%20(Name%20eq%20'Tables')&$select=Id",
    ],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories(Id,Products(Id,Category(Name)))","value":[{"Id":1,"Products":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":9,"Category":{"@odata.id":"${ROOT}/Categories(1)","Name":"Chairs"}}]},{"Id":3,"Products":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":8,"Category":{"@odata.id":"${ROOT}/Categories(3)","Name":"Lamps & more"}}]}]}`,
    },
  },
  {
    name: "odata-query filters with a variable named as the property",
    request: ["GET", "/Categories?$filter=Products/any(products:products/Id%20eq%203)"],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"}]}`,
    },
  },
  {
    name: "odata-query filters with a variable of the letters of the property",
    request: ["GET", "/Categories?$filter=Products/any(Products:Products/Id%20eq%203)"],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"}]}`,
    },
  },
  {
    name: "odata-query counts with a filter",
    request: ["GET", "/Products/$count?$filter=Price%20gt%2050"],
    headers: ANY,
    response: { status: 200, headers: TEXT_RESPONSE, text: `11` },
  },
  {
    name: "odata-query groups",
    request: ["GET", "/Products?$apply=groupby((CategoryId),aggregate(Price%20with%20sum%20as%20Total))"],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(CategoryId,Total)","value":[{"CategoryId":null,"Total@odata.type":"#Decimal","Total":5.00},{"CategoryId":1,"Total@odata.type":"#Decimal","Total":638.25},{"CategoryId":2,"Total@odata.type":"#Decimal","Total":600.00},{"CategoryId":3,"Total@odata.type":"#Decimal","Total":620.00}]}`,
    },
  },
  {
    name: "odata-client counts with options of a list",
    request: ["GET", "/Products/$count?$top=1&$skip=2&$select=Id&$orderby=Id%20desc"],
    headers: NONE,
    response: { status: 200, headers: TEXT_RESPONSE, text: `61` },
  },
  {
    name: "odata-client lists",
    request: ["GET", "/Categories?$orderby=Name%20desc&$top=1"],
    headers: NONE,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":2,"Name":"Tables"}]}`,
    },
  },
  {
    name: "@odata/client lists with `or` in parentheses",
    request: [
      "GET",
      "/Products?$filter=(Id%20eq%201%20or%20Id%20eq%202%20or%20Id%20eq%203)%20and%20IsInStock%20eq%20true&$orderby=Id%20desc&$select=Id",
    ],
    headers: JSON_ONLY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1}]}`,
    },
  },
  {
    name: "@odata/client counts",
    request: ["GET", "/Products?$top=1&$count=true&$select=Id"],
    headers: JSON_ONLY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":61,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1}]}`,
    },
  },
  {
    name: "@odata/client sends a batch, and accepts JSON only",
    request: ["POST", "/$batch"],
    headers: BATCH,
    body: crlf(
      "--batch_1",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      "GET Categories(1) HTTP/1.1",
      "Accept: application/json",
      "",
      "",
      "--batch_1",
      "Content-Type: multipart/mixed; boundary=changeset_1",
      "",
      "--changeset_1",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "",
      "POST Products HTTP/1.1",
      "Accept: application/json",
      "Content-Type: application/json",
      "",
      '{"Name":"Batched","Price":5,"IsInStock":true}',
      "",
      "--changeset_1--",
      "--batch_1--",
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
        "",
        `{"@odata.context":"${ROOT}/$metadata#Categories/$entity","@odata.id":"${ROOT}/Categories(1)","Id":1,"Name":"Chairs"}`,
        "--batchresponse_id",
        "Content-Type: multipart/mixed; boundary=changesetresponse_id",
        "",
        "--changesetresponse_id",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "",
        "HTTP/1.1 201 Created",
        "OData-Version: 4.0",
        "Content-Type: application/json;odata.metadata=minimal",
        "X-Content-Type-Options: nosniff",
        "Vary: Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
        'ETag: "Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU="',
        `Location: ${ROOT}/Products(62)`,
        `Content-Location: ${ROOT}/Products(62)`,
        "",
        `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(62)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":62,"Name":"Batched","Price":5.00,"IsInStock":true,"CategoryId":null,"Version":1,"Released":null}`,
        "--changesetresponse_id--",
        "--batchresponse_id--",
        "",
      ),
    },
  },
  {
    name: "ts-odata-client filters with `startsWith`",
    request: ["GET", "/Products?$filter=startsWith(Name,'Product%205')%20and%20Id%20gt%2058&$select=Id"],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":59}]}`,
    },
  },
  {
    name: "ra-data-odata-server lists",
    request: [
      "GET",
      "/Products?$filter=Contains(Name,%271%27)%20eq%20true&$orderby=Id%20desc&$skip=1&$top=1&$count=true",
    ],
    headers: JSON_ONLY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":15,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":41,"Name":"Product 41","Price":41.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-14"}]}`,
    },
  },
  {
    name: "ra-data-odata-server reads several",
    request: ["GET", "/Categories?$filter=(%20(Id%20eq%201)%20or%20(Id%20eq%202)%20)%20eq%20true"],
    headers: JSON_ONLY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"},{"Id":2,"Name":"Tables"}]}`,
    },
  },
  {
    name: "ra-data-odata-server searches",
    request: ["GET", "/Products?$search=product%2005&$orderby=Id%20asc&$skip=0&$top=1&$count=true&$select=Id"],
    headers: JSON_ONLY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5}]}`,
    },
  },
  {
    name: "a form of URLSearchParams: blanks as plus signs",
    request: ["GET", "/Products?%24filter=Name+eq+%27Product+05%27&%24select=Id"],
    headers: ANY,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5}]}`,
    },
  },
];
