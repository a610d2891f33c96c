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
