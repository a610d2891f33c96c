import {
  EMPTY_RESPONSE,
  ERROR_RESPONSE,
  FIRST_ETAG,
  JSON_RESPONSE,
  ROOT,
  SECOND_ETAG,
  TEXT_RESPONSE,
  type Exchange,
} from "../exchanges.ts";

/**
 * Requests of Simple.OData.Client 6, from its source. It reads by the library of Microsoft, so `@odata.context` must come
 * first. Where `$metadata` names the properties of an ETag, it sends `If-Match: *`.
 */
const READ = { Accept: "application/json, application/xml, application/text" };
const WRITE = {
  ...READ,
  "Content-Type": "application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8",
};
const CREATE = { ...WRITE, Prefer: "return=representation" };
const CHANGE = { ...CREATE, "If-Match": "*" };

export const SIMPLE_ODATA_CLIENT_REQUESTS: readonly Exchange[] = [
  {
    name: "filters, sorts, pages and selects",
    request: [
      "GET",
      "/Products?$filter=contains%28Name%2C%271%27%29%20and%20Price%20gt%2020&$orderby=Id%20desc&$skip=1&$top=1&$select=Id%2CName",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":41,"Name":"Product 41"}]}`,
    },
  },
  {
    name: "filters by an enumeration",
    request: ["GET", "/Orders?$filter=Status%20eq%20Shop.Status%27Paid%27&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4}]}`,
    },
  },
  {
    name: "filters by an enumeration without its type",
    request: ["GET", "/Orders?$filter=Status%20eq%20%27Paid%27&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4}]}`,
    },
  },
  {
    name: "filters a date by a timestamp",
    request: ["GET", "/Orders?$filter=DueOn%20ge%202026-04-05T00%3A00%3A00Z&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6}]}`,
    },
  },
  {
    name: "filters by a timestamp",
    request: ["GET", "/Orders?$filter=OrderedAt%20gt%202026-03-05T00%3A00%3A00Z&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6}]}`,
    },
  },
  {
    name: "filters by an Int64",
    request: ["GET", "/Orders?$filter=Number%20gt%209007199254740995&$select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6}]}`,
    },
  },
  {
    name: "expands",
    request: ["GET", "/Products?$filter=Id%20eq%203&$expand=Category"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Name":"Product 03","Price":3.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-04","Category":{"Id":1,"Name":"Chairs"}}]}`,
    },
  },
  {
    name: "counts beside a page",
    request: ["GET", "/Products?$top=1&$select=Id&$count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","@odata.count":60,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1}]}`,
    },
  },
  {
    name: "counts",
    request: ["GET", "/Products/$count?$filter=IsInStock%20eq%20true"],
    headers: {},
    response: { status: 200, headers: TEXT_RESPONSE, text: `40` },
  },
  {
    name: "searches",
    request: ["GET", "/Products?$search=product%20%220%22&$top=1&$select=Name"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Name)","value":[{"@odata.id":"${ROOT}/Products(1)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Name":"Product 01"}]}`,
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
    name: "reads by a named key",
    request: ["GET", "/Categories(Id=1)"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories/$entity","@odata.id":"${ROOT}/Categories(1)","Id":1,"Name":"Chairs"}`,
    },
  },
  {
    name: "follows a navigation",
    request: ["GET", "/Products(3)/Category"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
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
    headers: {},
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":11}`,
    },
  },
  {
    name: "calls a function of an entity",
    request: ["GET", "/Products(3)/Shop.PriceAfter(percent=10)"],
    headers: {},
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Decimal","value":3.15}`,
    },
  },
  {
    name: "calls a function of a set",
    request: ["GET", "/Products/Shop.HighestId()"],
    headers: {},
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":60}`,
    },
  },
  {
    name: "creates",
    request: ["POST", "/Products"],
    headers: CREATE,
    body: '{"Name":"New","Price":5,"IsInStock":true}',
    response: {
      status: 201,
      headers: {
        ...JSON_RESPONSE,
        etag: FIRST_ETAG,
        location: `${ROOT}/Products(61)`,
        "content-location": `${ROOT}/Products(61)`,
        "preference-applied": "return=representation",
      },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(61)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":61,"Name":"New","Price":5.00,"IsInStock":true,"CategoryId":null,"Version":1,"Released":null}`,
    },
  },
  {
    name: "creates, and wants no entity",
    request: ["POST", "/Products"],
    headers: { ...WRITE, Prefer: "return=minimal" },
    body: '{"Name":"New","Price":5,"IsInStock":true}',
    response: {
      status: 204,
      headers: {
        ...EMPTY_RESPONSE,
        etag: FIRST_ETAG,
        location: `${ROOT}/Products(62)`,
        "content-location": `${ROOT}/Products(62)`,
        "odata-entityid": `${ROOT}/Products(62)`,
        "preference-applied": "return=minimal",
      },
    },
  },
  {
    name: "changes",
    request: ["PATCH", "/Products(2)"],
    headers: CHANGE,
    body: '{"Name":"Changed"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG, "preference-applied": "return=representation" },
      text: `{"@odata.context":"${ROOT}/$metadata#Products/$entity","@odata.id":"${ROOT}/Products(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Name":"Changed","Price":2.50,"IsInStock":true,"CategoryId":3,"Version":2,"Released":"2026-01-03"}`,
    },
  },
  {
    name: "changes, and wants no entity",
    request: ["PATCH", "/Products(2)"],
    headers: { ...CHANGE, Prefer: "return=minimal" },
    body: '{"Name":"Changed again"}',
    response: {
      status: 204,
      headers: {
        ...EMPTY_RESPONSE,
        etag: '"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8="',
        "odata-entityid": `${ROOT}/Products(2)`,
        "preference-applied": "return=minimal",
      },
    },
  },
  {
    name: "changes an entity that does not exist",
    request: ["PATCH", "/Products(99)"],
    headers: CHANGE,
    body: '{"Name":"Nobody"}',
    response: {
      status: 412,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"PreconditionFailed","message":"If-Match does not hold. No entity has this key, or the entity has changed."}}`,
    },
  },
  {
    name: "links",
    request: ["PUT", "/Products(3)/Category/$ref"],
    headers: WRITE,
    body: `{"@odata.context":"${ROOT}/$metadata#$ref","@odata.id":"${ROOT}/Categories(2)"}`,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "unlinks",
    request: ["DELETE", "/Products(3)/Category/$ref"],
    headers: READ,
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
  {
    name: "calls an action",
    request: ["POST", "/Products(4)/Shop.Discount"],
    headers: { ...WRITE, Prefer: "return=minimal" },
    body: '{"percent":50}',
    response: { status: 204, headers: { ...EMPTY_RESPONSE, "preference-applied": "return=minimal" } },
  },
  {
    name: "deletes",
    request: ["DELETE", "/Products(6)"],
    headers: { ...READ, "If-Match": "*" },
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
];
