import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./paths.ts";

/** A page of the site: its title in the sidebar and its path, with a leading slash and without an extension. */
export interface Item {
  readonly text: string;
  readonly link: string;
}

/** A titled group of pages. */
export interface Group {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly Item[];
}

/** Pages in the order in which readers need them. A page that is missing here fails `npm run docs:build`. */
export const SIDEBAR: readonly Group[] = [
  {
    text: "Get started",
    items: [
      { text: "Introduction", link: "/" },
      { text: "First service", link: "/get-started" },
      { text: "Over a database", link: "/get-started-database" },
      { text: "From a database to a product", link: "/from-a-database-to-a-product" },
    ],
  },
  {
    text: "Guides",
    items: [
      { text: "Choose how to read", link: "/guides/choose-how-to-read" },
      { text: "Existing databases", link: "/guides/existing-databases" },
      { text: "Writes and transactions", link: "/guides/writes-and-transactions" },
      { text: "Recipes for writes", link: "/guides/recipes" },
      { text: "Authorization", link: "/guides/authorization" },
      { text: "Security", link: "/guides/security" },
      { text: "Errors and logging", link: "/guides/errors-and-logging" },
      { text: "Deployment", link: "/guides/deployment" },
      { text: "Scaling", link: "/scaling" },
      { text: "Production options", link: "/guides/production" },
      { text: "Replicas", link: "/guides/replicas" },
      { text: "Tenants", link: "/guides/tenants" },
      { text: "Containers and proxies", link: "/guides/containers" },
      { text: "Pages of other origins", link: "/guides/browsers" },
      { text: "Frameworks and runtimes", link: "/guides/hosts" },
      { text: "Performance", link: "/guides/performance" },
      { text: "Test your service", link: "/guides/testing" },
      { text: "Totals and groups", link: "/guides/totals-and-groups" },
      { text: "Virtual properties", link: "/guides/virtual-properties" },
      { text: "Derived types", link: "/guides/derived-types" },
      { text: "Singletons", link: "/guides/singletons" },
      { text: "Trees", link: "/guides/trees" },
      { text: "Streams", link: "/guides/streams" },
      { text: "Excel and Power BI", link: "/guides/excel-and-power-bi" },
      { text: "UI5", link: "/guides/ui5" },
      { text: ".NET", link: "/guides/dotnet" },
      { text: "Upgrading", link: "/guides/upgrading" },
    ],
  },
  {
    text: "Clients",
    collapsed: true,
    items: [
      { text: "What each client can do", link: "/guides/clients" },
      { text: "@odata/client", link: "/guides/clients/odata-client" },
      { text: "AG Grid", link: "/guides/clients/ag-grid" },
      { text: "angular-odata", link: "/guides/clients/angular-odata" },
      { text: "Breeze", link: "/guides/clients/breeze" },
      { text: "DevExtreme", link: "/guides/clients/devextreme" },
      { text: "Kendo UI", link: "/guides/clients/kendo" },
      { text: "o.js", link: "/guides/clients/o-js" },
      { text: "odata-query", link: "/guides/clients/odata-query" },
      { text: "odata2ts", link: "/guides/clients/odata2ts" },
      { text: "react-admin", link: "/guides/clients/react-admin" },
      { text: "Salesforce Connect", link: "/guides/clients/salesforce" },
      { text: "SAP Cloud SDK", link: "/guides/clients/sap-cloud-sdk" },
      { text: "Simple.OData.Client", link: "/guides/clients/simple-odata-client" },
      { text: "Syncfusion", link: "/guides/clients/syncfusion" },
      { text: "Tableau", link: "/guides/clients/tableau" },
    ],
  },
  {
    text: "Declarations",
    items: [
      { text: "Model", link: "/reference/model" },
      { text: "Entity sets", link: "/reference/entity-sets" },
      { text: "Services", link: "/reference/services" },
      { text: "Tables", link: "/reference/tables" },
      { text: "Distributed tables", link: "/reference/distributed-tables" },
      { text: "Storage", link: "/reference/storage" },
      { text: "Relations", link: "/reference/relations" },
      { text: "Deep update", link: "/reference/deep-update" },
      { text: "Writes of tables", link: "/reference/table-writes" },
      { text: "Schema check", link: "/reference/schema-check" },
      { text: "Check a database", link: "/reference/check" },
      { text: "Command line", link: "/reference/command-line" },
      { text: "odatakit serve", link: "/reference/serve" },
      { text: "odatakit inspect", link: "/reference/inspect" },
      { text: "odatakit pull", link: "/reference/pull" },
      { text: "odatakit query", link: "/reference/query" },
      { text: "odatakit hash", link: "/reference/hash" },
      { text: "npm create odatakit", link: "/reference/create" },
      { text: "Functions and actions", link: "/reference/operations" },
      { text: "Handlers that use other sets", link: "/reference/handlers" },
      { text: "Explorer", link: "/reference/explorer" },
      { text: "OpenAPI", link: "/reference/openapi" },
    ],
  },
  {
    text: "Protocol",
    items: [
      { text: "Routes", link: "/reference/routes" },
      { text: "Headers", link: "/reference/headers" },
      { text: "Status codes", link: "/reference/status-codes" },
      { text: "Envelopes", link: "/reference/envelopes" },
      { text: "Limits", link: "/reference/limits" },
      { text: "Formats", link: "/reference/formats" },
      { text: "Errors", link: "/reference/errors" },
      { text: "ETags", link: "/reference/etags" },
      { text: "Writing", link: "/reference/writing" },
      { text: "Validation", link: "/reference/validation" },
      { text: "Long queries", link: "/reference/long-queries" },
      { text: "Annotations", link: "/reference/annotations" },
      { text: "Batches", link: "/reference/batch" },
      { text: "Properties", link: "/reference/properties" },
      { text: "Navigation routes", link: "/reference/navigation" },
      { text: "Limitations", link: "/reference/limitations" },
      { text: "Conformance", link: "/conformance" },
    ],
  },
  {
    text: "Query options",
    items: [
      { text: "Overview", link: "/reference/query-options" },
      { text: "$filter", link: "/reference/filter" },
      { text: "$select", link: "/reference/select" },
      { text: "$expand", link: "/reference/expand" },
      { text: "$orderby", link: "/reference/orderby" },
      { text: "$apply and $compute", link: "/reference/apply" },
      { text: "$top, $skip and pages", link: "/reference/paging" },
      { text: "$count", link: "/reference/count" },
      { text: "$search", link: "/reference/search" },
    ],
  },
  {
    text: "API",
    items: [
      { text: "odatakit", link: "/api/odatakit" },
      { text: "odatakit/node", link: "/api/node" },
      { text: "odatakit/express", link: "/api/express" },
      { text: "odatakit/fastify", link: "/api/fastify" },
      { text: "odatakit/hono", link: "/api/hono" },
      { text: "odatakit/introspect", link: "/api/introspect" },
      { text: "odatakit/kysely", link: "/api/kysely" },
      { text: "odatakit/sqlite", link: "/api/sqlite" },
      { text: "odatakit/mariadb", link: "/api/mariadb" },
      { text: "odatakit/postgres", link: "/api/postgres" },
      { text: "odatakit/check", link: "/api/check" },
      { text: "odatakit/explorer", link: "/api/explorer" },
      { text: "odatakit/openapi", link: "/api/openapi" },
    ],
  },
  {
    text: "Explanations",
    items: [
      { text: "How a request runs", link: "/explanations/how-a-request-runs" },
      { text: "Comparison", link: "/comparison" },
      { text: "Architecture", link: "/explanations/architecture" },
      { text: "Rooms and floors", link: "/explanations/rooms" },
      { text: "Inside the rooms", link: "/explanations/inside-the-rooms" },
      { text: "The page of the explorer", link: "/explanations/the-page-of-the-explorer" },
      { text: "Measurements", link: "/explanations/measurements" },
      { text: "Benchmark", link: "/explanations/benchmark" },
    ],
  },
  { text: "Decisions", collapsed: true, items: decisions() },
  {
    text: "Project",
    collapsed: true,
    items: [
      { text: "Changelog", link: "/project/changelog" },
      { text: "Contributing", link: "/project/contributing" },
      { text: "Security policy", link: "/project/security-policy" },
      { text: "Code of conduct", link: "/project/code-of-conduct" },
    ],
  },
];

/** Lists the decisions by number, with the titles of their pages. */
function decisions(): readonly Item[] {
  const folder = join(ROOT, "docs/decisions");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => {
      const title = /^# (?<title>.+)$/mu.exec(readFileSync(join(folder, name), "utf8"))?.groups?.["title"] ?? name;
      return { text: title, link: `/decisions/${name.slice(0, -".md".length)}` };
    });
}
