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

/** Two pages of a list. */
export async function grow() {
  const data = source({ sort: { field: "Id", dir: "asc" }, pageSize: 3 });
  await settled(data, () => data.read());
  const first = Array.from(data.view(), (each) => each.Id);
  await settled(data, () => data.query({ page: 2, pageSize: 3, sort: { field: "Id", dir: "asc" } }));
  return [...first, ...Array.from(data.view(), (each) => each.Id)];
}

/** Options of the URL of `read` are kept. */
export async function searchAndExpand() {
  const data = source({ transport: { read: { url: `${url}?$search=product%2005&$expand=Category` } } });
  await settled(data, () => data.read());
  return Array.from(data.view(), (each) => [each.Name, each.Category.Name]);
}

/** Changes an entity by PATCH with the ETag that it was read with, twice. */
export async function conflict() {
  const transport = {
    read: { url },
    update: {
      url: ({ Id }) => `${url}(${Id})`,
      type: "PATCH",
      beforeSend: (xhr) => xhr.setRequestHeader("If-Match", tag),
    },
  };
  const data = source({ transport, filter: { field: "Id", operator: "eq", value: 8 } });
  await settled(data, () => data.read());
  const tag = data.at(0)["@odata.etag"];
  const save = (name) => {
    data.at(0).set("Name", name);
    return settled(data, () => data.sync()).then(
      () => "saved",
      ({ message }) => message.slice(0, 3),
    );
  };
  return [await save("Eight"), await save("Late")];
}
