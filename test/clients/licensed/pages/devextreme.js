import DataSource from "devextreme/data/data_source";
import ODataContext from "devextreme/data/odata/context";
import ODataStore from "devextreme/data/odata/store";

const store = (name = "Products") =>
  new ODataStore({
    url: `${location.origin}/odata/${name}`,
    key: "Id",
    keyType: "Int32",
    version: 4,
    fieldTypes: { Price: "Decimal" },
  });

export async function list() {
  const source = new DataSource({
    store: store(),
    filter: [["Name", "contains", "1"], "and", ["Price", ">", 20]],
    sort: { selector: "Id", desc: true },
    select: ["Id", "Name"],
    expand: ["Category"],
    pageSize: 3,
    requireTotalCount: true,
  });
  return { items: await source.load(), total: source.totalCount() };
}

export const search = () =>
  new DataSource({ store: store(), searchExpr: "Name", searchValue: "PRODUCT 0", paginate: false })
    .load()
    .then((rows) => rows.length);
export const count = () => store().totalCount({ filter: ["IsInStock", "=", true] });
export const byKey = (id) => store().byKey(id);
export const insert = () => store().insert({ Name: "New", Price: 5, IsInStock: true });
export const update = () => store().update(2, { Name: "Changed" });
export const remove = () => store().remove(4);

/** Two pages of a list, as it is scrolled. */
export async function grow() {
  const source = new DataSource({ store: store(), sort: "Id", pageSize: 3, select: ["Id"] });
  const first = await source.load();
  source.pageIndex(1);
  return [...first, ...(await source.load())].map(({ Id }) => Id);
}

/** Changes an entity, then changes it again with the ETag of the first read, which `beforeSend` adds. */
export async function conflict() {
  const { "@odata.etag": tag } = await fetch(`${location.origin}/odata/Products(8)`).then((answer) => answer.json());
  const guarded = new ODataStore({
    url: `${location.origin}/odata/Products`,
    key: "Id",
    keyType: "Int32",
    version: 4,
    beforeSend: (request) => {
      request.headers["If-Match"] = tag;
    },
  });
  const refused = (promise) => promise.then(() => null).catch(({ httpStatus }) => httpStatus);
  const { Name } = await guarded.update(8, { Name: "Eight" });
  return {
    name: Name,
    late: await refused(guarded.update(8, { Name: "Late" })),
    removed: await refused(guarded.remove(8)),
  };
}

const context = () =>
  new ODataContext({
    url: `${location.origin}/odata`,
    version: 4,
    entities: { Products: { key: "Id", keyType: "Int32" } },
  });

export const callFunction = () => context().get("CountAbove", { price: 50 });
export const callAction = () => context().invoke("Restock", { categoryId: 1 });
/** The client encodes the slash. */
export const callActionOfEntity = () =>
  context()
    .invoke("Products(3)/Discount", { percent: 50 })
    .then(() => null)
    .catch(({ httpStatus }) => httpStatus);
