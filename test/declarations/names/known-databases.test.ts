import { describe, expect, test } from "vitest";
import { chooseNames } from "../../../src/declarations/names/choose-names.ts";
import { listNames, namingInput, type Tables, USUAL } from "./naming-input.ts";

const CHINOOK: Tables = {
  Album: "AlbumId, Title, ArtistId > Artist",
  Artist: "ArtistId, Name",
  Customer: "CustomerId, FirstName, SupportRepId > Employee",
  Employee: "EmployeeId, LastName, ReportsTo > Employee",
  Genre: "GenreId, Name",
  Invoice: "InvoiceId, CustomerId > Customer, Total",
  InvoiceLine: "InvoiceLineId, InvoiceId > Invoice, TrackId > Track",
  MediaType: "MediaTypeId, Name",
  Playlist: "PlaylistId, Name",
  PlaylistTrack: "PlaylistId > Playlist, TrackId > Track",
  Track: "TrackId, Name, AlbumId > Album, MediaTypeId > MediaType, GenreId > Genre",
};

const NORTHWIND: Tables = {
  Categories: "CategoryID, CategoryName",
  CustomerCustomerDemo: "CustomerID > Customers, CustomerTypeID > CustomerDemographics",
  CustomerDemographics: "CustomerTypeID, CustomerDesc",
  Customers: "CustomerID, CompanyName",
  EmployeeTerritories: "EmployeeID > Employees, TerritoryID > Territories",
  Employees: "EmployeeID, LastName, ReportsTo > Employees",
  "Order Details": "OrderID > Orders, ProductID > Products, UnitPrice",
  Orders: "OrderID, CustomerID > Customers, EmployeeID > Employees, ShipVia > Shippers",
  Products: "ProductID, SupplierID > Suppliers, CategoryID > Categories",
  Region: "RegionID, RegionDescription",
  Shippers: "ShipperID, CompanyName",
  Suppliers: "SupplierID, CompanyName",
  Territories: "TerritoryID, RegionID > Region",
  "Alphabetical list of products": "ProductID",
  "Category Sales for 1997": "CategoryName",
  "Current Product List": "ProductID",
  "Customer and Suppliers by City": "City",
  Invoices: "OrderID",
  "Orders Qry": "OrderID",
  "Products by Category": "ProductName",
  "Quarterly Orders": "CustomerID",
  "Sales Totals by Amount": "OrderID",
};

const SAKILA: Tables = {
  actor: "actor_id, first_name, last_update",
  address: "address_id, city_id > city",
  category: "category_id, name",
  city: "city_id, country_id > country",
  country: "country_id, country",
  customer: "customer_id, store_id > store, address_id > address",
  film: "film_id, language_id > language, original_language_id > language, enum(rating), special_features",
  film_actor: "actor_id > actor, film_id > film, last_update",
  film_category: "film_id > film, category_id > category, last_update",
  film_text: "film_id, title",
  inventory: "inventory_id, film_id > film, store_id > store",
  language: "language_id, name",
  payment: "payment_id, customer_id > customer, staff_id > staff, rental_id > rental",
  rental: "rental_id, inventory_id > inventory, customer_id > customer, staff_id > staff",
  staff: "staff_id, address_id > address, store_id > store, password",
  store: "store_id, manager_staff_id >> staff, address_id > address",
  sales_by_store: "store",
};

describe("names of known databases", () => {
  test("Chinook", () => {
    const input = namingInput(CHINOOK, ["PlaylistTrack"]);
    const names = chooseNames(input, USUAL);
    expect(names.warnings).toEqual([]);
    expect(listNames(input, names)).toEqual({});
  });

  test("Northwind", () => {
    const input = namingInput(NORTHWIND, ["CustomerCustomerDemo", "EmployeeTerritories", "Order Details"]);
    const names = chooseNames(input, USUAL);
    expect(names.warnings).toEqual([]);
    expect(listNames(input, names)).toEqual({});
  });

  test("Sakila", () => {
    const input = namingInput(SAKILA, ["film_actor", "film_category"]);
    const names = chooseNames(input, USUAL);
    expect(names.warnings).toEqual([]);
    expect(listNames(input, names)).toEqual({});
  });
});
