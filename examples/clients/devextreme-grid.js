// devextreme-grid.js
import ODataStore from "devextreme/data/odata/store";
import DataGrid from "devextreme/ui/data_grid";

/** Shows the orders of the service with this URL. */
export function showOrders(element, url) {
  const store = new ODataStore({
    url: `${url}/Orders`,
    key: "Id",
    keyType: "Int32",
    version: 4,
    fieldTypes: { Number: "Int64", OrderedAt: "DateTimeOffset", DueOn: "Date" },
  });
  return new DataGrid(element, {
    dataSource: store,
    remoteOperations: { filtering: true, sorting: true, paging: true },
    columns: [
      { dataField: "Id", allowEditing: false },
      { dataField: "Customer" },
      { dataField: "Number", dataType: "number", allowEditing: false },
      { dataField: "Status", lookup: { dataSource: ["New", "Paid", "Shipped"] }, allowSearch: false },
      { dataField: "OrderedAt", dataType: "datetime" },
      { dataField: "DueOn", dataType: "date" },
    ],
    searchPanel: { visible: true },
    filterRow: { visible: true },
    editing: { mode: "row", allowUpdating: true, allowDeleting: true },
    paging: { pageSize: 5 },
  });
}
