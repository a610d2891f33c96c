import { createElement } from "react";
import {
  Admin,
  BooleanField,
  BooleanInput,
  Create,
  DataTable,
  DateField,
  DateInput,
  Edit,
  List,
  NumberInput,
  Resource,
  SearchInput,
  SelectInput,
  SimpleForm,
  TextInput,
} from "react-admin";
import { createRoot } from "react-dom/client";
import { shopProvider } from "../../.generated/shop-provider.js";

const made = (component, props = {}, ...children) => createElement(component, props, ...children);
const column = (source, field) => made(DataTable.Col, { key: source, source, ...(field ? { field } : {}) });
const search = made(SearchInput, { key: "q", source: "q", alwaysOn: true });

const Products = () =>
  made(
    List,
    {
      filters: [
        search,
        made(NumberInput, { key: "Price_gt", source: "Price_gt", label: "Price above", alwaysOn: true }),
      ],
      perPage: 5,
      sort: { field: "Name", order: "ASC" },
    },
    made(
      DataTable,
      {},
      column("id"),
      column("Name"),
      column("Price"),
      column("IsInStock", BooleanField),
      column("Released"),
    ),
  );
const productForm = () =>
  made(
    SimpleForm,
    {},
    made(TextInput, { source: "Name" }),
    made(NumberInput, { source: "Price" }),
    made(BooleanInput, { source: "IsInStock", defaultValue: false }),
    made(DateInput, { source: "Released" }),
  );

const STATUSES = ["New", "Paid", "Shipped"].map((id) => ({ id, name: id }));
const Orders = () =>
  made(
    List,
    {
      filters: [made(SelectInput, { key: "Status_eq", source: "Status_eq", choices: STATUSES, alwaysOn: true })],
      sort: { field: "OrderedAt", order: "DESC" },
    },
    made(
      DataTable,
      {},
      column("id"),
      column("Number"),
      column("Status"),
      column("OrderedAt", DateField),
      column("DueOn"),
    ),
  );
const orderForm = () =>
  made(
    SimpleForm,
    {},
    made(SelectInput, { source: "Status", choices: STATUSES }),
    made(DateInput, { source: "DueOn" }),
    made(TextInput, { source: "Number" }),
  );

const editor = (form) => () => made(Edit, { mutationMode: "pessimistic" }, form());
const creator = (form) => () => made(Create, { redirect: "list" }, form());

/** Shows an administration of products and orders, which starts with the list of products. */
export async function show() {
  const dataProvider = await shopProvider(globalThis.serviceRoot);
  const admin = made(
    Admin,
    { dataProvider, disableTelemetry: true },
    made(Resource, { name: "Products", list: Products, edit: editor(productForm), create: creator(productForm) }),
    made(Resource, { name: "Orders", list: Orders, edit: editor(orderForm) }),
  );
  createRoot(document.querySelector("#content")).render(admin);
  while (!document.body.textContent.includes("Product 05")) await new Promise((resolve) => setTimeout(resolve, 50));
}
