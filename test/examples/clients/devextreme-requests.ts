import {
  EMPTY_RESPONSE,
  ERROR_RESPONSE,
  FIRST_ETAG,
  JSON_RESPONSE,
  ROOT,
  SECOND_ETAG,
  type Exchange,
} from "../exchanges.ts";

/**
 * Requests of `ODataStore`: it asks for the verbose JSON of OData 2, marks decimals with `m` and long integers with
 * `L`, compares dates with timestamps, and sends `null` as the body of a DELETE.
 */
const READ = { Accept: "application/json;odata=verbose,text/plain, */*; q=0.01" };
const WRITE = { ...READ, "Content-Type": "application/json;odata=verbose" };

export const DEVEXTREME_REQUESTS: readonly Exchange[] = [
  {
    name: "lists with typed literals, an expansion, a page and a total",
    request: [
      "GET",
      "/Products?$filter=(contains(tolower(Name),%271%27))%20and%20(Price%20gt%2020m)&$orderby=Id%20desc&$expand=Category&$select=Id,Name,Category&$skip=1&$top=1&$count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name,Category)","@odata.count":4,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":41,"Name":"Product 41","Category":{"Id":3,"Name":"Lamps & more"}}]}`,
    },
  },
  {
    name: "compares a date with a timestamp",
    request: ["GET", "/Products?$filter=(Released%20ge%202026-01-28T00:00:00Z)&$select=Id,Released&$top=1"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Released)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":27,"Released":"2026-01-28"}]}`,
    },
  },
  {
    name: "compares an integer with a long one",
    request: ["GET", "/Products?$filter=Id%20eq%205L&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5}]}`,
    },
  },
  {
    name: "counts",
    request: ["GET", "/Products?$filter=IsInStock%20eq%20true&$top=0&$count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":40,"value":[]}`,
    },
  },
  {
    name: "reads by key",
    request: ["GET", "/Products(3)"],
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
    headers: WRITE,
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
    name: "changes",
    request: ["PATCH", "/Products(2)"],
    headers: WRITE,
    body: '{"Name":"Changed"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Name":"Changed","Price":2.50,"IsInStock":true,"CategoryId":3,"Version":2,"Released":"2026-01-03"}`,
    },
  },
  {
    name: "deletes, with null as the body",
    request: ["DELETE", "/Products(4)"],
    headers: { ...WRITE, "Content-Length": "4" },
    body: "null",
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
    headers: WRITE,
    body: '{"categoryId":1}',
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":20}`,
    },
  },
  {
    name: "calls an action of an entity, whose slash it encodes",
    request: ["POST", "/Products(3)%2FDiscount"],
    headers: WRITE,
    body: '{"percent":50}',
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"InvalidUrl","message":"The path segment \\"Products(3)/Discount\\" at position 1 continues after its closing parenthesis with \\"/Discount\\": start the next segment with a slash."}}`,
    },
  },
  {
    name: "exports more rows than a page has",
    request: ["GET", "/Products?$top=10000"],
    headers: READ,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"InvalidQueryOption","message":"$top must not exceed 1000 here: request at most 1000, or omit $top and follow @odata.nextLink.","target":"$top"}}`,
    },
  },
];
