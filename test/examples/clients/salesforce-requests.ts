import { EMPTY_RESPONSE, FIRST_ETAG, JSON_RESPONSE, ROOT, SECOND_ETAG, type Exchange } from "../exchanges.ts";

/**
 * Requests of the OData 4.0 adapter of Salesforce Connect, from its documentation, which does not publish the headers in
 * full. It sends `$count`, `$filter`, `$orderby`, `$search`, `$select`, `$skip` and `$top`, and no other option.
 */
const READ = { Accept: "application/json", "OData-Version": "4.0", "OData-MaxVersion": "4.0" };
const WRITE = { ...READ, "Content-Type": "application/json" };

export const SALESFORCE_REQUESTS: readonly Exchange[] = [
  {
    name: "a list",
    request: ["GET", "/Products?$count=true&$select=Id,Name&$orderby=Name%20asc&$top=2"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)","@odata.count":60,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Name":"Product 01"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":2,"Name":"Product 02"}]}`,
    },
  },
  {
    name: "a list without a total",
    request: ["GET", "/Products?$count=false&$select=Id,Name&$top=1"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Name":"Product 01"}]}`,
    },
  },
  {
    name: "the next batch of a list",
    request: ["GET", "/Products?$count=true&$select=Id&$skip=58&$top=201"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":60,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":59},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":60}]}`,
    },
  },
  {
    name: "a record",
    request: ["GET", "/Products?$filter=Id%20eq%203&$select=Id,Name,Price,Released,IsInStock,CategoryId&$top=2"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name,Price,Released,IsInStock,CategoryId)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Name":"Product 03","Price":3.50,"IsInStock":false,"CategoryId":1,"Released":"2026-01-04"}]}`,
    },
  },
  {
    name: "a related list",
    request: ["GET", "/Products?$count=true&$filter=CategoryId%20eq%201&$select=Id&$orderby=Id%20desc&$top=2"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":20,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":60},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":57}]}`,
    },
  },
  {
    name: "a list view with filters",
    request: [
      "GET",
      "/Products?$count=true&$filter=startswith(Name,'Product%201')%20and%20not(Price%20lt%2018)&$select=Id&$top=26",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":18},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":19}]}`,
    },
  },
  {
    name: "a list view with a filter of a timestamp",
    request: ["GET", "/Orders?$filter=OrderedAt%20gt%202026-03-05T00:00:00Z&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6}]}`,
    },
  },
  {
    name: "a list view with a filter of an Int64",
    request: ["GET", "/Orders?$filter=Number%20gt%209007199254740995&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6}]}`,
    },
  },
  {
    name: "a search",
    request: ["GET", "/Products?$count=true&$search=%22Product%2005%22&$select=Id,Name&$top=26"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Name":"Product 05"}]}`,
    },
  },
  {
    name: "a search without `$search`",
    request: ["GET", "/Products?$filter=contains(tolower(Name),%27product%2005%27)&$select=Id&$top=26"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5}]}`,
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
    name: "deletes",
    request: ["DELETE", "/Products(6)"],
    headers: READ,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "deletes again",
    request: ["DELETE", "/Products(6)"],
    headers: READ,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
];
