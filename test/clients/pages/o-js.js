import { o } from "odata";

const root = `${location.origin}/odata/`;

export const list = () =>
  o(root).get("Products").query({ $filter: "IsInStock eq true", $orderby: "Price desc", $top: 3, $select: "Id,Name" });
export const create = () => o(root).post("Products", { Name: "New", Price: 5, IsInStock: true }).query();
export const update = () => o(root).patch("Products(2)", { Name: "Changed" }).query();
export const remove = async () => (await o(root).delete("Products(4)").query()).status;
export const batch = () => {
  const request = o(root);
  request.get("Products(1)?$select=Name");
  request.get("Categories/$count");
  return request.batch();
};
export const save = async () => {
  const answer = await o(root)
    .patch("Products(7)", { Name: "Seven" })
    .post("Products", { Name: "Added", Price: 6, IsInStock: false })
    .batch();
  return answer;
};

const withTag = (tag) => o(root, { headers: { "Content-Type": "application/json", "If-Match": tag } });
const status = (promise) =>
  promise.then(
    () => null,
    (response) => response.status,
  );

export const grow = async () => {
  const pages = [];
  for (const $skip of [0, 2]) pages.push(await o(root).get("Products").query({ $top: 2, $skip, $select: "Id" }));
  return pages.flat().map(({ Id }) => Id);
};
export const search = () => o(root).get("Products").query({ $search: '"product 05"', $select: "Name" });
export const expand = () => o(root).get("Products(3)").query({ $select: "Id", $expand: "Category" });
/** Changes an entity, then changes it again with the ETag of the first read. */
export const conflict = async () => {
  const { "@odata.etag": tag } = await o(root).get("Products(8)").query();
  const changed = await withTag(tag).patch("Products(8)", { Name: "Eight" }).query();
  const late = await status(withTag(tag).patch("Products(8)", { Name: "Late" }).query());
  const removed = await status(withTag(tag).delete("Products(8)").query());
  return { name: changed.Name, late, removed };
};
export const callFunction = () => o(root).get("CountAbove(price=50)").query();
export const callActions = async () => [
  (await o(root).post("Products(3)/Shop.Discount", { percent: 50 }).query()).status,
  await o(root).post("Restock", { categoryId: 1 }).query(),
];
