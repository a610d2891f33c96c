import { OData, ODataFilter, param } from "@odata/client";

const client = (commonHeaders = {}) =>
  OData.New4({
    commonHeaders,
    serviceEndpoint: `${location.origin}/odata/`,
    variant: "default",
    fetchProxy: async (url, init) => {
      const response = await fetch(url, init);
      const text = await response.text();
      const content = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
      return { content, response };
    },
  });
export const list = async () => {
  const set = client().getEntitySet("Products");
  const filter = OData.newFilter().property("Id").in([1, 2, 3]).property("IsInStock").eq(true);
  return set.query(filter, OData.newParam().orderby("Id", "desc"));
};
export const create = () => client().getEntitySet("Products").create({ Name: "New", Price: 5, IsInStock: true });
export const update = () => client().getEntitySet("Products").update(2, { Name: "Changed" });
export const remove = () => client().getEntitySet("Products").delete(4);
export const count = () => client().getEntitySet("Products").count();
export const batch = async () => {
  const odata = client();
  const requests = [
    odata.newBatchRequest({
      collection: "Products",
      entity: { Name: "Batched", Price: 5, IsInStock: true },
      method: "POST",
    }),
    odata.newBatchRequest({ collection: "Products", method: "GET", id: 1 }),
  ];
  const responses = await odata.execBatchRequests(requests);
  return Promise.all(responses.map(async (each) => ({ status: each.status, text: await each.text() })));
};

export const grow = async () => {
  const set = client().getEntitySet("Products");
  const pages = [0, 2].map((skip) => set.query(OData.newParam().orderby("Id", "asc").skip(skip).top(2)));
  return (await Promise.all(pages)).flat().map(({ Id }) => Id);
};
export const searchAndExpand = async () => {
  const options = OData.newParam().search("product 05", false).expand("Category");
  return (await client().getEntitySet("Products").query(options)).map(({ Name, Category }) => [Name, Category.Name]);
};
/** Changes an entity, then changes it again with the ETag of the first read, which is a header of all requests. */
export const conflict = async () => {
  const { "@odata.etag": tag } = await client().getEntitySet("Products").retrieve(8);
  const guarded = client({ "If-Match": tag }).getEntitySet("Products");
  const outcome = (promise) =>
    promise.then(
      () => "saved",
      ({ message }) => message,
    );
  return [await outcome(guarded.update(8, { Name: "Eight" })), await outcome(guarded.update(8, { Name: "Late" }))];
};
export const callOperations = async () => {
  const odata = client();
  await odata.getEntitySet("Products").action("Shop.Discount", 3, { percent: 50 });
  const counted = await odata.newRequest({ collection: "CountAbove(price=50)", method: "GET" });
  const restocked = await odata.newRequest({ collection: "Restock", method: "POST", entity: { categoryId: 1 } });
  return [(await odata.getEntitySet("Products").retrieve(3)).Price, counted.value, restocked.value];
};
