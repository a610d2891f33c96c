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
