import process from "node:process";
import { odataService } from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { entitySets } from "./model/index.ts";
import { findUser, type User } from "./users.ts";

declare module "odatakit" {
  // The type of `user` in all rules.
  interface Register {
    user: User;
  }
}

/** The Dockerfile sets it. */
const isProduction = process.env["NODE_ENV"] === "production";

/** The service of the shop. Everybody reads products; the rules of customers and orders are in their files. */
export const service = odataService({
  prefix: "/odata",
  namespace: "Shop",
  profile: "standard",
  // The longest body of a request that writes.
  defaults: { maxRequestBodyBytes: 1_048_576 },
  authenticate: ({ headers }) => findUser(headers.get("x-api-key")),
  entitySets,
  // A page in the browser to look at the data, and the time of each request, in development only.
  routes: isProduction ? [] : [explorerRoute({ signIn: { kind: "key" } })],
  serverTiming: !isProduction,
});
