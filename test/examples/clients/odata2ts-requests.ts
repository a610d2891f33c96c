import { EMPTY_RESPONSE, ERROR_RESPONSE, FIRST_ETAG, JSON_RESPONSE, ROOT, type Exchange } from "../exchanges.ts";

/**
 * Requests of services that odata2ts generates: the names of options are encoded, bound operations have the
 * namespace.
 */
const READ = { Accept: "application/json" };
const BIG = { Accept: "application/json;IEEE754Compatible=true" };
const WRITE = { Accept: "application/json", "Content-Type": "application/json" };

export const ODATA2TS_REQUESTS: readonly Exchange[] = [
  {
    name: "lists with encoded names of options",
    request: [
      "GET",
      "/Products?%24select=Id%2CName&%24filter=contains(Name%2C%271%27)%20and%20Price%20gt%2020&%24orderby=Id%20desc&%24expand=Category&%24top=1&%24count=true",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name,Category)","@odata.count":4,"value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":51,"Name":"Product 51","Category":{"Id":1,"Name":"Chairs"}}]}`,
    },
  },
  {
    name: "lists with big numbers as strings",
    request: ["GET", "/Products?%24filter=Id%20eq%203&%24select=Id,Price&%24count=true"],
    headers: BIG,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;IEEE754Compatible=true" },
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Price)","@odata.count":"1","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Price":"3.50"}]}`,
    },
  },
  {
    name: "filters with `not` and `any`",
    request: [
      "GET",
      "/Categories?%24filter=not(Name%20eq%20%27Tables%27)%20and%20Products%2Fany(a%3Aa%2FId%20ge%2060)",
    ],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Categories","value":[{"Id":1,"Name":"Chairs"}]}`,
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
    name: "reads below an entity",
    request: ["GET", "/Categories(1)/Products?%24top=1&%24select=Id"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id)","value":[{"@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3}]}`,
    },
  },
  {
    name: "reads one entity below another by its key",
    request: ["GET", "/Categories(1)/Products(3)?%24select=Id,Name"],
    headers: READ,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, etag: FIRST_ETAG },
      text: `{"@odata.context":"${ROOT}/$metadata#Products(Id,Name)/$entity","@odata.id":"${ROOT}/Products(3)","@odata.etag":"\\"Gy4tT23hnlUdKnqx9fbL1BWfiWhJfEnN/D4okmTXwfU=\\"","Id":3,"Name":"Product 03"}`,
    },
  },
  {
    name: "reads an entity that is not below another",
    request: ["GET", "/Categories(2)/Products(3)"],
    headers: READ,
    response: {
      status: 404,
      headers: ERROR_RESPONSE,
      text: `{"error":{"code":"NotFound","message":"Categories(2) has no entity with the key (3) at 'Products'."}}`,
    },
  },
  {
    name: "calls a function of an entity",
    request: ["GET", "/Products(3)/Shop.PriceAfter(percent=10)"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Decimal","value":3.15}`,
    },
  },
  {
    name: "calls a function of an entity with big numbers",
    request: ["GET", "/Products(3)/Shop.PriceAfter(percent=10)"],
    headers: BIG,
    response: {
      status: 200,
      headers: { ...JSON_RESPONSE, "content-type": "application/json;odata.metadata=minimal;IEEE754Compatible=true" },
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Decimal","value":"3.15"}`,
    },
  },
  {
    name: "calls a function of a set",
    request: ["GET", "/Products/Shop.HighestId()"],
    headers: READ,
    response: {
      status: 200,
      headers: JSON_RESPONSE,
      text: `{"@odata.context":"${ROOT}/$metadata#Edm.Int32","value":60}`,
    },
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
    name: "calls an action of an entity",
    request: ["POST", "/Products(4)/Shop.Discount"],
    headers: WRITE,
    body: '{"percent":50}',
    response: { status: 204, headers: EMPTY_RESPONSE },
  },
];
