import { describe } from "vitest";
import {
  EMPTY_RESPONSE,
  ERROR_RESPONSE,
  JSON_RESPONSE,
  ROOT,
  SECOND_ETAG,
  runExchanges,
  type Exchange,
} from "./exchanges.ts";

/**
 * Requests that grids and forms send by themselves, with enumerations, dates, timestamps and an Int64. Those of the data
 * layers are in the tables of their clients.
 */

const DX_READ = { Accept: "application/json;odata=verbose,text/plain, */*; q=0.01" };
const DX_WRITE = { ...DX_READ, "Content-Type": "application/json;odata=verbose" };
const SF_READ = {
  Accept: "application/json, text/javascript, */*; q=0.01",
  "Content-Type": "application/json; charset=utf-8",
};
const SF_WRITE = { ...SF_READ, Prefer: "return=representation" };
const KD_READ = { Accept: "application/json, text/javascript, */*; q=0.01", "X-Requested-With": "XMLHttpRequest" };
const KD_WRITE = { ...KD_READ, "Content-Type": "application/json;IEEE754Compatible=true" };
const RA_READ = { Accept: "application/json" };
const RA_WRITE = { ...RA_READ, "Content-Type": "application/json" };

/** The data grid of DevExtreme. A column without `dataType` is one of texts, and dates are quoted unless `fieldTypes` of the store names their type. */
const DEVEXTREME: readonly Exchange[] = [
  {
    name: "lists for a grid without columns, which shows `@odata.etag`",
    request: ["GET", "/Products?%24top=3&%24count=true"],
    headers: DX_READ,
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
    headers: DX_READ,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidQueryOption","message":"$filter at position 7: expected an operator or \")\", found \"/\".","target":"$filter"}}`,
    },
  },
  {
    name: "filters an enumeration with `contains`",
    request: ["GET", "/Orders?%24top=3&%24filter=contains(tolower(Status)%2C%27pa%27)&%24count=true"],
    headers: DX_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `=`",
    request: ["GET", "/Orders?%24top=3&%24filter=Status%20eq%20%27Paid%27&%24count=true"],
    headers: DX_READ,
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
    headers: DX_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a date in a column of texts",
    request: ["GET", "/Orders?%24top=3&%24filter=DueOn%20eq%20%272026-04-04%27&%24count=true"],
    headers: DX_READ,
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
    headers: DX_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a timestamp",
    request: ["GET", "/Orders?%24top=3&%24filter=OrderedAt%20ge%20%272026-03-04T00%3A00%3A00.000Z%27&%24count=true"],
    headers: DX_READ,
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
    headers: DX_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a timestamp, with `fieldTypes`",
    request: ["GET", "/Orders?%24top=3&%24filter=OrderedAt%20ge%202026-03-04T00%3A00%3A00.000Z&%24count=true"],
    headers: DX_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "searches in an Int64, with `fieldTypes`",
    request: ["GET", "/Orders?%24top=3&%24filter=(Id%20eq%204)%20or%20(Number%20eq%204L)&%24count=true"],
    headers: DX_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "changes a timestamp",
    request: ["PATCH", "/Orders(1)"],
    headers: DX_WRITE,
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
    headers: DX_WRITE,
    body: '{"DueOn":"2026-05-06"}',
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: '"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8="' },
      text: `{"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(1)","@odata.etag":"\\"egFViAvkucOzo5x/ATESDAOIl9anOqBNjH85Gsnrxx8=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-05-06T01:02:03.000Z","DueOn":"2026-05-06","OpensAt":"08:01:00","Version":3}`,
    },
  },
];

/** The grid of Syncfusion. Its search box casts each column to a text, and its Excel filter reads the distinct values by `$apply`. */
const SYNCFUSION: readonly Exchange[] = [
  {
    name: "lists",
    request: ["GET", "/Orders/?$count=true&$skip=0&$top=3"],
    headers: SF_READ,
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
    headers: SF_READ,
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
    headers: SF_READ,
    response: {
      status: 501,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"NotImplemented","message":"$filter at position 19: The function 'cast' is not supported in $filter.","target":"$filter"}}`,
    },
  },
  {
    name: "searches in one column of texts",
    request: [
      "GET",
      "/Products/?$count=true&$filter=((contains(tolower(cast(Name,%20%27Edm.String%27)),%2705%27)))&$skip=0&$top=3",
    ],
    headers: SF_READ,
    response: {
      status: 501,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"NotImplemented","message":"$filter at position 19: The function 'cast' is not supported in $filter.","target":"$filter"}}`,
    },
  },
  {
    name: "reads the values of a column for the Excel filter",
    request: ["GET", "/Products/?$apply=groupby((Name),%20aggregate($count%20as%20groupCount))&$top=1000"],
    headers: SF_READ,
    response: {
      status: 501,
      headers: ERROR_RESPONSE,
      text: '{"error":{"code":"NotImplemented","message":"The query option $apply is not supported.","target":"$apply"}}',
    },
  },
  {
    name: "filters texts",
    request: ["GET", "/Products/?$count=true&$filter=((startswith(tolower(Name),%27product%201%27)))&$skip=0&$top=3"],
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":10,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":10,"Name":"Product 10","Price":10.50,"IsInStock":true,"CategoryId":2,"Version":1,"Released":"2026-01-11"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":11,"Name":"Product 11","Price":11.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-12"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":12,"Name":"Product 12","Price":12.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-13"}]}`,
    },
  },
  {
    name: "filters numbers",
    request: ["GET", "/Products/?$count=true&$filter=((Price%20gt%2020))&$skip=0&$top=3"],
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products","@odata.count":41,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":20,"Name":"Product 20","Price":20.50,"IsInStock":true,"CategoryId":3,"Version":1,"Released":"2026-01-21"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":21,"Name":"Product 21","Price":21.50,"IsInStock":false,"CategoryId":1,"Version":1,"Released":"2026-01-22"},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":22,"Name":"Product 22","Price":22.50,"IsInStock":true,"CategoryId":2,"Version":1,"Released":"2026-01-23"}]}`,
    },
  },
  {
    name: "filters an enumeration with `equal`",
    request: ["GET", "/Orders/?$count=true&$filter=((tolower(Status)%20eq%20%27paid%27))&$skip=0&$top=3"],
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `startswith`",
    request: ["GET", "/Orders/?$count=true&$filter=((startswith(tolower(Status),%27pa%27)))&$skip=0&$top=3"],
    headers: SF_READ,
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
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `date` with `greaterthan`",
    request: ["GET", "/Orders/?$count=true&$filter=((DueOn%20gt%202026-04-04T23:59:59.999Z))&$skip=0&$top=3"],
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `dateonly`",
    request: ["GET", "/Orders/?$count=true&$filter=((DueOn%20eq%20%272026-04-04%27))&$skip=0&$top=3"],
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a column of the type `datetime`",
    request: ["GET", "/Orders/?$count=true&$filter=((OrderedAt%20gt%202026-03-04T00:00:00.000Z))&$skip=0&$top=3"],
    headers: SF_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "changes an enumeration, with the ETag and the key in the body",
    request: ["PATCH", "/Orders(1)"],
    headers: SF_WRITE,
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
    headers: SF_WRITE,
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
    headers: SF_WRITE,
    response: {
      status: 204,
      headers: EMPTY_RESPONSE,
    },
  },
];

/** The grid of Kendo UI. A field of the type `date` is a timestamp, and an update replaces the entity by all fields as they were read. */
const KENDO: readonly Exchange[] = [
  {
    name: "lists",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24count=true"],
    headers: KD_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":6,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":2,"Customer":"Customer 2","Number":9007199254740992,"Status":"Shipped","OrderedAt":"2026-03-02T10:30:00.000Z","DueOn":"2026-04-02","OpensAt":"08:02:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Customer":"Customer 3","Number":9007199254740993,"Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":1}]}`,
    },
  },
  {
    name: "lists with numbers as strings",
    request: ["GET", "/Orders?%24format=application%2Fjson%3BIEEE754Compatible%3Dtrue&%24top=3&%24count=true"],
    headers: KD_READ,
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
    headers: KD_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":0,"value":[]}`,
    },
  },
  {
    name: "filters an enumeration with `contains`",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=contains(Status%2C%27pa%27)&%24count=true"],
    headers: KD_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":0,"value":[]}`,
    },
  },
  {
    name: "filters an enumeration with `eq`",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=Status%20eq%20%27Paid%27&%24count=true"],
    headers: KD_READ,
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
    headers: KD_READ,
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
    headers: KD_READ,
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
    headers: KD_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":6,"Customer":"Customer 6","Number":9007199254740996,"Status":"New","OrderedAt":"2026-03-06T10:30:00.000Z","DueOn":"2026-04-06","OpensAt":"08:06:00","Version":1}]}`,
    },
  },
  {
    name: "filters a field of texts that is a date",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=DueOn%20eq%20%272026-04-04%27&%24count=true"],
    headers: KD_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":1,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters a field of texts that is an Int64",
    request: ["GET", "/Orders?%24format=json&%24top=3&%24filter=Number%20eq%20%279007199254740994%27&%24count=true"],
    headers: KD_READ,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidQueryOption","message":"$filter at position 7: 'eq' cannot compare Edm.Int64 with Edm.String. \"9007199254740994\" is written as Edm.String where Edm.Int64 is expected: write 9007199254740994.","target":"$filter"}}`,
    },
  },
  {
    name: "replaces, with a date as a timestamp",
    request: ["PUT", "/Orders(1)"],
    headers: KD_WRITE,
    body: String.raw`{"@odata.etag":"\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\"","Id":"1","Customer":"Customer 1","Number":"9007199254740991","Status":"Shipped","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01T00:00:00.000Z","OpensAt":"08:01:00","Version":"1"}`,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidBody","message":"DueOn: \"2026-04-01T00:00:00.000Z\" is not an Edm.Date: write a day that exists as YYYY-MM-DD, such as 2024-02-29.","target":"DueOn"}}`,
    },
  },
  {
    name: "replaces, with a date as a text",
    request: ["PUT", "/Orders(3)"],
    headers: KD_WRITE,
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
    headers: KD_WRITE,
    response: {
      status: 204,
      headers: EMPTY_RESPONSE,
    },
  },
];

/** The edit form of react-admin with `ra-data-odata-server`, without the module of the guide: it sends the record as it was read, whose key it has named `id`. */
const REACT_ADMIN: readonly Exchange[] = [
  {
    name: "saves the whole record",
    request: ["PATCH", "/Orders(3)"],
    headers: RA_WRITE,
    body: `{"id":3,"@odata.context":"${ROOT}/$metadata#Orders/$entity","@odata.id":"${ROOT}/Orders(3)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Customer":"Changed","Number":9007199254740992,"Status":"New","OrderedAt":"2026-03-03T10:30:00.000Z","DueOn":"2026-04-03","OpensAt":"08:03:00","Version":1}`,
    response: {
      status: 400,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"InvalidBody","message":"id: Shop.Order has no property \"id\": did you mean Id?","target":"id"}}`,
    },
  },
  {
    name: "saves only the changed members, with the module of the guide",
    request: ["PATCH", "/Orders(3)"],
    headers: RA_WRITE,
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
    headers: RA_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":3,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":5,"Customer":"Customer 5","Number":9007199254740995,"Status":"Shipped","OrderedAt":"2026-03-05T10:30:00.000Z","DueOn":"2026-04-05","OpensAt":"08:05:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `Status_eq`",
    request: ["GET", "/Orders?$filter=Status%20eq%20%27Paid%27&$orderby=Id%20asc&$top=2&$count=true"],
    headers: RA_READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Orders","@odata.count":2,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":1,"Customer":"Customer 1","Number":9007199254740991,"Status":"Paid","OrderedAt":"2026-03-01T10:30:00.000Z","DueOn":"2026-04-01","OpensAt":"08:01:00","Version":1},{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":4,"Customer":"Customer 4","Number":9007199254740994,"Status":"Paid","OrderedAt":"2026-03-04T10:30:00.000Z","DueOn":"2026-04-04","OpensAt":"08:04:00","Version":1}]}`,
    },
  },
  {
    name: "filters an enumeration with `Status_q`",
    request: ["GET", "/Orders?$filter=Contains(Status,%27Pa%27)%20eq%20true&$orderby=Id%20asc&$top=2&$count=true"],
    headers: RA_READ,
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
    headers: RA_READ,
    response: {
      status: 501,
      headers: ERROR_RESPONSE,
      text: String.raw`{"error":{"code":"NotImplemented","message":"$filter at position 9: The function 'cast' is not supported in $filter.","target":"$filter"}}`,
    },
  },
];

describe("the data grid of DevExtreme", () => {
  runExchanges(DEVEXTREME);
});

describe("the grid of Syncfusion", () => {
  runExchanges(SYNCFUSION);
});

describe("the grid of Kendo UI", () => {
  runExchanges(KENDO);
});

describe("the edit form and the filters of react-admin", () => {
  runExchanges(REACT_ADMIN);
});
