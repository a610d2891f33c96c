export type { ServiceRoute } from "../../definition/model/service-definition.ts";
export { explorerRoute, type ExplorerRouteOptions } from "./explorer-route.ts";
export type { SignIn } from "./sign-in.ts";
