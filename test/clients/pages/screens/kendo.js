import "../jquery-global.js";
import kendo from "@progress/kendo-ui/esm/kendo.grid.js";
import "@progress/kendo-ui/esm/kendo.data.odata.js";

/** Shows a grid that filters, sorts and pages through the service. */
export function show() {
  const url = `${location.origin}/odata/Products`;
  return new Promise((resolve) => {
    globalThis.jQuery("#content").kendoGrid({
      dataSource: {
        type: "odata-v4",
        transport: { read: { url: `${url}?$expand=Category` } },
        serverPaging: true,
        serverSorting: true,
        serverFiltering: true,
        pageSize: 5,
        sort: { field: "Price", dir: "desc" },
      },
      sortable: true,
      filterable: true,
      pageable: true,
      columns: [
        { field: "Id", width: 80 },
        { field: "Name" },
        { field: "Price", format: "{0:n2}" },
        { field: "IsInStock", title: "In stock" },
        { field: "Category.Name", title: "Category" },
      ],
      dataBound: () => resolve(),
    });
    void kendo;
  });
}
