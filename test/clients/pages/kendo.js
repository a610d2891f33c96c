import "./jquery-global.js";
import kendo from "@progress/kendo-ui/esm/kendo.data.js";
import "@progress/kendo-ui/esm/kendo.data.odata.js";

const url = `${location.origin}/odata/Products`;

function source(options = {}) {
  return new kendo.data.DataSource({
    type: "odata-v4",
    serverPaging: true,
    serverFiltering: true,
    serverSorting: true,
    pageSize: 5,
    transport: {
      read: { url },
      create: { url },
      update: { url: ({ Id }) => `${url}(${Id})` },
      destroy: { url: ({ Id }) => `${url}(${Id})` },
      batch: { url: `${location.origin}/odata/$batch` },
    },
    schema: {
      model: {
        id: "Id",
        fields: {
          Id: { type: "number", editable: false },
          Name: { type: "string" },
          Price: { type: "number" },
          IsInStock: { type: "boolean" },
          Released: { type: "string" },
        },
      },
    },
    ...options,
  });
}

const settled = (data, start) =>
  new Promise((resolve, reject) => {
    data.bind("error", ({ xhr, errorThrown }) =>
      reject(new Error(`${xhr?.status} ${xhr?.responseText} ${errorThrown}`)),
    );
    start().then(resolve, reject);
  });

export async function list() {
  const data = source({
    filter: [
      { field: "Name", operator: "contains", value: "1" },
      { field: "Released", operator: "gte", value: new Date(Date.UTC(2026, 0, 10)) },
    ],
    sort: { field: "Id", dir: "desc" },
  });
  await settled(data, () => data.read());
  return { total: data.total(), names: Array.from(data.view(), (each) => each.Name) };
}

export async function save({ batch }) {
  const data = source({ batch });
  await settled(data, () => data.read());
  data.at(0).set("Name", "Changed");
  data.remove(data.at(1));
  data.add({ Name: "New", Price: 5, IsInStock: true });
  await settled(data, () => data.sync());
  return {
    hasChanges: data.hasChanges(),
    first: data.at(0).Name,
    id: data.data().find((each) => each.Name === "New")?.Id,
  };
}
