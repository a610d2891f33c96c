import buildQuery from "odata-query";

const get = async (path, query) => {
  const response = await fetch(`${location.origin}/odata/${path}${(buildQuery.default ?? buildQuery)(query)}`);
  return { status: response.status, ...(await response.json()) };
};

export const filters = () =>
  get("Products", {
    filter: {
      and: [
        { Name: { contains: "1" } },
        { or: [{ Price: { gt: 20 } }, { IsInStock: false }] },
        { Id: { in: [1, 15, 31] } },
      ],
    },
    orderBy: ["Id desc"],
    select: ["Id"],
    count: true,
    top: 2,
  });
export const expands = () =>
  get("Categories", {
    filter: { Products: { any: { Id: 3 } }, not: { Name: "Tables" } },
    expand: {
      Products: {
        select: ["Id"],
        top: 2,
        orderBy: "Id desc",
        expand: "Category",
        filter: { Released: { ge: { type: "raw", value: "2026-01-05" } } },
      },
    },
  });
export const search = () => get("Products", { search: "product 0", top: 1, skip: 1, select: "Name" });

const pathOf = (query) => (buildQuery.default ?? buildQuery)(query);
const send = async (method, path, body, headers = {}) => {
  const response = await fetch(`${location.origin}/odata/${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, ...(text === "" ? {} : JSON.parse(text)) };
};

export const callFunction = () => send("GET", pathOf({ func: { CountAbove: { price: 50 } } }).slice(1));
export const callAction = () => send("POST", `Products${pathOf({ key: 3, action: "Shop.Discount" })}`, { percent: 50 });
/** The URLs are those of the client, the requests those of `fetch`. */
export const save = async () => {
  const path = `Products${pathOf({ key: 2 })}`;
  const { "@odata.etag": tag } = await send("GET", path);
  const created = await send("POST", "Products", { Name: "New", Price: 5, IsInStock: true });
  const changed = await send("PATCH", path, { Name: "Changed" }, { "If-Match": tag });
  const late = await send("PATCH", path, { Name: "Late" }, { "If-Match": tag });
  const removed = await send("DELETE", `Products${pathOf({ key: 4 })}`);
  return [created, changed, late, removed].map(({ status }) => status);
};
