import { describe } from "vitest";
import { AGGREGATION_REQUESTS } from "./clients/aggregation-requests.ts";
import { BREEZE_REQUESTS } from "./clients/breeze-requests.ts";
import { DEVEXTREME_GRID_REQUESTS } from "./clients/devextreme-grid-requests.ts";
import { DEVEXTREME_REQUESTS } from "./clients/devextreme-requests.ts";
import { KENDO_GRID_REQUESTS } from "./clients/kendo-grid-requests.ts";
import { KENDO_REQUESTS } from "./clients/kendo-requests.ts";
import { ODATA2TS_REQUESTS } from "./clients/odata2ts-requests.ts";
import { REACT_ADMIN_REQUESTS } from "./clients/react-admin-requests.ts";
import { SALESFORCE_REQUESTS } from "./clients/salesforce-requests.ts";
import { SAP_CLOUD_SDK_REQUESTS } from "./clients/sap-cloud-sdk-requests.ts";
import { SCRIPT_CLIENT_REQUESTS } from "./clients/script-client-requests.ts";
import { SIMPLE_ODATA_CLIENT_REQUESTS } from "./clients/simple-odata-client-requests.ts";
import { SYNCFUSION_GRID_REQUESTS } from "./clients/syncfusion-grid-requests.ts";
import { SYNCFUSION_REQUESTS } from "./clients/syncfusion-requests.ts";
import { UI5_REQUESTS } from "./clients/ui5-requests.ts";
import { runExchanges, type Exchange } from "./exchanges.ts";

/** The requests of each client. A grid or form sends others than the data layer of its client. */
const CLIENTS: ReadonlyArray<readonly [client: string, requests: readonly Exchange[]]> = [
  ["Clients that aggregate", AGGREGATION_REQUESTS],
  ["Breeze", BREEZE_REQUESTS],
  ["Clients in JavaScript", SCRIPT_CLIENT_REQUESTS],
  ["DevExtreme", DEVEXTREME_REQUESTS],
  ["Kendo UI", KENDO_REQUESTS],
  ["odata2ts", ODATA2TS_REQUESTS],
  ["OpenUI5", UI5_REQUESTS],
  ["Salesforce Connect, OData 4.0", SALESFORCE_REQUESTS],
  ["SAP Cloud SDK", SAP_CLOUD_SDK_REQUESTS],
  ["Simple.OData.Client", SIMPLE_ODATA_CLIENT_REQUESTS],
  ["Syncfusion", SYNCFUSION_REQUESTS],
  ["the data grid of DevExtreme", DEVEXTREME_GRID_REQUESTS],
  ["the edit form and the filters of react-admin", REACT_ADMIN_REQUESTS],
  ["the grid of Kendo UI", KENDO_GRID_REQUESTS],
  ["the grid of Syncfusion", SYNCFUSION_GRID_REQUESTS],
];

describe.each(CLIENTS)("%s", (_client, requests) => {
  runExchanges(requests);
});
