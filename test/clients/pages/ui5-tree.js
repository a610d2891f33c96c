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
  "sap/ui/table/plugins/ODataV4Hierarchy",
  "sap/ui/table/rowmodes/Fixed",
).then(async (found) => {
  await found[0].ready();
  return found;
});

const state = {};
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** The shown nodes: each with its level, whether it is expanded, and its name. */
export function nodes() {
  const { binding } = state;
  return binding.getAllCurrentContexts().map((context) => {
    const node = context.getObject();
    const isExpanded = context.isExpanded();
    const sign = isExpanded === undefined ? "" : isExpanded ? "-" : "+";
    return `${".".repeat(node["@$ui5.node.level"] - 1)}${sign}${node.Name}`;
  });
}

/** Waits until no request is open. */
async function settled() {
  const { model, binding } = state;
  do await pause(50);
  while (model.hasPendingChanges() || binding.isLengthFinal() === false || state.open > 0);
  await pause(100);
  return nodes();
}

/** Shows a tree, expanded to a level. */
export async function open(expandTo = 1, length = 20) {
  const [, ODataModel, Table, Column, Text, , , Hierarchy, Fixed] = await loaded;
  const model = new ODataModel({
    serviceUrl: `${globalThis.serviceRoot}/`,
    operationMode: "Server",
    autoExpandSelect: true,
  });
  state.table?.destroy();
  // A table with this plugin is the tree table of OData 4.
  const table = new Table({
    rowMode: new Fixed({ rowCount: length }),
    dependents: [new Hierarchy()],
    threshold: 0,
    columns: ["Name"].map(
      (name) => new Column({ label: new Text({ text: name }), template: new Text({ text: `{${name}}` }) }),
    ),
  });
  table.setModel(model);
  table.bindRows({
    path: "/Parts",
    parameters: { $$aggregation: { expandTo, hierarchyQualifier: "PartTree" }, $count: true, $orderby: "Id" },
  });
  table.placeAt("content");
  Object.assign(state, { table, model, binding: table.getBinding("rows"), open: 0 });
  const { binding } = state;
  binding.attachDataRequested(() => (state.open += 1));
  binding.attachDataReceived((event) => {
    state.open -= 1;
    if (event.getParameter("error")) state.error = String(event.getParameter("error"));
  });
  await new Promise((resolve) => binding.attachEventOnce("dataReceived", resolve));
  return settled();
}

const find = (name) => state.binding.getAllCurrentContexts().find((context) => context.getProperty("Name") === name);

export const expand = async (name, levels) => (await find(name).expand(levels), settled());
/** Expands the row of the widget that shows a node. */
export const expandRow = async (name) => {
  state.table
    .getRows()
    .find((row) => row.getCells()[0].getText() === name)
    .expand();
  return settled();
};
export const collapse = async (name) => (find(name).collapse(), settled());

/** The texts of the visible rows of the widget. */
export const texts = () =>
  state.table
    .getRows()
    .map((row) => row.getCells()[0].getText())
    .filter((text) => text !== "");

export async function filter(path, operator, value) {
  const [, , , , , Filter] = await loaded;
  state.binding.filter(value === undefined ? [] : new Filter(path, operator, value));
  await new Promise((resolve) => state.binding.attachEventOnce("dataReceived", resolve));
  return settled();
}

export async function sort(path, isDescending) {
  const [, , , , , , Sorter] = await loaded;
  state.binding.sort(new Sorter(path, isDescending));
  await new Promise((resolve) => state.binding.attachEventOnce("dataReceived", resolve));
  return settled();
}

export async function create(parent, name) {
  const created = state.binding.create(
    { Name: name, "@$ui5.node.parent": parent === null ? null : find(parent) },
    true,
  );
  await created.created();
  return settled();
}

export async function move(name, parent) {
  await find(name).move({ parent: parent === null ? null : find(parent) });
  return settled();
}

export async function remove(name) {
  await find(name).delete();
  return settled();
}
