import { EMPTY_RESPONSE, ERROR_RESPONSE, JSON_RESPONSE, ROOT, SECOND_ETAG, type Exchange } from "../exchanges.ts";

const READ = { Accept: "application/json, text/javascript, */*; q=0.01", "X-Requested-With": "XMLHttpRequest" };
const WRITE = { ...READ, "Content-Type": "application/json;IEEE754Compatible=true" };

/** The grid of Kendo UI. A field of the type `date` is a timestamp, and an update replaces the entity by all fields as they were read. */
export const KENDO_GRID_REQUESTS: readonly Exchange[] = [
  {
    name: "lists",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":6,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":2,"Customer":"Customer 2","Number":9007199254740992,"Status":"Shipped","OrderedAt":"2026-03-02T10:30:00.000Z","DueOn":"2026-04-02","OpensAt":"08:02:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Customer":"Customer 3","Number":9007199254740993,"Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":1}]}`,
    },
  },
  {
    name: "lists with numbers as strings",
    request: ["GET", "/Orders?%24format=application%2Fjson%3BIEEE754Compatible%3Dtrue&%24top=3&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;IEEE754Compatible=true" },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":"6","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":"9007199254740991","Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":2,"Customer":"Customer 2","Number":"9007199254740992","Status":"Shipped","OrderedAt":"2026-03-02T10:30:00.000Z","DueOn":"2026-04-02","OpensAt":"08:02:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Customer":"Customer 3","Number":"9007199254740993","Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":1}]}`,
    },
  },
  {
    name: "searches, also in an enumeration",
    request: [
      "GET",
      "/Orders?%24format=json&%24top=3&%24filter=(contains(Status%2C%27pa%27)%20or%20contains(Customer%2C%27pa%27))&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":0,"value":[]}`,
    },
  },
  {
    name: "filters an enumeration with `contains`",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=contains(Status%2C%27pa%27)&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":0,"value":[]}`,
    },
  },
  {
    name: "filters an enumeration with `eq`",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=Status%20eq%20%27Paid%27&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a date as a timestamp",
    request: [
      "GET",
      "/Orders?%24format=json&%24top=3&%24filter=DueOn%20eq%202026-04-04T00%3A00%3A00%2B00%3A00&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters days from a timestamp on",
    request: [
      "GET",
      "/Orders?%24format=json&%24top=3&%24filter=DueOn%20ge%202026-04-04T00%3A00%3A00%2B00%3A00&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "filters a timestamp",
    request: [
      "GET",
      "/Orders?%24format=json&%24top=3&%24filter=OrderedAt%20ge%202026-03-04T00%3A00%3A00%2B00%3A00&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "filters a field of texts that is a date",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=DueOn%20eq%20%272026-04-04%27&%24count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a field of texts that is an Int64",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=Number%20eq%20%279007199254740994%27&%24count=true"],
    headers: READ,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidQueryOption","message":"$filter at position 7: 'eq' cannot compare Edm.Int64 with Edm.String. \"9007199254740994\" is written as Edm.String where Edm.Int64 is expected: write 9007199254740994.","target":"$filter"}}`,
    },
  },
  {
    name: "replaces, with a date as a timestamp",
    request: ["PUT", "/Orders(1)"],
    headers: WRITE,
    body: String.raw`{"@odata.etag":"\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\"","Id":"1","Customer":"Customer 1","Number":"9007199254740991","Status":"Shipped","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01T00:00:00.000Z","OpensAt":"08:01:00","Version":"1"}`,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(1)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Shipped","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":2}`,
    },
  },
  {
    name: "replaces, with a date as a text",
    request: ["PUT", "/Orders(3)"],
    headers: WRITE,
    body: String.raw`{"@odata.etag":"\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\"","Id":"3","Customer":"Customer 3","Number":"9007199254740992","Status":"Shipped","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":"1"}`,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(3)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":3,"Customer":"Customer 3","Number":9007199254740992,"Status":"Shipped","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":2}`,
    },
  },
  {
    name: "deletes",
    request: ["DELETE", "/Orders(1)"],
    headers: WRITE,
    response: {
      status: 204,
      headers: EMPTY_RESPONSE,
    },
  },
];
