export type { ServiceRoute } from "../../definition/model/service-definition.ts";
export type { ApplicationWarning } from "./about.ts";
export { explorerRoute, type ExplorerRouteOptions } from "./explorer-route.ts";
export type { SignIn } from "./sign-in.ts";
