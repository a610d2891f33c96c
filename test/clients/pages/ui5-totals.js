/* global sap */

const required = (...names) =>
  new Promise((resolve, reject) => sap.ui.require(names, (...found) => resolve(found), reject));

const loaded = required(
  "sap/ui/core/Core",
  "sap/ui/model/odata/v4/ODataModel",
  "sap/ui/table/Table",
  "sap/ui/table/Column",
  "sap/m/Text",
  "sap/ui/model/Filter",
  "sap/ui/model/Sorter",
).then(async (found) => {
  await found[0].ready();
  return found;
});

const state = {};

/** Waits until the rows of the binding have changed, and returns them. */
async function changed(start) {
  const { binding } = state;
  const received = new Promise((resolve) => binding.attachEventOnce("dataReceived", resolve));
  await start();
  const { mParameters } = await received;
  if (mParameters?.error !== undefined) throw mParameters.error;
  await new Promise((resolve) => setTimeout(resolve, 50));
  return rows();
}

function rows() {
  return state.binding.getAllCurrentContexts().map((context) => {
    const row = context.getObject();
    const values = state.columns.map((name) => row[name] ?? null);
    return [row["@$ui5.node.level"], ...values];
  });
}

/** Shows a table with subtotals and a grand total. */
export async function open(aggregation, columns, path = "/Products") {
  const [, ODataModel, Table, Column, Text] = await loaded;
  const model = new ODataModel({
    serviceUrl: `${globalThis.serviceRoot}/`,
    operationMode: "Server",
    autoExpandSelect: true,
  });
  const table = new Table({
    columns: columns.map(
      (name) => new Column({ label: new Text({ text: name }), template: new Text({ text: `{${name}}` }) }),
    ),
  });
  table.setModel(model);
  table.bindRows({ path, parameters: { $$aggregation: aggregation, $count: true } });
  table.placeAt("content");
  Object.assign(state, { table, columns, binding: table.getBinding("rows") });
  return changed(() => undefined);
}

/** Returns the texts of the visible cells. */
export const texts = () =>
  state.table
    .getRows()
    .filter((row) => row.getBindingContext() !== null && row.getBindingContext() !== undefined)
    .map((row) => row.getCells().map((cell) => cell.getText()));

/** Expands a group by its position. */
export const expand = (index) => changed(() => state.binding.getAllCurrentContexts()[index].expand());

/** Sorts the groups. */
export async function sort(path, isDescending) {
  const [, , , , , , Sorter] = await loaded;
  return changed(() => state.binding.sort(new Sorter(path, isDescending)));
}

/** Filters the products by a property. */
export async function filter(path, operator, value) {
  const [, , , , , Filter] = await loaded;
  return changed(() => state.binding.filter(new Filter(path, operator, value)));
}
