import { OData, ODataFilter, param } from "@odata/client";

const client = () =>
  OData.New4({
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
