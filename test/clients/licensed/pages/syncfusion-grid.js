import { showOrders } from "../.generated/syncfusion-grid.js";

const state = {};
const settled = () => new Promise((resolve) => setTimeout(resolve, 1500));

export async function show() {
  document.querySelector("#content").innerHTML = '<div id="orders"></div>';
  state.grid = showOrders("#orders", globalThis.serviceRoot);
  await settled();
}

export async function search(text) {
  state.grid.search(text);
  await settled();
}

export async function filter(column, operation, value) {
  state.grid.clearFiltering();
  await settled();
  state.grid.filterByColumn(column, operation, value);
  await settled();
}

export async function edit(row, column, value) {
  state.grid.selectRow(row);
  state.grid.startEdit();
  await settled();
  const input = document.querySelector(`#orders${column}`);
  const control = input.ej2_instances?.[0];
  (control ?? input).value = value;
  control?.dataBind();
  state.grid.endEdit();
  await settled();
}
