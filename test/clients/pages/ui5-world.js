/* global sap */

const required = (...names) =>
  new Promise((resolve, reject) => sap.ui.require(names, (...found) => resolve(found), reject));

const opened = required(
  "sap/ui/core/Core",
  "sap/ui/model/odata/v4/ODataModel",
  "sap/m/VBox",
  "sap/m/Label",
  "sap/m/Text",
).then(async ([Core, ODataModel, VBox, Label, Text]) => {
  await Core.ready();
  const model = new ODataModel({ serviceUrl: "/odata/", autoExpandSelect: true, operationMode: "Server" });
  return { model, meta: model.getMetaModel(), VBox, Label, Text };
});

const LABEL = "@com.sap.vocabularies.Common.v1.Label";

/** Shows a form of a stop: each label comes from the annotations. */
export async function form() {
  const { model, meta, VBox, Label, Text } = await opened;
  const box = new VBox();
  for (const name of ["Position", "Place", "Nights", "CityId"]) {
    const text = await meta.requestObject(`/Stops/${name}${LABEL}`);
    box.addItem(new Label({ text }));
    box.addItem(new Text({ text: `{${name}}` }));
  }
  box.setModel(model);
  box.bindElement("/Stops(1)");
  box.placeAt("content");
  await new Promise((resolve) => box.getElementBinding().attachEventOnce("dataReceived", resolve));
  // The texts follow the data.
  while (box.getItems().at(-1).getText() === "") await new Promise((resolve) => setTimeout(resolve, 50));
  return box.getItems().map((item) => item.getText());
}

/** Reads the value help of the city: its columns, and its rows. */
export async function valueHelp(search) {
  const { meta } = await opened;
  const lists = await meta.requestValueListInfo("/Stops/CityId");
  const [{ $model: model, CollectionPath: path, Parameters: parameters }] = Object.values(lists);
  const names = parameters.map(({ ValueListProperty }) => ValueListProperty);
  const options = { $select: names.join(","), $search: search };
  const contexts = await model.bindList(`/${path}`, undefined, [], [], options).requestContexts(0, 10);
  return {
    path,
    kinds: parameters.map(({ $Type }) => $Type),
    rows: contexts.map((each) => names.map((name) => each.getProperty(name))),
  };
}

/** The columns of a list of trips, as Fiori elements reads them. */
export async function columns() {
  const { meta } = await opened;
  const items = await meta.requestObject("/Trips/@com.sap.vocabularies.UI.v1.LineItem");
  return Promise.all(
    items.map(async ({ Value }) => [Value.$Path, await meta.requestObject(`/Trips/${Value.$Path}${LABEL}`)]),
  );
}
