import { ERROR_RESPONSE, JSON_RESPONSE, ROOT, SECOND_ETAG, type Exchange } from "../exchanges.ts";

const READ = { Accept: "application/json" };
const WRITE = { ...READ, "Content-Type": "application/json" };

/** The edit form of react-admin with `ra-data-odata-server`, without the module of the guide: it sends the record as it was read, whose key it has named `id`. */
export const REACT_ADMIN_REQUESTS: readonly Exchange[] = [
  {
    name: "saves the whole record",
    request: ["PATCH", "/Orders(3)"],
    headers: WRITE,
    body: `{"id":3,"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(3)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Customer":"Changed","Number":9007199254740992,"Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":1}`,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidBody","message":"Shop.Order has no property \"id\": did you mean Id?","target":"id"}}`,
    },
  },
  {
    name: "saves only the changed members, with the module of the guide",
    request: ["PATCH", "/Orders(3)"],
    headers: WRITE,
    body: '{"Customer":"Changed"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: SECOND_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(3)","@odata.etag":"\\"0AXjgvkSGncaC4Q4vkLKqmhquNWPvY8LxlSI5ZW03Q8=\\"","Id":3,"Customer":"Changed","Number":9007199254740993,"Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":2}`,
    },
  },
  {
    name: "filters a date with `DueOn_gte`",
    request: ["GET", "/Orders?$filter=DueOn%20ge%20%272026-04-04%27&$orderby=Id%20asc&$top=2&$count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `Status_eq`",
    request: ["GET", "/Orders?$filter=Status%20eq%20%27Paid%27&$orderby=Id%20asc&$top=2&$count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `Status_q`",
    request: ["GET", "/Orders?$filter=Contains(Status,%27Pa%27)%20eq%20true&$orderby=Id%20asc&$top=2&$count=true"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "searches digits with `Id_q_int`",
    request: [
      "GET",
      "/Orders?$filter=Contains(Cast(Id,%27Edm.String%27),%274%27)%20eq%20true&$orderby=Id%20asc&$top=2&$count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
];
