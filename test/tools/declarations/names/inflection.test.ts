import { describe, expect, test } from "vitest";
import {
  inflect,
  pluralOfNoun,
  singularOf,
  IRREGULAR_NOUNS,
  OTHER_PLURALS,
  UNCHANGED_NOUNS,
  pascalCase,
  wordsOf,
} from "../../../../src/tools/declarations/names/inflection.ts";

describe("the entity type and entity set of a name", () => {
  test.each([
    ["people", "Person", "People"],
    ["person", "Person", "People"],
    ["staff", "Staff", "Staff"],
    ["Order Details", "OrderDetail", "OrderDetails"],
    ["OrderDetails", "OrderDetail", "OrderDetails"],
    ["EmployeeTerritories", "EmployeeTerritory", "EmployeeTerritories"],
    ["tbl_customers", "TblCustomer", "TblCustomers"],
    ["INVOICES", "Invoice", "Invoices"],
    ["CPUs", "CPU", "CPUs"],
    ["UserIDs", "UserID", "UserIDs"],
    ["UserGPS", "UserGPS", "UserGPS"],
    ["UserURL", "UserURL", "UserURLs"],
    ["gps", "Gps", "Gps"],
    ["DNS", "Dns", "Dns"],
    ["indices", "Index", "Indices"],
    ["index", "Index", "Indexes"],
    ["salespeople", "Salesperson", "Salespeople"],
    ["grandchild", "Grandchild", "Grandchildren"],
    ["SalesPeople", "SalesPerson", "SalesPeople"],
    ["metadata", "Metadata", "Metadata"],
    ["timeseries", "Timeseries", "Timeseries"],
    ["middleware", "Middleware", "Middleware"],
    ["warehouses", "Warehouse", "Warehouses"],
    ["orders_2024", "Orders2024", "Orders2024"],
    ["checklist_item_1", "ChecklistItem1", "ChecklistItem1"],
    ["Möbel Stück", "MöbelStück", "MöbelStück"],
    ["Büro Adressen Liste", "BüroAdressenListe", "BüroAdressenListes"],
    ["заказы", "Заказы", "Заказы"],
    ["订单", "订单", "订单"],
    ["x", "X", "Xes"],
    ["as", "As", "Ases"],
    ["%", "U25", "U25"],
  ])("%s: %s, %s", (name, typeName, setName) => {
    const [singular, plural] = inflect(wordsOf(name));
    expect([pascalCase(singular), pascalCase(plural)]).toEqual([typeName, setName]);
  });
});

/** Nouns of databases whose forms follow the rules. */
const REGULAR = `order orders, category categories, day days, key keys, address addresses, process processes, status statuses,
  bus buses, virus viruses, bonus bonuses, campus campuses, radius radiuses, case cases, phase phases, purchase purchases,
  release releases, response responses, database databases, invoice invoices, house houses, clause clauses, pause pauses,
  expense expenses, license licenses, course courses, box boxes, tax taxes, dish dishes, batch batches, branch branches,
  buzz buzzes, waltz waltzes, size sizes, prize prizes, photo photos, logo logos, shoe shoes, archive archives,
  drive drives, image images, language languages, city cities, territory territories, employee employees, fee fees,
  schema schemas, quota quotas, area areas, matrix matrixes, film films, actor actors, queue queues, value values,
  glass glasses, class classes, boss bosses, alley alleys, essay essays, exercise exercises, premise premises, dose doses`;

describe("singular and plural are inverse", () => {
  test.each(IRREGULAR_NOUNS)("%s", (row) => {
    const [singular = "", plural = ""] = row.split(" ");
    expect([singularOf(plural), pluralOfNoun(singular)]).toEqual([singular, plural]);
    expect(singularOf(singular)).toBe(singular);
  });

  test.each(REGULAR.split(",").map((row) => row.trim()))("%s", (row) => {
    const [singular = "", plural = ""] = row.split(" ");
    expect([singularOf(plural), pluralOfNoun(singular), singularOf(singular)]).toEqual([singular, plural, singular]);
  });

  test.each(UNCHANGED_NOUNS.flatMap((words) => words.split(" ")))("%s", (word) => {
    expect([singularOf(word), pluralOfNoun(word)]).toEqual([word, word]);
  });
});

test.each(OTHER_PLURALS)("another plural has the same singular: %s", (row) => {
  const [singular = "", plural = ""] = row.split(" ");
  expect(singularOf(plural)).toBe(singular);
  expect(inflect([plural])).toEqual([[singular], [plural]]);
});

test("the table has each plural once", () => {
  const plurals = [...IRREGULAR_NOUNS, ...OTHER_PLURALS].map((row) => row.split(" ")[1]);
  expect(new Set(plurals).size).toBe(plurals.length);
});
