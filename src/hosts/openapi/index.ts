export type { ServiceRoute } from "../../definition/model/service-definition.ts";
export { openApiDocument, type DescribedService, type OpenApiOptions } from "./document.ts";
export type { OpenApiContact, OpenApiInfo, OpenApiLicense, OpenApiServer } from "./document-info.ts";
export type { OpenApiDocument } from "./open-api-document.ts";
export { openApiRoute, type OpenApiRouteOptions } from "./openapi-route.ts";
