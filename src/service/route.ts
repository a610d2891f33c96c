import { protocolError } from "../base/errors/odata-error.ts";
import type { RouteMethod } from "../definition/model/service-definition.ts";
import type { RouteRules } from "./endpoints/authorize.ts";
import type { Endpoint } from "./endpoints/stages.ts";

/** Every method that a route may declare. */
export const ROUTE_METHODS: readonly RouteMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The endpoint of one method of a path, with its authorization category. */
export interface RouteEndpoint extends RouteRules {
  readonly answer: Endpoint;
}

/** The declared endpoints of one path, by method. */
export type Endpoints = Readonly<Partial<Record<RouteMethod, RouteEndpoint | undefined>>>;

/** The methods of one path. */
export class Route {
  /** The value of the Allow header. */
  readonly allow: string;
  readonly #endpoints: ReadonlyMap<string, RouteEndpoint>;

  constructor(endpoints: Endpoints) {
    const declared = Object.entries(endpoints).filter(
      (entry): entry is [string, RouteEndpoint] => entry[1] !== undefined,
    );
    const { GET: read } = endpoints;
    this.#endpoints = new Map(read === undefined ? declared : [...declared, ["HEAD", read]]);
    this.allow = [...this.#endpoints.keys(), "OPTIONS"].join(", ");
  }

  /** Whether any method is declared; otherwise the path does not exist. */
  get exists(): boolean {
    return this.#endpoints.size > 0;
  }

  /** The endpoint of GET, if it is declared. */
  get read(): RouteEndpoint | undefined {
    return this.#endpoints.get("GET");
  }

  /**
   * Returns the endpoint of a method.
   * @throws ODataError `MethodNotAllowed`, with the header Allow
   * @see docs/reference/routes.md
   */
  endpoint(method: string): RouteEndpoint {
    const endpoint = this.#endpoints.get(method);
    if (endpoint !== undefined) return endpoint;
    throw protocolError("MethodNotAllowed", `This resource does not support the method. It supports ${this.allow}.`, {
      headers: { Allow: this.allow },
    });
  }
}
