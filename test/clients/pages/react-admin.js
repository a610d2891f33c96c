import odataProvider from "ra-data-odata-server";

const provider = (odataProvider.default ?? odataProvider)(`${location.origin}/odata`);

export const resources = async () => (await provider).getResources();
export const list = async () =>
  (await provider).getList("Products", {
    pagination: { page: 2, perPage: 2 },
    sort: { field: "id", order: "DESC" },
    filter: { Name: "1", IsInStock_eq: true },
  });
export const one = async () => (await provider).getOne("Products", { id: 3 });
export const many = async () => (await provider).getMany("Products", { ids: [3, 5] });
export const manyReference = async () =>
  (await provider).getManyReference("Products", {
    target: "CategoryId",
    id: 2,
    pagination: { page: 1, perPage: 2 },
    sort: { field: "Id", order: "ASC" },
    filter: {},
  });
export const create = async () =>
  (await provider).create("Products", { data: { Name: "New", Price: 5, IsInStock: true } });
export const update = async () =>
  (await provider).update("Products", { id: 2, data: { Name: "Changed" }, previousData: { id: 2 } });
export const remove = async () => (await provider).delete("Products", { id: 4, previousData: { id: 4 } });

/** Two pages of a list, which the client searches in all names. */
export const search = async () => {
  const pages = [1, 2].map(async (page) =>
    (await provider).getList("Products", {
      pagination: { page, perPage: 2 },
      sort: { field: "Id", order: "ASC" },
      filter: { q: "product 0" },
    }),
  );
  return (await Promise.all(pages)).flatMap(({ data }) => data.map(({ id }) => id));
};
export const expand = async () =>
  (await provider).getList("Products", {
    pagination: { page: 1, perPage: 1 },
    sort: { field: "Id", order: "ASC" },
    filter: { Id_eq: 3 },
    meta: { expand: ["Category"] },
  });
