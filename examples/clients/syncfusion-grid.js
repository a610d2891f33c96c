// syncfusion-grid.js
import { DataManager, ODataV4Adaptor } from "@syncfusion/ej2-data";
import { Edit, Filter, Grid, Page, Search, Sort, Toolbar } from "@syncfusion/ej2-grids";

Grid.Inject(Edit, Filter, Page, Search, Sort, Toolbar);

/** Searches without `cast`: the adaptor writes it around each column if it gets the query. */
class ShopAdaptor extends ODataV4Adaptor {
  onPredicate(predicate) {
    return super.onPredicate(predicate, null, false);
  }
}

/** Shows the orders of the service with this URL. */
export function showOrders(element, url) {
  const grid = new Grid({
    dataSource: new DataManager({ url: `${url}/Orders`, adaptor: new ShopAdaptor(), crossDomain: true }),
    columns: [
      { field: "Id", type: "number", isPrimaryKey: true, isIdentity: true },
      { field: "Customer", type: "string" },
      { field: "Number", type: "number", allowEditing: false },
      { field: "Status", type: "string", filter: { operator: "equal" } },
      { field: "OrderedAt", type: "datetime", format: "yyyy-MM-dd HH:mm", editType: "datetimepickeredit" },
      { field: "DueOn", type: "dateonly", format: "yyyy-MM-dd", editType: "datepickeredit" },
    ],
    toolbar: ["Search", "Edit", "Update", "Cancel", "Delete"],
    searchSettings: { fields: ["Customer"] },
    filterSettings: { enableCaseSensitivity: true },
    allowFiltering: true,
    allowSorting: true,
    allowPaging: true,
    pageSettings: { pageSize: 5 },
    editSettings: { allowEditing: true, allowDeleting: true },
  });
  grid.appendTo(element);
  return grid;
}
