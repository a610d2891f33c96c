import { describe, expect, test } from "vitest";
import { chooseNames } from "../../../../src/tools/declarations/names/choose-names.ts";
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
    expect(listNames(input, names)).toEqual({
      "Album/Albums": "AlbumId Title ArtistId Artist Tracks",
      "Artist/Artists": "ArtistId Name Albums",
      "Customer/Customers": "CustomerId FirstName SupportRepId SupportRep Invoices",
      "Employee/Employees":
        "EmployeeId LastName ReportsTo ReportsToEmployee CustomersBySupportRep EmployeesByReportsTo",
      "Genre/Genres": "GenreId Name Tracks",
      "Invoice/Invoices": "InvoiceId CustomerId Total Customer InvoiceLines",
      "InvoiceLine/InvoiceLines": "InvoiceLineId InvoiceId TrackId Invoice Track",
      "MediaType/MediaTypes": "MediaTypeId Name Tracks",
      "Playlist/Playlists": "PlaylistId Name PlaylistTracks Tracks",
      "PlaylistTrack/PlaylistTracks": "PlaylistId TrackId Playlist Track",
      "Track/Tracks":
        "TrackId Name AlbumId MediaTypeId GenreId Album MediaType Genre InvoiceLines PlaylistTracks Playlists",
    });
  });

  test("Northwind", () => {
    const input = namingInput(NORTHWIND, ["CustomerCustomerDemo", "EmployeeTerritories", "Order Details"]);
    const names = chooseNames(input, USUAL);
    expect(names.warnings).toEqual([]);
    expect(listNames(input, names)).toEqual({
      "AlphabeticalListOfProduct/AlphabeticalListOfProducts": "ProductID",
      "Category/Categories": "CategoryID CategoryName Products",
      "CategorySalesFor1997/CategorySalesFor1997": "CategoryName",
      "CurrentProductList/CurrentProductLists": "ProductID",
      "Customer/Customers":
        "CustomerID CompanyName CustomerCustomerDemos Orders CustomerTypesThroughCustomerCustomerDemo",
      "CustomerAndSuppliersByCity/CustomerAndSuppliersByCities": "City",
      "CustomerCustomerDemo/CustomerCustomerDemos": "CustomerID CustomerTypeID Customer CustomerType",
      "CustomerDemographic/CustomerDemographics":
        "CustomerTypeID CustomerDesc CustomerCustomerDemosByCustomerType CustomersThroughCustomerCustomerDemo",
      "Employee/Employees":
        "EmployeeID LastName ReportsTo ReportsToEmployee EmployeeTerritories EmployeesByReportsTo Orders Territories",
      "EmployeeTerritory/EmployeeTerritories": "EmployeeID TerritoryID Employee Territory",
      "Invoice/Invoices": "OrderID",
      "Order/Orders":
        "OrderID CustomerID EmployeeID ShipVia Customer Employee Shipper OrderDetails ProductsThroughOrderDetail",
      "OrderDetail/OrderDetails": "OrderID ProductID UnitPrice Order Product",
      "OrdersQry/OrdersQrys": "OrderID",
      "Product/Products": "ProductID SupplierID CategoryID Supplier Category OrderDetails OrdersThroughOrderDetail",
      "ProductsByCategory/ProductsByCategories": "ProductName",
      "QuarterlyOrder/QuarterlyOrders": "CustomerID",
      "Region/Regions": "RegionID RegionDescription Territories",
      "SalesTotalsByAmount/SalesTotalsByAmounts": "OrderID",
      "Shipper/Shippers": "ShipperID CompanyName Orders",
      "Supplier/Suppliers": "SupplierID CompanyName Products",
      "Territory/Territories": "TerritoryID RegionID Region EmployeeTerritories Employees",
    });
  });

  test("Sakila", () => {
    const input = namingInput(SAKILA, ["film_actor", "film_category"]);
    const names = chooseNames(input, USUAL);
    expect(names.warnings).toEqual([]);
    expect(listNames(input, names)).toEqual({
      "Actor/Actors": "ActorId FirstName LastUpdate FilmActors Films",
      "Address/Addresses": "AddressId CityId City Customers Staff Stores",
      "Category/Categories": "CategoryId Name FilmCategories Films",
      "City/Cities": "CityId CountryId Country Addresses",
      "Country/Countries": "CountryId Country Cities",
      "Customer/Customers": "CustomerId StoreId AddressId Store Address Payments Rentals",
      "Film/Films":
        "FilmId LanguageId OriginalLanguageId Rating SpecialFeatures Language OriginalLanguage FilmActors FilmCategories Inventories Actors Categories",
      "FilmActor/FilmActors": "ActorId FilmId LastUpdate Actor Film",
      "FilmCategory/FilmCategories": "FilmId CategoryId LastUpdate Film Category",
      "FilmText/FilmTexts": "FilmId Title",
      "Inventory/Inventories": "InventoryId FilmId StoreId Film Store Rentals",
      "Language/Languages": "LanguageId Name Films FilmsByOriginalLanguage",
      "Payment/Payments": "PaymentId CustomerId StaffId RentalId Customer Staff Rental",
      "Rental/Rentals": "RentalId InventoryId CustomerId StaffId Inventory Customer Staff Payments",
      "SalesByStore/SalesByStores": "Store",
      "Staff/Staff": "StaffId AddressId StoreId Password Address Store Payments Rentals StoreByManagerStaff",
      "Store/Stores": "StoreId ManagerStaffId AddressId ManagerStaff Address Customers Inventories Staff",
    });
  });
});
