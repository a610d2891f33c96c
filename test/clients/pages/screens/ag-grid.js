import { AllCommunityModule, createGrid, ModuleRegistry } from "ag-grid-community";
import { connectGrid, createEntity, deleteEntity } from "../../.generated/odata-rows.js";

const reports = [];
const state = {};

function button(text, action) {
  const element = document.createElement("button");
  element.textContent = text;
  element.addEventListener("click", () => void action());
  return element;
}

function open(url, options, columnDefs) {
  ModuleRegistry.registerModules([AllCommunityModule]);
  const content = document.querySelector("#content");
  const grid = createGrid(content, {
    ...connectGrid(url, { ...options, report: (message) => reports.push(message) }),
    domLayout: "autoHeight",
    pagination: true,
    paginationPageSize: 5,
    paginationPageSizeSelector: [5, 10],
    cacheBlockSize: 5,
    defaultColDef: { flex: 1, floatingFilter: true },
    columnDefs,
  });
  Object.assign(state, { grid, url });
  return new Promise((resolve) => {
    grid.addEventListener("modelUpdated", () => {
      if (grid.getDisplayedRowAtIndex(0)?.data !== undefined) resolve();
    });
  });
}

/** Shows a grid of products, whose first column deletes a row. */
export function show() {
  const url = `${globalThis.serviceRoot}/Products`;
  const remove = ({ data }) =>
    button("Delete", async () => {
      await deleteEntity(url, data.Id, data["@odata.etag"]);
      state.grid.refreshInfiniteCache();
    });
  const create = button("Create", async () => {
    await createEntity(url, { Name: "New", Price: "5.00", IsInStock: true });
    state.grid.refreshInfiniteCache();
  });
  document.querySelector("#content").before(create);
  return open(url, { expand: "Category" }, [
    { headerName: "", cellRenderer: remove, sortable: false, floatingFilter: false },
    { field: "Id", filter: "agNumberColumnFilter" },
    { field: "Name", filter: "agTextColumnFilter", editable: true, flex: 2 },
    { field: "Price", filter: "agNumberColumnFilter", editable: true },
    { field: "Released", filter: "agDateColumnFilter", flex: 2 },
    { field: "Category.Name", headerName: "Category", filter: "agTextColumnFilter", flex: 2 },
  ]);
}

/** Shows a grid of orders. */
export function showOrders() {
  const filterParams = { filterOptions: ["equals", "notEqual"] };
  return open(`${globalThis.serviceRoot}/Orders`, { dateTimes: ["OrderedAt"] }, [
    { field: "Id", filter: "agNumberColumnFilter" },
    { field: "Number", filter: "agNumberColumnFilter", flex: 2 },
    {
      field: "Status",
      filter: "agTextColumnFilter",
      filterParams,
      editable: true,
      cellEditor: "agSelectCellEditor",
      cellEditorParams: { values: ["New", "Paid", "Shipped"] },
    },
    { field: "OrderedAt", filter: "agDateColumnFilter", flex: 2 },
    { field: "DueOn", filter: "agDateColumnFilter", editable: true, cellEditor: "agDateStringCellEditor", flex: 2 },
  ]);
}

/** Filters as a user does in the columns. */
export const filterBy = (model) => state.grid.setFilterModel(model);
/** Closes the grid. */
export const close = () => state.grid.destroy();
/** The ETag of the first row, as the grid knows it. */
export const tag = () => state.grid.getDisplayedRowAtIndex(0)?.data?.["@odata.etag"];
export const reported = () => reports.splice(0);
