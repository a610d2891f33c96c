import odataProvider from "ra-data-odata-server";
import { createElement } from "react";
import { Admin, BooleanField, DataTable, List, Resource, SearchInput } from "react-admin";
import { createRoot } from "react-dom/client";

const filters = [createElement(SearchInput, { key: "q", source: "q", alwaysOn: true })];
const column = (source, field) => createElement(DataTable.Col, { key: source, source, ...(field ? { field } : {}) });

function Products() {
  return createElement(
    List,
    { filters, perPage: 5, sort: { field: "Name", order: "ASC" } },
    createElement(DataTable, {}, [
      column("id"),
      column("Name"),
      column("Price"),
      column("IsInStock", BooleanField),
      column("Released"),
    ]),
  );
}

/** Shows the list of products of an administration. */
export async function show() {
  const dataProvider = await (odataProvider.default ?? odataProvider)(`${location.origin}/odata`);
  const admin = createElement(
    Admin,
    { dataProvider, disableTelemetry: true },
    createElement(Resource, { name: "Products", list: Products }),
  );
  createRoot(document.querySelector("#content")).render(admin);
  while (!document.body.textContent.includes("Product 05")) await new Promise((resolve) => setTimeout(resolve, 50));
}
