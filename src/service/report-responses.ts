import { nextTurn } from "../base/host.ts";
import type { User } from "../definition/context.ts";
import { requestFields } from "../definition/model/request-fields.ts";
import type { ServiceDefinition } from "../definition/model/service-definition.ts";
import type { TracedResponse } from "../definition/model/traced-response.ts";
import type { ODataRequest } from "../http/odata-request.ts";
import { type ODataResponse, whenSent } from "../http/odata-response.ts";
import type { ResourcePath } from "../language/query/resource-path.ts";
import { splitTarget } from "../language/syntax/query-options-parser.ts";
import { hostOf, withHeadersOf } from "./endpoints/arrival.ts";

/** The facts about a request that `onResponse` gets. */
export class ResponseReport {
  readonly #begun = performance.now();
  readonly #request: TracedResponse["request"];
  #user: User | null = null;
  #set: string | null = null;

  constructor(odata: ODataRequest, id: string) {
    const { method, target } = odata;
    this.#request = Object.freeze(withHeadersOf({ id, method, target, host: hostOf(odata) }, odata));
  }

  /** Notes whose request it is. */
  noteUser(user: User | null): void {
    this.#user = user;
  }

  /** Notes where the path of the request leads. */
  notePath(path: ResourcePath): void {
    this.#set = "entitySet" in path ? path.entitySet.name : null;
  }

  /** Reports a response once it is sent. Errors of the application are logged. @returns the response to send */
  follow(response: ODataResponse, definition: ServiceDefinition): ODataResponse {
    const { onResponse, logger } = definition;
    if (onResponse === undefined) return response;
    const { id, method, target } = this.#request;
    const fail = (err: unknown): void => {
      try {
        const { path } = splitTarget(target);
        logger.error("onResponse failed.", { ...requestFields(definition, { id, method, path }), err });
      } catch {
        // A logger that throws leaves nowhere to report to.
      }
    };
    return whenSent(response, () => {
      const ms = performance.now() - this.#begun;
      const traced = { request: this.#request, status: response.status, ms, user: this.#user, set: this.#set };
      // The host sends the response first.
      nextTurn()
        .then(() => onResponse(traced))
        .catch(fail);
    });
  }
}
