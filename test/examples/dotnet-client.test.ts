import { describe, expect, test } from "vitest";
import { received } from "../service/http/batch-model.ts";
import {
  EMPTY_RESPONSE,
  ERROR_RESPONSE,
  FIRST_ETAG,
  JSON_RESPONSE,
  ROOT,
  SECOND_ETAG,
  TEXT_RESPONSE,
  runExchanges,
  type Exchange,
} from "./exchanges.ts";

/**
 * Requests of Microsoft.OData.Client 7 and 8, from its source. Its reader of JSON needs `@odata.context` as the first member,
 * with an absolute URL, and `OData-Version`; it follows `Location`, and keeps `ETag` for later changes.
 */
const COMMON = { "OData-MaxVersion": "4.0", "Accept-Charset": "UTF-8", "User-Agent": "Microsoft.OData.Client/8.4.0" };
const READ = { ...COMMON, Accept: "application/json;odata.metadata=minimal" };
/** With `$select`, the client needs the types and links of entities. */
const SELECT = { ...COMMON, Accept: "application/json;odata.metadata=full" };
const WRITE = { ...READ, "OData-Version": "4.0", "Content-Type": "application/json;odata.metadata=minimal" };

const EXCHANGES: readonly Exchange[] = [
  {
    name: "filters and sorts",
    request: ["GET", "/Products?$filter=Price%20lt%2010%20and%20contains(Name,'0')&$orderby=Name%20desc&$top=1"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Products","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":9,"Name":"Product 09","Price":9.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-10"}]}`,
    },
  },
  {
    name: "selects",
    request: ["GET", "/Products?$filter=Id%20eq%202&$select=Id,Name"],
    headers: SELECT,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=full;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)","value":[{"@odata.type":"#Shop.Product","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","@odata.editLink":"${ROOT}/Products(2)","Id@odata.type":"#Int32","Id":2,"Name":"Product 02"}]}`,
    },
  },
  {
    name: "reads by key, with a related entity",
    request: ["GET", "/Products(3)?$expand=Category"],
    headers: READ,
    response: {
      status: 200,
      headers: {
        ...JSON_RESPONSE,
        "content-type": "application/json;odata.metadata=minimal;charset=utf-8",
        etag: FIRST_ETAG,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(3)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Name":"Product 03","Price":3.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-04","Category":{"Id":1,"Name":"Chairs"}}`,
    },
  },
  {
    name: "filters with `Contains` of a list",
    request: ["GET", "/Categories?$filter=Id%20in%20(1,3)"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"},{"Id":3,"Name":"Lamps & more"}]}`,
    },
  },
  {
    name: "counts with `Count()`",
    request: ["GET", "/Products/$count?$filter=IsInStock%20eq%20true"],
    headers: { ...COMMON, Accept: "text/plain" },
    response: { status: 200, headers: { ...TEXT_RESPONSE, "content-type": "text/plain;charset=utf-8" }, text: `40` },
  },
  {
    name: "counts with `IncludeCount()`",
    request: ["GET", "/Products?$count=true&$top=0"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":60,"value":[]}`,
    },
  },
  {
    name: "loads a property",
    request: ["GET", "/Products(3)/Category"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Categories/$entity","@odata.id":"${ROOT}/Categories(1)","Id":1,"Name":"Chairs"}`,
    },
  },
  {
    name: "reads an entity that does not exist",
    request: ["GET", "/Products(99)"],
    headers: READ,
    response: {
      status: 404,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"NotFound","message":"Products has no entity with the key (99)."}}`,
    },
  },
  {
    name: "calls a function",
    request: ["GET", "/CountAbove(price=50)"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":11}`,
    },
  },
  {
    name: "creates",
    request: ["POST", "/Products"],
    headers: WRITE,
    body: '{"@odata.type":"#Shop.Product","CategoryId":1,"Id":0,"IsInStock":true,"Name":"New","Price":5,"Released":"2026-01-02","Version":1}',
    response: {
      status: 201,
      headers: {
        ...JSON_RESPONSE,
        "content-type": "application/json;odata.metadata=minimal;charset=utf-8",
        etag: FIRST_ETAG,
        location: `${ROOT}/Products(61)`,
        "content-location": `${ROOT}/Products(61)`,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(61)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":61,"Name":"New","Price":5.00,"IsInStock":true,"CategoryId":1,"Version":1,"Released":"2026-01-02"}`,
    },
  },
  {
    name: "changes",
    request: ["PATCH", "/Products(2)"],
    headers: { ...WRITE, "If-Match": FIRST_ETAG },
    body: '{"@odata.type":"#Shop.Product","CategoryId":1,"Id":2,"IsInStock":true,"Name":"Changed","Price":2.5,"Released":"2026-01-02","Version":1}',
    response: {
      status: 200,
      headers: {
        ...JSON_RESPONSE,
        "content-type": "application/json;odata.metadata=minimal;charset=utf-8",
        etag: SECOND_ETAG,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Name":"Changed","Price":2.50,"IsInStock":true,"CategoryId":1,"Version":2,"Released":"2026-01-02"}`,
    },
  },
  {
    name: "changes what another client has changed",
    request: ["PATCH", "/Products(2)"],
    headers: { ...WRITE, "If-Match": FIRST_ETAG },
    body: '{"@odata.type":"#Shop.Product","CategoryId":1,"Id":2,"IsInStock":true,"Name":"Late","Price":2.5,"Released":"2026-01-02","Version":1}',
    response: {
      status: 412,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"PreconditionFailed","message":"If-Match does not hold. The entity has changed: read it again before you repeat the request."}}`,
    },
  },
  {
    name: "changes, and wants no entity",
    request: ["PATCH", "/Products(5)"],
    headers: { ...WRITE, Prefer: "return=minimal", "If-Match": FIRST_ETAG },
    body: '{"@odata.type":"#Shop.Product","CategoryId":1,"Id":5,"IsInStock":true,"Name":"Five","Price":5.5,"Released":"2026-01-02","Version":1}',
    response: {
      status: 204,
      headers: {
        ...EMPTY_RESPONSE,
        etag: SECOND_ETAG,
        "odata-entityid": `${ROOT}/Products(5)`,
        "preference-applied": "return=minimal",
      },
    },
  },
  {
    name: "replaces",
    request: ["PUT", "/Products(7)"],
    headers: { ...WRITE, "If-Match": FIRST_ETAG },
    body: '{"@odata.type":"#Shop.Product","CategoryId":1,"Id":7,"IsInStock":true,"Name":"Replaced","Price":7.5,"Released":"2026-01-02","Version":1}',
    response: {
      status: 200,
      headers: {
        ...JSON_RESPONSE,
        "content-type": "application/json;odata.metadata=minimal;charset=utf-8",
        etag: SECOND_ETAG,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(7)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":7,"Name":"Replaced","Price":7.50,"IsInStock":true,"CategoryId":1,"Version":2,"Released":"2026-01-02"}`,
    },
  },
  {
    name: "sets a link",
    request: ["PUT", "/Products(3)/Category/$ref"],
    headers: WRITE,
    body: `{"@odata.id":"${ROOT}/Categories(2)"}`,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "adds a link",
    request: ["POST", "/Categories(2)/Products/$ref"],
    headers: WRITE,
    body: `{"@odata.id":"${ROOT}/Products(12)"}`,
    response: { status: 204, headers: { ...EMPTY_RESPONSE, "odata-entityid": `${ROOT}/Products(12)` } },
  },
  {
    name: "reads what it has linked",
    request: ["GET", "/Categories(2)/Products?$filter=Id%20eq%2012&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":12}]}`,
    },
  },
  {
    name: "removes a link",
    request: ["DELETE", `/Categories(2)/Products/$ref?$id=${ROOT}/Products(12)`],
    headers: READ,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "announces OData 4.01",
    request: ["GET", "/Categories?$top=1"],
    headers: { ...READ, "OData-MaxVersion": "4.01" },
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"}]}`,
    },
  },
  {
    name: "calls a function of an entity",
    request: ["GET", "/Products(3)/Shop.PriceAfter(percent=10)"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;charset=utf-8" },
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Decimal","value":3.15}`,
    },
  },
  {
    name: "creates with a link",
    request: ["POST", "/Products"],
    headers: WRITE,
    body: `{"@odata.type":"#Shop.Product","Id":0,"IsInStock":true,"Name":"Bound","Price":5,"Category@odata.bind":"${ROOT}/Categories(2)"}`,
    response: {
      status: 201,
      headers: {
        ...JSON_RESPONSE,
        "content-type": "application/json;odata.metadata=minimal;charset=utf-8",
        etag: FIRST_ETAG,
        location: `${ROOT}/Products(62)`,
        "content-location": `${ROOT}/Products(62)`,
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(62)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":62,"Name":"Bound","Price":5.00,"IsInStock":true,"CategoryId":2,"Version":1,"Released":null}`,
    },
  },
  {
    name: "calls an action",
    request: ["POST", "/Products(4)/Shop.Discount"],
    headers: WRITE,
    body: '{"percent":50}',
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "deletes",
    request: ["DELETE", "/Products(6)"],
    headers: { ...READ, "OData-Version": "4.0", "If-Match": FIRST_ETAG },
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
];

/** The body of `SaveChanges(SaveChangesOptions.BatchWithSingleChangeset)`: each change with its id and an absolute URL. */
function changeSet(...changes: ReadonlyArray<readonly [request: string, body: string, etag?: string]>): string {
  const parts = changes.map(([request, body, etag], index) =>
    [
      "--changeset_36522ad7",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      `Content-ID: ${String(index + 3)}`,
      "",
      `${request} HTTP/1.1`,
      ...Object.entries({ ...WRITE, ...(etag === undefined ? {} : { "If-Match": etag }) }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
      "",
      body,
    ].join("\r\n"),
  );
  const start = ["--batch_36522ad7", "Content-Type: multipart/mixed; boundary=changeset_36522ad7", ""];
  return [...start, ...parts, "--changeset_36522ad7--", "--batch_36522ad7--", ""].join("\r\n");
}

describe("Microsoft.OData.Client", () => {
  const send = runExchanges(EXCHANGES);
  const save = (body: string) =>
    send()(
      "/odata/$batch",
      {
        ...COMMON,
        Accept: "multipart/mixed",
        "OData-Version": "4.0",
        "Content-Type": "multipart/mixed; boundary=batch_36522ad7",
      },
      "POST",
      body,
    );
  const created = '{"@odata.type":"#Shop.Product","Id":0,"IsInStock":true,"Name":"Batched","Price":5}';

  test("saves changes in one change set", async () => {
    const { status, headers, text } = await save(
      changeSet(
        [`PATCH ${ROOT}/Products(8)`, '{"@odata.type":"#Shop.Product","Name":"Eight"}', FIRST_ETAG],
        [`POST ${ROOT}/Products`, created],
        ["PUT $4/Category/$ref", `{"@odata.id":"${ROOT}/Categories(2)"}`],
        [`DELETE ${ROOT}/Products(9)`, "", FIRST_ETAG],
      ),
    );
    expect(status).toBe(200);
    const [set] = received(headers["content-type"], text);
    expect(set).toMatchObject([
      { id: "3", status: 200, headers: { ETag: SECOND_ETAG, "OData-Version": "4.0" }, json: { Name: "Eight" } },
      // The request after it changes the product.
      { id: "4", status: 201, headers: { ETag: SECOND_ETAG }, json: { Name: "Batched" } },
      { id: "5", status: 204 },
      { id: "6", status: 204 },
    ]);
  });

  test("saves nothing of a change set with a stale ETag", async () => {
    const { status, headers, text } = await save(
      changeSet(
        [`POST ${ROOT}/Products`, created.replace("Batched", "Not saved")],
        [`PATCH ${ROOT}/Products(8)`, '{"@odata.type":"#Shop.Product","Name":"Late"}', FIRST_ETAG],
      ),
    );
    expect(status).toBe(200);
    expect(received(headers["content-type"], text)).toMatchObject([
      { id: "4", status: 412, json: { error: { code: "PreconditionFailed" } } },
    ]);
    const found = await send()("/odata/Products/$count?$filter=Name%20eq%20'Not%20saved'", { Accept: "text/plain" });
    expect(found.text).toBe("0");
  });
});
