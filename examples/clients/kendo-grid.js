// kendo-grid.js
globalThis.$ = globalThis.jQuery = (await import("jquery")).default;
const { default: kendo } = await import("@progress/kendo-ui/esm/kendo.grid.js");
await import("@progress/kendo-ui/esm/kendo.data.odata.js");

/** Numbers are strings with all digits. */
const $format = "application/json;IEEE754Compatible=true";

/** Shows the orders of the service with this URL. */
export function showOrders(element, url) {
  const set = `${url}/Orders`;
  const urlOf = ({ Id }) => `${set}(${Id})`;
  const dataSource = new kendo.data.DataSource({
    type: "odata-v4",
    transport: { read: { url: set, data: { $format } }, update: { url: urlOf }, destroy: { url: urlOf } },
    schema: {
      model: {
        id: "Id",
        fields: {
          Id: { type: "number", editable: false },
          Customer: { type: "string" },
          Number: { type: "string", editable: false },
          Status: { type: "string" },
          OrderedAt: { type: "date" },
          DueOn: { type: "string" },
        },
      },
    },
    serverFiltering: true,
    serverSorting: true,
    serverPaging: true,
    pageSize: 5,
  });
  const equals = { string: { eq: "is", neq: "is not" } };
  const statuses = ["New", "Paid", "Shipped"].map((value) => ({ value, text: value }));
  $(element).kendoGrid({
    dataSource,
    columns: [
      { field: "Id" },
      { field: "Customer" },
      { field: "Number", filterable: false },
      { field: "Status", values: statuses },
      { field: "OrderedAt", format: "{0:yyyy-MM-dd HH:mm}" },
      { field: "DueOn", filterable: false },
      { command: ["edit", "destroy"] },
    ],
    toolbar: ["search"],
    search: { fields: ["Customer"] },
    filterable: { operators: equals },
    sortable: true,
    pageable: true,
    editable: "inline",
  });
  return $(element).data("kendoGrid");
}
