import ODataStore from "devextreme/data/odata/store";
import DataGrid from "devextreme/ui/data_grid";

/** Shows a grid that filters, sorts, pages and edits through the service. */
export function show() {
  const store = new ODataStore({ url: `${location.origin}/odata/Products`, key: "Id", keyType: "Int32", version: 4 });
  return new Promise((resolve) => {
    const grid = new DataGrid(document.querySelector("#content"), {
      dataSource: { store, expand: ["Category"] },
      remoteOperations: { filtering: true, paging: true, sorting: true },
      columns: [
        "Id",
        "Name",
        "Price",
        { dataField: "IsInStock", caption: "In stock" },
        { dataField: "Category.Name", caption: "Category" },
      ],
      filterRow: { visible: true },
      editing: { mode: "row", allowUpdating: true, allowDeleting: true },
      paging: { pageSize: 5 },
      pager: { visible: true, showInfo: true },
      showBorders: true,
      onContentReady: () => {
        if (grid.getDataSource()?.isLoaded()) resolve();
      },
    });
  });
}
