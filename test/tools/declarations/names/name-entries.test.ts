import { describe, expect, test } from "vitest";
import { chooseNames } from "../../../../src/tools/declarations/names/choose-names.ts";
import { type NamingOptions, objectKey, type ServiceNames } from "../../../../src/tools/declarations/names/naming.ts";
import { listNames, nameOf, namingInput, USUAL } from "./naming-input.ts";

const INPUT = namingInput(
  {
    tbl_cust: "id, work_address_id > address, name, enum(mood)",
    address: "id",
    tag: "id",
    cust_tag: "cust_id > tbl_cust, tag_id > tag",
    "sales.order": "id, cust_id > tbl_cust",
  },
  ["cust_tag"],
  ["order_state", "sales.state"],
);

function renamed(names: NamingOptions["names"], style: NamingOptions["style"] = "idiomatic"): ServiceNames {
  return chooseNames(INPUT, { ...USUAL, names, style });
}

const PLAIN = {
  "TblCust/TblCusts": "Id WorkAddressId Name Mood WorkAddress CustTagsByCust SalesOrdersByCust TagsThroughCustTag",
  "Address/Addresses": "Id TblCustsByWorkAddress",
  "Tag/Tags": "Id CustTags CustsThroughCustTag",
  "CustTag/CustTags": "CustId TagId Cust Tag",
  "SalesOrder/SalesOrders": "Id CustId Cust",
};

describe("names of odatakit.json", () => {
  test.each<[names: NamingOptions["names"], expected: Readonly<Record<string, string>>]>([
    [{}, PLAIN],
    [{ "*": "as-is" }, PLAIN],
    [
      { "public.tbl_cust": "Customer", "Customer.work_address_id": "Office" },
      {
        "Customer/Customers": "Id WorkAddressId Name Mood Office CustTagsByCust SalesOrdersByCust TagsThroughCustTag",
        "Address/Addresses": "Id CustomersByWorkAddress",
      },
    ],
    [{ tbl_cust: "Person" }, { "Person/People": PLAIN["TblCust/TblCusts"] }],
    [{ tbl_cust: "Customer/Clients" }, { "Address/Addresses": "Id ClientsByWorkAddress" }],
    [{ tbl_cust: "Cust" }, { "Cust/Custs": PLAIN["TblCust/TblCusts"].replaceAll(/ByCust|ThroughCustTag/gu, "") }],
    [{ "sales.order": "Order" }, { "Order/Orders": "Id CustId Cust" }],
    [{ "TblCust.name": "Label" }, { "TblCust/TblCusts": PLAIN["TblCust/TblCusts"].replace("Name", "Label") }],
    [{ "TblCust.Name": "Label" }, { "TblCust/TblCusts": PLAIN["TblCust/TblCusts"].replace("Name", "Label") }],
    [{ "tbl_cust.name": "Label" }, { "TblCust/TblCusts": PLAIN["TblCust/TblCusts"].replace("Name", "Label") }],
    [
      { "public.tbl_cust.work_address_id": "OfficeId", "TblCust.WorkAddress": "Office" },
      { "TblCust/TblCusts": PLAIN["TblCust/TblCusts"].replaceAll("WorkAddress", "Office") },
    ],
    [{ "Tag.CustsThroughCustTag": "Customers" }, { "Tag/Tags": "Id CustTags Customers" }],
    [
      { "TblCust.SalesOrdersByCust": "Orders" },
      { "TblCust/TblCusts": PLAIN["TblCust/TblCusts"].replace("SalesOrdersByCust", "Orders") },
    ],
    [
      { "TblCust.WorkAddress": "Name" },
      { "TblCust/TblCusts": PLAIN["TblCust/TblCusts"].replace("Name", "Name2").replace(" WorkAddress ", " Name ") },
    ],
    [
      { tag: "SalesOrder" },
      { "SalesOrder/SalesOrders": "Id CustTags CustsThroughCustTag", "SalesOrder2/SalesOrder2": "Id CustId Cust" },
    ],
  ])("%j", (names, expected) => {
    const chosen = renamed(names);
    expect(chosen.faults).toEqual([]);
    expect(chosen.warnings.filter(({ code }) => code === "unused-name")).toEqual([]);
    expect(listNames(INPUT, chosen)).toMatchObject(expected);
  });

  test("enumeration types", () => {
    const enums = ({ enumTypes, objects }: ServiceNames): readonly unknown[] => [
      ...enumTypes.values(),
      ...(objects.get(objectKey(nameOf("tbl_cust")))?.enumTypes ?? []),
    ];
    expect(enums(renamed({}))).toEqual(["OrderState", "SalesState", ["mood", "TblCustMood"]]);
    const names = { order_state: "State", "sales.state": "Stage", TblCustMood: "Mood" };
    expect(enums(renamed(names))).toEqual(["State", "Stage", ["mood", "Mood"]]);
    expect(enums(renamed({}, "as-is"))).toEqual(["order_state", "sales_state", ["mood", "tbl_cust_mood"]]);
  });

  test.each<[key: string, value: string, message: string]>([
    ["tbl_cust", "My Customer", '"My Customer" is not an identifier.'],
    ["tbl_cust", "Customer/", '"" is not an identifier.'],
    ["tbl_cust", "A/B/C", '"A/B/C" is not a name.'],
    ["TblCust.name", "2nd", '"2nd" is not an identifier.'],
    ["TblCust.name", "__proto__", '"__proto__" is not an identifier.'],
    ["TblCust.name", "null", "Expressions cannot use a property with the name null."],
    ["order_state", "?", '"?" is not an identifier.'],
    ["order_state", "tag", "Another type has the name tag."],
  ])("the value of %s cannot be %s", (key, value, message) => {
    const { faults } = renamed({ [key]: value });
    expect(faults).toMatchObject([{ key, message }]);
  });

  test.each<[names: NamingOptions["names"], key: string, message: string]>([
    [{ tag: "Label", address: "label" }, "tag", "Another entry has the name Label or Labels, or differs only in case."],
    [
      { "TblCust.name": "Label", "TblCust.Mood": "label" },
      "TblCust.Mood",
      "Another entry of TblCust has the name label, or differs only in case.",
    ],
  ])("two entries cannot give one name: %j", (names, key, message) => {
    const chosen = renamed(names);
    expect(chosen.faults).toEqual([{ key, message, fix: "Give one of them another name." }]);
    expect(listNames(INPUT, chosen)).toBeDefined();
  });

  test.each<[names: NamingOptions["names"], message: string]>([
    [
      { "public.tbl_cst": "Customer" },
      'the entry of `names` names no published table, column or navigation; did you mean "public.tbl_cust"?',
    ],
    [
      { "TblCust.work_adress_id": "X" },
      'the entry of `names` names no published table, column or navigation; did you mean "TblCust.work_address_id"?',
    ],
    [{ "nothing like it": "X" }, "the entry of `names` names no published table, column or navigation"],
    [{ "public.tag": "Label", tag: "Label" }, "another entry of `names` names the same"],
  ])("an entry that names nothing is a warning: %j", (names, message) => {
    const place = Object.keys(names).at(-1);
    expect(renamed(names).warnings).toEqual([{ code: "unused-name", place, message, flag: null }]);
  });
});

test.each<[enumType: string, expected: string]>([
  ["order_state", "OrderState"],
  ["order", "OrderEnum"],
  ["order_enum", "OrderEnum"],
])("an enumeration type differs from entity types: %s", (enumType, expected) => {
  const names = chooseNames(namingInput({ orders: "id" }, [], [enumType]), USUAL);
  expect([...names.enumTypes.values()]).toEqual([expected]);
});

test("an enumeration type that clashes is a warning", () => {
  const names = chooseNames(namingInput({ orders: "id" }, [], ["order", "order_enum"]), USUAL);
  expect([...names.enumTypes.values()]).toEqual(["OrderEnum", "OrderEnumEnum"]);
  const message =
    'the type public.order is not named Order, because another type has that name; "public.order" in `names` renames it';
  expect(names.warnings[0]).toEqual({ code: "name-clash", place: "OrderEnum", message, flag: null });
});

describe("names as they are", () => {
  test("sets, types and properties have the names of the database, and navigations have idiomatic names", () => {
    expect(listNames(INPUT, renamed({}, "as-is"))).toEqual({
      "tbl_cust/tbl_cust":
        "id work_address_id name mood WorkAddress CustTagsByCust SalesOrdersByCust TagsThroughCustTag",
      "address/address": "id TblCustsByWorkAddress",
      "tag/tag": "id CustTags CustsThroughCustTag",
      "cust_tag/cust_tag": "cust_id tag_id Cust Tag",
      "sales_order/sales_order": "id cust_id Cust",
    });
  });

  test("invalid characters are replaced, names that clash get a number, and entries rename", () => {
    const input = namingInput({
      "Order Details": "Länge (cm), 2nd, __proto__, proto, a b, a_b",
      order_details: "id",
      Order_Details: "id",
    });
    const names = chooseNames(input, { ...USUAL, style: "as-is", names: { order_details: "line" } });
    expect(listNames(input, names)).toEqual({
      "Order_Details/Order_Details": "Länge_cm _2nd proto proto2 a_b a_b2",
      "line/lines": "id",
      "Order_Details2/Order_Details2": "id",
    });
    const fields = names.objects.get(objectKey(nameOf("Order Details")))?.properties.values() ?? [];
    expect(Array.from(fields, ({ field }) => field)).toEqual(["länge_cm", "_2nd", "proto", "proto2", "a_b", "a_b2"]);
  });
});
