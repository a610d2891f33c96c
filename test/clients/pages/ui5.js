/* global sap */

const serviceUrl = `${globalThis.serviceRoot}/`;

const required = (...names) =>
  new Promise((resolve, reject) => sap.ui.require(names, (...found) => resolve(found), reject));

const loaded = required(
  "sap/ui/core/Core",
  "sap/ui/model/odata/v4/ODataModel",
  "sap/m/Table",
  "sap/m/Column",
  "sap/m/ColumnListItem",
  "sap/m/Text",
  "sap/ui/model/Filter",
  "sap/ui/model/Sorter",
).then(async (found) => {
  await found[0].ready();
  return found;
});

const state = {};

async function settled(binding, start) {
  const received = new Promise((resolve) => binding.attachEventOnce("dataReceived", resolve));
  start();
  const { mParameters } = await received;
  const error = mParameters?.error;
  if (error !== undefined) throw error;
}

const rows = () => state.table.getItems().map((item) => item.getCells().map((cell) => cell.getText()));

/** Shows a list that grows, with a column of a related entity. */
export async function open(groupId, titles = ["", "", ""]) {
  const [, ODataModel, Table, Column, ColumnListItem, Text] = await loaded;
  const model = new ODataModel({ serviceUrl, autoExpandSelect: true, operationMode: "Server", groupId });
  const template = new ColumnListItem({
    cells: [new Text({ text: "{Name}" }), new Text({ text: "{Category/Name}" }), new Text({ text: "{Price}" })],
  });
  const table = new Table({
    growing: true,
    growingThreshold: 5,
    columns: titles.map((text) => new Column({ header: new Text({ text }) })),
  });
  table.setModel(model);
  table.bindItems({ path: "/Products", parameters: { $count: true, $orderby: "Id" }, template });
  table.placeAt("content");
  Object.assign(state, { model, table, binding: table.getBinding("items") });
  await new Promise((resolve) => state.binding.attachEventOnce("dataReceived", resolve));
  await new Promise((resolve) => table.attachEventOnce("updateFinished", resolve));
  return { rows: rows(), length: state.binding.getLength() };
}

/** Gives the list a title. */
export const title = (text) => state.table.setHeaderText(text);

const updated = async (start) => {
  const finished = new Promise((resolve) => state.table.attachEventOnce("updateFinished", resolve));
  await settled(state.binding, start);
  await finished;
  return { rows: rows().map(([name]) => name), length: state.binding.getLength() };
};

export const grow = () => updated(() => state.table._oGrowingDelegate.requestNewPage());
export const filter = async () => {
  const [, , , , , , Filter] = await loaded;
  return updated(() => state.binding.filter(new Filter("Name", "Contains", "1")));
};
export const sort = async () => {
  const [, , , , , , , Sorter] = await loaded;
  return updated(() => state.binding.sort(new Sorter("Id", true)));
};
export const search = () => updated(() => state.binding.changeParameters({ $search: "2" }));
export const reset = () =>
  updated(() => {
    state.binding.changeParameters({ $search: undefined });
    state.binding.sort([]);
    state.binding.filter([]);
  });

export async function create() {
  const context = state.binding.create({ Name: "New", Price: "5.00", IsInStock: true });
  await context.created();
  state.created = context;
  return { id: context.getProperty("Id"), path: context.getPath() };
}

const first = () => state.binding.getCurrentContexts().find((each) => each !== state.created);

export async function change(name) {
  await first().setProperty("Name", name);
  return first().getProperty("Name");
}

/** Changes an entity that another client has changed since it was read. */
export async function conflict() {
  const context = first();
  await fetch(`${globalThis.serviceRoot}${context.getPath()}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ Name: "By another client" }),
  });
  return context.setProperty("Name", "Lost").then(
    () => null,
    (error) => ({ status: error.status ?? error.cause?.status, message: error.message }),
  );
}

export async function refresh() {
  state.binding.resetChanges();
  return updated(() => state.binding.refresh());
}

export async function remove() {
  await first().delete();
  return state.binding.getLength();
}

export async function callFunction() {
  const operation = state.model.bindContext("/CountAbove(...)");
  operation.setParameter("price", "50");
  await (operation.invoke ?? operation.execute).call(operation);
  return operation.getBoundContext().getObject();
}

export async function callAction() {
  const operation = state.model.bindContext("Shop.Discount(...)", first());
  operation.setParameter("percent", 50);
  await (operation.invoke ?? operation.execute).call(operation);
  await first().requestRefresh();
  return first().requestProperty("Price");
}

/** Saves two changes of an application group in one change set. */
export async function saveTogether(groupId, names) {
  const [, ODataModel] = await loaded;
  const model = new ODataModel({ serviceUrl, groupId, updateGroupId: groupId });
  const list = model.bindList("/Products", undefined, [], [], { $orderby: "Id", $$updateGroupId: "save" });
  const contexts = await list.requestContexts(0, 2);
  const changes = names.map((name, index) => contexts[index].setProperty("Name", name).catch((error) => error.message));
  await model.submitBatch("save");
  return {
    hasChanges: model.hasPendingChanges(),
    changes: await Promise.race([Promise.all(changes), new Promise((r) => setTimeout(r, 5000, "pending"))]),
  };
}

/** Returns the ids of the orders that fit a filter of the model, or the message of its error. */
export async function orders(groupId, path, operator, value) {
  const [, ODataModel, , , , , Filter] = await loaded;
  const model = new ODataModel({ serviceUrl, groupId, operationMode: "Server" });
  const list = model.bindList("/Orders", undefined, [], [new Filter(path, operator, value)]);
  return list.requestContexts(0, 10).then(
    (contexts) => contexts.map((each) => each.getProperty("Id")),
    ({ message }) => message,
  );
}

/** Returns the ids and the numbers of the orders that fit an option `$filter`. */
export async function ordersBy($filter) {
  const [, ODataModel] = await loaded;
  const list = new ODataModel({ serviceUrl }).bindList("/Orders", undefined, [], [], { $filter });
  const contexts = await list.requestContexts(0, 10);
  return contexts.map((each) => [each.getProperty("Id"), each.getProperty("Number")]);
}

/** Changes entities in one group, the last one to faulty values. Returns all messages, and those at the inputs of the last one. */
export async function faults(groupId, ids, values) {
  const [, ODataModel] = await loaded;
  const [Messaging, Input, Page] = await required("sap/ui/core/Messaging", "sap/m/Input", "sap/m/Page");
  Messaging.removeAllMessages();
  const model = new ODataModel({ serviceUrl, groupId, updateGroupId: "faults", autoExpandSelect: true });
  const pages = ids.map((id) => {
    const page = new Page({ content: Object.keys(values).map((name) => new Input({ value: { path: name } })) });
    page.setModel(model);
    page.bindElement(`/Products(${id})`);
    page.placeAt("content");
    Messaging.registerObject(page, true);
    return page;
  });
  const contexts = pages.map((page) => page.getBindingContext());
  await Promise.all(contexts.map((each) => each.requestProperty(Object.keys(values))));
  const [last] = contexts.slice(-1);
  const changes = contexts.flatMap((context) => {
    const changed = context === last ? values : { Name: "Valid" };
    return Object.entries(changed).map(([name, value]) => context.setProperty(name, value).catch(() => null));
  });
  await model.submitBatch("faults");
  const found = Messaging.getMessageModel().getData();
  const messages = found.map((each) => [each.getTargets()[0], each.getType(), each.getMessage()]);
  const shown = pages.at(-1).getContent();
  // Messages reach the controls after a moment.
  while (shown.some((input) => input.getValueState() === "None")) await new Promise((next) => setTimeout(next, 50));
  const states = shown.map((input) => [input.getValueState(), input.getValueStateText()]);
  model.resetChanges("faults");
  await Promise.all(changes);
  Messaging.removeAllMessages();
  for (const page of pages) page.destroy();
  return { messages, states };
}
