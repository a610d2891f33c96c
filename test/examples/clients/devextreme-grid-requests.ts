import { ERROR_RESPONSE, JSON_RESPONSE, ROOT, SECOND_ETAG, type Exchange } from "../exchanges.ts";

const READ = { Accept: "application/json;odata=verbose,text/plain, */*; q=0.01" };
const WRITE = { ...READ, "Content-Type": "application/json;odata=verbose" };

/** The data grid of DevExtreme. A column without `dataType` is one of texts, and dates are quoted unless `fieldTypes` of the store names their type. */
export const DEVEXTREME_GRID_REQUESTS: readonly Exchange[] = [
  {
    name: "lists for a grid without columns, which shows `@odata.etag`",
    request: ["GET", "/Products?%24top=3&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":60,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Name":"Product 01","Price":1.50,"IsInStock":true,"CategoryId":2,"Version":1,"Released":"2026-01-02"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":2,"Name":"Product 02","Price":2.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-03"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Name":"Product 03","Price":3.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-04"}]}`,
    },
  },
  {
    name: "searches in all columns of such a grid",
    request: [
      "GET",
      "/Products?%24top=3&%24filter=(%40odata%2Fetag%20eq%20%2705%27)%20or%20(Id%20eq%205)%20or%20(contains(tolower(Name)%2C%2705%27))%20or%20(Price%20eq%205)%20or%20(CategoryId%20eq%205)%20or%20(Version%20eq%205)%20or%20(contains(tolower(Released)%2C%2705%27))&%24count=true",
    ],
    headers: READ,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidQueryOption","message":"$filter at position 7: expected an operator or \")\", found \"/\".","target":"$filter"}}`,
    },
  },
  {
    name: "filters an enumeration with `contains`",
    request: ["GET", "/Orders?%24top=3&%24filter=contains(tolower(Status)%2C%27pa%27)&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `=`",
    request: ["GET", "/Orders?%24top=3&%24filter=Status%20eq%20%27Paid%27&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "searches for a number, also in an enumeration",
    request: [
      "GET",
      "/Orders?%24top=3&%24filter=(Id%20eq%204)%20or%20(Number%20eq%204)%20or%20(contains(tolower(Status)%2C%274%27))&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a date in a column of texts",
    request: ["GET", "/Orders?%24top=3&%24filter=DueOn%20eq%20%272026-04-04%27&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a date",
    request: [
      "GET",
      "/Orders?%24top=3&%24filter=(DueOn%20ge%20%272026-04-04%27)%20and%20(DueOn%20lt%20%272026-04-05%27)&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a timestamp",
    request: ["GET", "/Orders?%24top=3&%24filter=OrderedAt%20ge%20%272026-03-04T00%3A00%3A00.000Z%27&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "filters a date, with `fieldTypes`",
    request: [
      "GET",
      "/Orders?%24top=3&%24filter=(DueOn%20ge%202026-04-04)%20and%20(DueOn%20lt%202026-04-05)&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a timestamp, with `fieldTypes`",
    request: ["GET", "/Orders?%24top=3&%24filter=OrderedAt%20ge%202026-03-04T00%3A00%3A00.000Z&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "searches in an Int64, with `fieldTypes`",
    request: ["GET", "/Orders?%24top=3&%24filter=(Id%20eq%204)%20or%20(Number%20eq%204L)&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "changes a timestamp",
    request: ["PATCH", "/Orders(1)"],
    headers: WRITE,
    body: '{"OrderedAt":"2026-05-06T01:02:03.000Z"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(1)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-05-06T01:02:03.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":2}`,
    },
  },
  {
    name: "changes a date",
    request: ["PATCH", "/Orders(1)"],
    headers: WRITE,
    body: '{"DueOn":"2026-05-06"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: '"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8="' },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(1)","@odata.etag":"\\"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-05-06T01:02:03.000Z","DueOn":"2026-05-06","OpensAt":"08:01:00","Version":3}`,
    },
  },
];
