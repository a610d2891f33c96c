import { showOrders } from "../.generated/kendo-grid.js";

const state = {};
const settled = () => new Promise((resolve) => setTimeout(resolve, 1500));

export async function show() {
  state.grid = showOrders("#content", globalThis.serviceRoot);
  await settled();
}

export async function search(text) {
  globalThis.$("#content .k-grid-search input").val(text).trigger("input");
  await settled();
}

export async function filter(column, operation, value) {
  state.grid.dataSource.filter({ field: column, operator: operation, value });
  await settled();
}

export async function edit(row, column, value) {
  state.grid.dataSource.at(row).set(column, value);
  await state.grid.dataSource.sync();
  await settled();
}
