import { EMPTY_RESPONSE, ERROR_RESPONSE, JSON_RESPONSE, ROOT, SECOND_ETAG, type Exchange } from "../exchanges.ts";

const READ = {
  Accept: "application/json, text/javascript, */*; q=0.01",
  "Content-Type": "application/json; charset=utf-8",
};
const WRITE = { ...READ, Prefer: "return=representation" };

/** The grid of Syncfusion. Its search box casts each column to a text, and its Excel filter reads the distinct values by `$apply`. */
export const SYNCFUSION_GRID_REQUESTS: readonly Exchange[] = [
  {
    name: "lists",
    request: ["GET", "/Orders/?$count=true&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":6,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":2,"Customer":"Customer 2","Number":9007199254740992,"Status":"Shipped","OrderedAt":"2026-03-02T10:30:00.000Z","DueOn":"2026-04-02","OpensAt":"08:02:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Customer":"Customer 3","Number":9007199254740993,"Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":1}]}`,
    },
  },
  {
    name: "searches in all columns of a grid without columns",
    request: [
      "GET",
      "/Products/?$count=true&$filter=((contains(tolower(cast(@odata/etag,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Id,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Name,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Price,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(IsInStock,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(CategoryId,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Version,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Released,%20%27Edm.String%27)),%2705%27)))&$skip=0&$top=3",
    ],
    headers: READ,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidQueryOption","message":"$filter at position 30: expected \",\" or \")\", found \"/\".","target":"$filter"}}`,
    },
  },
  {
    name: "searches in all columns",
    request: [
      "GET",
      "/Products/?$count=true&$filter=((contains(tolower(cast(Id,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Name,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(Price,%20%27Edm.String%27)),%2705%27))%20or%20(contains(tolower(cast(IsInStock,%20%27Edm.String%27)),%2705%27)))&$skip=0&$top=3",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Name":"Product 05","Price":5.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-06"}]}`,
    },
  },
  {
    name: "searches in one column of texts",
    request: [
      "GET",
      "/Products/?$count=true&$filter=((contains(tolower(cast(Name,%20%27Edm.String%27)),%2705%27)))&$skip=0&$top=3",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Name":"Product 05","Price":5.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-06"}]}`,
    },
  },
  {
    name: "reads the values of a column for the Excel filter",
    request: ["GET", "/Products/?$apply=groupby((Name),%20aggregate($count%20as%20groupCount))&$top=1000"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Name,groupCount)","value":[${Array.from({ length: 60 }, (_, index) => `{"Name":"Product ${String(index + 1).padStart(2, "0")}","groupCount@odata.type":"#Decimal","groupCount":1}`).join(",")}]}`,
    },
  },
  {
    name: "filters texts",
    request: ["GET", "/Products/?$count=true&$filter=((startswith(tolower(Name),%27product%201%27)))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":10,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":10,"Name":"Product 10","Price":10.50,"IsInStock":true,"CategoryId":2,"Version":1,"Released":"2026-01-11"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":11,"Name":"Product 11","Price":11.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-12"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":12,"Name":"Product 12","Price":12.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-13"}]}`,
    },
  },
  {
    name: "filters numbers",
    request: ["GET", "/Products/?$count=true&$filter=((Price%20gt%2020))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":41,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":20,"Name":"Product 20","Price":20.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-21"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":21,"Name":"Product 21","Price":21.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-22"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":22,"Name":"Product 22","Price":22.50,"IsInStock":true,"CategoryId":2,"Version":1,"Released":"2026-01-23"}]}`,
    },
  },
  {
    name: "filters an enumeration with `equal`",
    request: ["GET", "/Orders/?$count=true&$filter=((tolower(Status)%20eq%20%27paid%27))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `startswith`",
    request: ["GET", "/Orders/?$count=true&$filter=((startswith(tolower(Status),%27pa%27)))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `date`",
    request: [
      "GET",
      "/Orders/?$count=true&$filter=((((DueOn%20gt%202026-04-03T23:59:59.999Z)%20and%20(DueOn%20lt%202026-04-05T00:00:00.000Z))))&$skip=0&$top=3",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `date` with `greaterthan`",
    request: ["GET", "/Orders/?$count=true&$filter=((DueOn%20gt%202026-04-04T23:59:59.999Z))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `dateonly`",
    request: ["GET", "/Orders/?$count=true&$filter=((DueOn%20eq%20%272026-04-04%27))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `datetime`",
    request: ["GET", "/Orders/?$count=true&$filter=((OrderedAt%20gt%202026-03-04T00:00:00.000Z))&$skip=0&$top=3"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "changes an enumeration, with the ETag and the key in the body",
    request: ["PATCH", "/Orders(1)"],
    headers: WRITE,
    body: String.raw`{"@odata.etag":"\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\"","Id":1,"Status":"Shipped"}`,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG, "preference-applied": "return=representation" },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(1)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Shipped","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":2}`,
    },
  },
  {
    name: "changes a date",
    request: ["PATCH", "/Orders(2)"],
    headers: WRITE,
    body: String.raw`{"@odata.etag":"\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\"","Id":2,"DueOn":"2026-05-06"}`,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG, "preference-applied": "return=representation" },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(2)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":2,"Customer":"Customer 2","Number":9007199254740992,"Status":"Shipped","OrderedAt":"2026-03-02T10:30:00.000Z","DueOn":"2026-05-06","OpensAt":"08:02:00","Version":2}`,
    },
  },
  {
    name: "deletes",
    request: ["DELETE", "/Orders(3)"],
    headers: WRITE,
    response: {
      status: 204,
      headers: EMPTY_RESPONSE,
    },
  },
];
