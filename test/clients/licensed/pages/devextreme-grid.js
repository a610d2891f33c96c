import { showOrders } from "../.generated/devextreme-grid.js";

const state = {};
const settled = () => new Promise((resolve) => setTimeout(resolve, 1500));

export async function show() {
  state.grid = showOrders(document.querySelector("#content"), globalThis.serviceRoot);
  await settled();
}

export async function search(text) {
  state.grid.searchByText(text);
  await settled();
}

export async function filter(column, operation, value) {
  state.grid.beginUpdate();
  state.grid.clearFilter();
  state.grid.columnOption(column, "selectedFilterOperation", operation);
  state.grid.columnOption(column, "filterValue", value);
  state.grid.endUpdate();
  await settled();
}

export async function edit(row, column, value) {
  state.grid.cellValue(row, column, value);
  await state.grid.saveEditData();
  await settled();
}
