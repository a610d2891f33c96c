import { EMPTY_RESPONSE, FIRST_ETAG, JSON_RESPONSE, ROOT, SECOND_ETAG, crlf, type Exchange } from "../exchanges.ts";

/**
 * Requests of the data source of the type `odata-v4`: each number is a string, the key included; an update replaces
 * the entity; a batch has absolute URLs.
 */
const READ = { Accept: "application/json, text/javascript, */*; q=0.01", "X-Requested-With": "XMLHttpRequest" };
const WRITE = { ...READ, "Content-Type": "application/json;IEEE754Compatible=true" };
const BATCH = {
  Accept: "application/json, text/javascript, */*; q=0.01",
  "Content-Type": "multipart/mixed;boundary=batch_1",
};

export const KENDO_REQUESTS: readonly Exchange[] = [
  {
    name: "lists with filters, an order, a page and a total",
    request: [
      "GET",
      "/Products?%24format=json&%24top=1&%24skip=1&%24orderby=Id+desc&%24filter=(contains(Name%2C%271%27)+and+Price+gt+20)&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":4,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":41,"Name":"Product 41","Price":41.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-14"}]}`,
    },
  },
  {
    name: "filters with `indexof`",
    request: ["GET", "/Products?$format=json&$filter=indexof(Name,%27Product%27)%20eq%20-1&$count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":0,"value":[]}`,
    },
  },
  {
    name: "compares a date with a timestamp of an offset",
    request: [
      "GET",
      "/Products?$format=json&$filter=Released%20ge%202026-01-28T00:00:00%2B00:00&$top=1&$select=Id,Released",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Released)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":27,"Released":"2026-01-28"}]}`,
    },
  },
  {
    name: "creates",
    request: ["POST", "/Products"],
    headers: WRITE,
    body: '{"Id":"0","Name":"New","Price":"5","IsInStock":true,"Released":null}',
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
    name: "replaces, with the key as a string",
    request: ["PUT", "/Products(2)"],
    headers: WRITE,
    body: '{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":"2","Name":"Changed","Price":"2.5","IsInStock":true,"CategoryId":"3","Version":"1","Released":"2026-01-03"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Name":"Changed","Price":2.50,"IsInStock":true,"CategoryId":3,"Version":2,"Released":"2026-01-03"}`,
    },
  },
  {
    name: "ignores another key in the body, since the database makes the keys",
    request: ["PUT", "/Products(2)"],
    headers: WRITE,
    body: '{"Id":"3","Name":"Other","Price":"2.5","IsInStock":true}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: '"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8="' },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8=\\"","Id":2,"Name":"Other","Price":2.50,"IsInStock":true,"CategoryId":null,"Version":3,"Released":null}`,
    },
  },
  {
    name: "deletes",
    request: ["DELETE", "/Products(4)"],
    headers: WRITE,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "saves a change set",
    request: ["POST", "/$batch"],
    headers: BATCH,
    body: crlf(
      "--batch_1",
      "Content-Type: multipart/mixed; boundary=changeset_1",
      "",
      "--changeset_1",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "Content-ID: 1",
      "",
      `PUT ${ROOT}/Products(5) HTTP/1.1`,
      "Content-Type: application/json;IEEE754Compatible=true",
      "Prefer: return=representation",
      "",
      '{"Id":"5","Name":"Five","Price":"5.5","IsInStock":true}',
      "--changeset_1",
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      "Content-ID: 2",
      "",
      `DELETE ${ROOT}/Products(6) HTTP/1.1`,
      "Content-Type: application/json;IEEE754Compatible=true",
      "Prefer: return=representation",
      "",
      "--changeset_1--",
      "",
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
        "Content-Type: multipart/mixed; boundary=changesetresponse_id",
        "",
        "--changesetresponse_id",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "Content-ID: 1",
        "",
        "HTTP/1.1 200 OK",
        "OData-Version: 4.0",
        "Content-Type: application/json;odata.metadata=minimal",
        "X-Content-Type-Options: nosniff",
        "Vary: Accept, Accept-Charset, Prefer, OData-MaxVersion, Authorization",
        'ETag: "0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8="',
        "Preference-Applied: return=representation",
        "",
        `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(5)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":5,"Name":"Five","Price":5.50,"IsInStock":true,"CategoryId":null,"Version":2,"Released":null}`,
        "--changesetresponse_id",
        "Content-Type: application/http",
        "Content-Transfer-Encoding: binary",
        "Content-ID: 2",
        "",
        "HTTP/1.1 204 No Content",
        "OData-Version: 4.0",
        "",
        "",
        "--changesetresponse_id--",
        "--batchresponse_id--",
        "",
      ),
    },
  },
];
