import { DataManager, ODataV4Adaptor, Query } from "@syncfusion/ej2-data";
import { Filter, Grid, Page, Sort } from "@syncfusion/ej2-grids";

/** Shows a grid that filters, sorts and pages through the service. */
export function show() {
  Grid.Inject(Filter, Page, Sort);
  return new Promise((resolve) => {
    const grid = new Grid({
      dataSource: new DataManager({
        url: `${location.origin}/odata/Products`,
        adaptor: new ODataV4Adaptor(),
        crossDomain: true,
      }),
      query: new Query().expand("Category"),
      allowPaging: true,
      allowSorting: true,
      allowFiltering: true,
      pageSettings: { pageSize: 5 },
      columns: [
        { field: "Id", isPrimaryKey: true, width: 80 },
        { field: "Name", width: 180 },
        { field: "Price", format: "N2", width: 110 },
        { field: "IsInStock", headerText: "In stock", width: 120 },
        { field: "Category.Name", headerText: "Category", width: 160 },
      ],
      dataBound: () => resolve(),
    });
    grid.appendTo("#content");
  });
}
