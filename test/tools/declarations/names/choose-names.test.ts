import { describe, expect, test } from "vitest";
import { chooseNames } from "../../../../src/tools/declarations/names/choose-names.ts";
import { objectKey } from "../../../../src/tools/declarations/names/naming.ts";
import { listNames, nameOf, namesOf, namingInput, navigations, type Tables, USUAL } from "./naming-input.ts";

describe("entity types and sets", () => {
  test.each([
    ["order_line", "OrderLine", "OrderLines"],
    ["people", "Person", "People"],
    ["staff", "Staff", "Staff"],
    ["Order Details", "OrderDetail", "OrderDetails"],
    ["sales.order", "SalesOrder", "SalesOrders"],
    ["Büro.Möbel Stück", "BüroMöbelStück", "BüroMöbelStück"],
  ])("%s: %s, %s", (table, typeName, setName) => {
    expect(namesOf({ [table]: "id" }).objects.get(objectKey(nameOf(table)))).toMatchObject({ typeName, setName });
  });

  test.each<[name: string, tables: readonly string[], expected: readonly string[]]>([
    ["user and users", ["user", "users"], ["User/User", "Users/Users"]],
    ["contact and contacts", ["contact", "contacts"], ["Contact/Contact", "Contacts/Contacts"]],
    ["sets only", ["person", "people"], ["Person/Person", "People/People"]],
    ["case only", ["Item", "item", "ITEM"], ["Item/Item", "Item2/Item2", "Item3/Item3"]],
    ["a schema and a word", ["sales.order", "sales_order"], ["SalesOrder/SalesOrder", "SalesOrder2/SalesOrder2"]],
    ["no clash", ["staff", "person"], ["Staff/Staff", "Person/People"]],
  ])("tables that clash have their own names: %s", (_name, tables, expected) => {
    const names = namesOf(Object.fromEntries(tables.map((table) => [table, "id"])));
    expect(Array.from(names.objects.values(), ({ typeName, setName }) => `${typeName}/${setName}`)).toEqual(expected);
    expect(names.warnings.every(({ code }) => code === "name-clash")).toBe(true);
  });

  test("a clash is a warning for each table", () => {
    const message = (table: string): string =>
      `public.${table} is not published as User and Users, because another table wants a name of these; "public.${table}" in \`names\` renames it`;
    expect(namesOf({ user: "id", users: "id" }).warnings).toEqual([
      { code: "name-clash", place: "User", message: message("user"), flag: null },
      { code: "name-clash", place: "Users", message: message("users"), flag: null },
    ]);
  });
});

describe("properties", () => {
  test.each<[columns: string, expected: readonly string[]]>([
    ["order_line, CustomerID", ["OrderLine orderLine", "CustomerID customerID"]],
    ["Länge (cm), 2nd", ["LängeCm längeCm", "_2nd _2nd"]],
    ["Value, value", ["Value value", "Value2 value2"]],
    ["Value, value, Value2", ["Value value", "Value3 value3", "Value2 value2"]],
    ["checklist_item_1, %", ["ChecklistItem1 checklistItem1", "U25 u25"]],
  ])("%s", (columns, expected) => {
    const names = namesOf({ item: columns }).objects.get(objectKey(nameOf("item")));
    expect(Array.from(names?.properties.values() ?? [], ({ name, field }) => `${name} ${field}`)).toEqual(expected);
  });

  test.each<[columns: string, style: "as-is" | "idiomatic", expected: string]>([
    ["id, true, false, null, not, inf, nan", "idiomatic", "Id True2 False2 Null Not Inf Nan"],
    ["id, TRUE, null, not, INF, NaN, inf", "as-is", "id TRUE2 null2 not2 INF2 NaN2 inf"],
  ])("no name is a literal or operator of expressions: %s, %s", (columns, style, expected) => {
    const names = namesOf({ item: columns }, [], { style });
    const properties = names.objects.get(objectKey(nameOf("item")))?.properties.values() ?? [];
    expect(Array.from(properties, ({ name }) => name).join(" ")).toBe(expected);
    expect(names.warnings[0]?.message).toContain("because a word of expressions has that name");
  });

  test("a number is a warning", () => {
    const message =
      'the column "value" is not named Value, because the column "Value" has that name; "Item.Value2" in `names` renames it';
    expect(namesOf({ item: "Value, value" }).warnings).toEqual([
      { code: "name-clash", place: "Items.Value2", message, flag: null },
    ]);
  });
});

describe("navigations of foreign keys", () => {
  test.each<[tables: Tables, expected: string]>([
    [{ customer: "home_address_id > address", address: "id" }, "HomeAddress CustomersByHomeAddress"],
    [{ Customer: "SupportRepId > Employee", Employee: "id" }, "SupportRep CustomersBySupportRep"],
    [{ Employees: "ReportsTo > Employees" }, "ReportsToEmployee EmployeesByReportsTo"],
    [{ Orders: "ShipVia > Shippers", Shippers: "id" }, "Shipper Orders"],
    [{ order_line: "id, sku > product", product: "sku" }, "Product OrderLines"],
    [{ person: "login >> account", account: "login" }, "Account Person"],
    [{ shipment: "order_id+line_no > order_line", order_line: "id" }, "OrderLine Shipments"],
    [{ orders: "customer_id > customers", customers: "id" }, "Customer Orders"],
    [{ ORDERS: "CUSTOMER_ID > CUSTOMERS", CUSTOMERS: "ID" }, "Customer Orders"],
    [{ orders: "customerid > customers", customers: "id" }, "Customer Orders"],
    [{ orders: "CustomerCode > customers", customers: "id" }, "Customer Orders"],
    [{ orders: "customer > customers", customers: "id" }, "CustomerCustomer Orders"],
    [{ profile: "user_id >> users", users: "id" }, "User Profile"],
    [{ profile: "owner_id >> users", users: "id" }, "Owner ProfileByOwner"],
    [{ profile: "id >> users", users: "id" }, "User Profile"],
    [{ "sales.line": "order_id > sales.order", "sales.order": "id" }, "Order SalesLines"],
    [{ order: "country_code > country", country: "code" }, "Country Orders"],
    [{ line: "unit_no > unit", unit: "no" }, "Unit Lines"],
    [{ line: "unit_nr > unit", unit: "no" }, "Unit Lines"],
    [{ line: "unit_key > unit", unit: "no" }, "Unit Lines"],
    [{ line: "unit_fk > unit", unit: "no" }, "Unit Lines"],
    [{ line: "casino > unit", unit: "no" }, "Unit Lines"],
    [{ line: "länge_id > länge", länge: "no" }, "Länge Lines"],
  ])("%j: %s", (tables, expected) => {
    expect(Object.values(navigations(namesOf(tables)))).toEqual([expected]);
  });
});

describe("navigations of columns without the ending of a key", () => {
  test.each<[title: string, tables: Tables, members: Readonly<Record<string, string>>]>([
    [
      "two foreign keys to one table",
      { order_line: "id, sku > product, instead > product", product: "sku" },
      {
        "OrderLine/OrderLines": "Id Sku Instead SkuProduct InsteadProduct",
        "Product/Products": "Sku OrderLinesBySku OrderLinesByInstead",
      },
    ],
    [
      "a property with the name of the table",
      { order_line: "id, product, sku > product", product: "sku, order_lines" },
      {
        "OrderLine/OrderLines": "Id Product Sku SkuProduct",
        "Product/Products": "Sku OrderLines OrderLinesBySku",
      },
    ],
    ["a foreign key to the own table", { node: "id, up > node" }, { "Node/Nodes": "Id Up UpNode NodesByUp" }],
  ])("%s", (_title, tables, members) => {
    const input = namingInput(tables, []);
    expect(listNames(input, chooseNames(input, USUAL))).toEqual(members);
  });
});

describe("navigations through link tables", () => {
  test.each<[link: string, columns: string, tables: Tables, expected: readonly string[]]>([
    ["film_actor", "film_id > film, actor_id > actor", { film: "id", actor: "id" }, ["Actors", "Films"]],
    ["actors_films", "film_id > film, actor_id > actor", { film: "id", actor: "id" }, ["Actors", "Films"]],
    [
      "EmployeeTerritories",
      "EmployeeID > Employees, TerritoryID > Territories",
      { Employees: "id", Territories: "id" },
      ["Territories", "Employees"],
    ],
    [
      "membership",
      "user_id > users, team_id > teams",
      { users: "id", teams: "id" },
      ["TeamsThroughMembership", "UsersThroughMembership"],
    ],
    [
      "subscriptions",
      "subscriber > users, subscribed > users",
      { users: "id" },
      ["SubscribedsThroughSubscription", "SubscribersThroughSubscription"],
    ],
    [
      "user_user",
      "follower_id > user, leader_id > user",
      { user: "id" },
      ["LeadersThroughUserUser", "FollowersThroughUserUser"],
    ],
    ["sales.line_tag", "line_id > sales.line, tag_id > tag", { "sales.line": "id", tag: "id" }, ["Tags", "SalesLines"]],
  ])("%s(%s)", (link, columns, tables, expected) => {
    expect([...namesOf({ ...tables, [link]: columns }, [link]).links.values()].map(({ name }) => name)).toEqual(
      expected,
    );
  });
});

describe("navigations that clash", () => {
  test.each<[name: string, tables: Tables, links: readonly string[], expected: Readonly<Record<string, string>>]>([
    [
      "a foreign key before a link table",
      { customer: "id", tag: "id, customer_id > customer", customer_tag: "customer_id > customer, tag_id > tag" },
      ["customer_tag"],
      { "Customer/Customers": "Id Tags CustomerTags TagsThroughCustomerTag" },
    ],
    [
      "a property before a foreign key",
      { order: "country, country_code > country", country: "orders" },
      [],
      { "Order/Orders": "Country CountryCode CountryByCountryCode", "Country/Countries": "Orders OrdersByCountryCode" },
    ],
    [
      "two composite keys",
      { line: "order_id+no > order, order_id+old_no > order", order: "id" },
      [],
      { "Line/Lines": "OrderId No OldNo Order OrderByOrderIdOldNo", "Order/Orders": "Id Lines LinesByOrderIdOldNo" },
    ],
    [
      "a foreign key before its reverse",
      { node: "nodes_id > node" },
      [],
      { "Node/Nodes": "NodesId Nodes NodesByNodesId" },
    ],
    [
      "two foreign keys of one column",
      { comment: "subject_id > post, subject_id > photo", post: "id", photo: "id" },
      [],
      { "Comment/Comments": "SubjectId SubjectBySubjectId Subject" },
    ],
    [
      "three foreign keys of one column",
      { comment: "subject_id > post, subject_id > photo, subject_id > film", post: "id", photo: "id", film: "id" },
      [],
      { "Comment/Comments": "SubjectId SubjectBySubjectId2 SubjectBySubjectId Subject" },
    ],
  ])("%s", (_name, tables, links, expected) => {
    const input = namingInput(tables, links);
    const names = chooseNames(input, USUAL);
    expect(listNames(input, names)).toMatchObject(expected);
    expect(names.warnings.map(({ code }) => code)).toContain("name-clash");
  });

  test("a clash names both navigations", () => {
    const tables = {
      customer: "id",
      tag: "id, customer_id > customer",
      customer_tag: "customer_id > customer, tag_id > tag",
    };
    expect(namesOf(tables, ["customer_tag"]).warnings).toEqual([
      {
        code: "name-clash",
        place: "Customers.TagsThroughCustomerTag",
        message:
          'the navigation through public.customer_tag is not named Tags, because the reverse of the foreign key public.tag (customer_id) has that name; "Customer.TagsThroughCustomerTag" in `names` renames it',
        flag: null,
      },
    ]);
  });
});

test("relations and links with objects that are not published have no names", () => {
  const input = namingInput({ line: "order_id > order, tag_id > tag" }, ["line"]);
  const { relations, links } = chooseNames(input, USUAL);
  expect([relations.size, links.size]).toEqual([0, 0]);
});
