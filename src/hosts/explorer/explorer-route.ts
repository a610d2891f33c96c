import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { CAN_TRACE } from "../../definition/logger.ts";
import type { RouteResource, ServiceDescription, ServiceRoute } from "../../definition/model/service-definition.ts";
import { checkOptions, describe, isObject, type OptionTable } from "../../definition/option-table.ts";
import { type AuthorizationRules, refusal, requirementsOf } from "../../definition/sets/authorization.ts";
import { checkWithoutEntity } from "../../definition/startup/check-authorization.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import { aboutService, type ApplicationWarning } from "./about.ts";
import { readExplorerFiles } from "./explorer-files.ts";
import { pageResources } from "./explorer-page.ts";
import { checkSignIn, type SignIn } from "./sign-in.ts";
import { traceOwners } from "./trace-readers.ts";
import { Traces } from "./traces.ts";

/** The options of `explorerRoute`. */
export interface ExplorerRouteOptions {
  /**
   * Who may read the SQL statements of requests that they sent, with values, plans and the findings of the schema check, such as
   * `role("admin")`. If absent, requests from this machine that no proxy has passed on.
   */
  readonly sql?: AuthorizationRules<EntityTypeDeclaration> | undefined;
  /**
   * Whether browsers can load the page without authentication, so that users can sign in there; true if absent. The page
   * contains nothing about the model and the data.
   */
  readonly public?: boolean | undefined;
  /** How users sign in on the page; if absent, the page sends the credentials of the browser, such as cookies. */
  readonly signIn?: SignIn | undefined;
  /** Returns further warnings that the page shows on Home to users who may read statements. */
  readonly warnings?: (() => readonly ApplicationWarning[]) | undefined;
  /** The folder with the files of the page, for bundled applications; that of the package if absent. */
  readonly folder?: string | URL | undefined;
}

const PAGE = "explorer";
const ABOUT = `${PAGE}/about.json`;
const TRACE = `${PAGE}/trace/`;
const PLACE = { route: `/${PAGE}` };

const ROUTE_OPTIONS: OptionTable<keyof ExplorerRouteOptions> = Object.freeze({
  sql: { kind: "any" },
  public: { kind: "flag" },
  signIn: { kind: "object" },
  warnings: { kind: "handler" },
  folder: { kind: "any" },
});

/**
 * Makes a route for `routes` of `odataService` that serves a page at `{prefix}/explorer`, on which people see, query and
 * change the data of the service. `odataService` throws a ConfigurationError for wrong options, and if the files of the page
 * are missing.
 * @see docs/reference/explorer.md
 */
export function explorerRoute(options: ExplorerRouteOptions = {}): ServiceRoute {
  const given: unknown = options;
  return Object.freeze({
    kind: "ServiceRoute",
    paths: Object.freeze([PAGE, ABOUT]),
    check: () => [...checkRouteOptions(given)],
    open: (service: ServiceDescription) => openRoute(service, options),
  });
}

function* checkRouteOptions(options: unknown): Iterable<ConfigurationFault> {
  if (!isObject(options)) {
    const message = `The options of explorerRoute cannot be ${describe(options)}.`;
    yield { message, fix: 'Pass an object, such as { sql: role("admin") }, or omit them.' };
    return;
  }
  yield* checkOptions(ROUTE_OPTIONS, options, "explorerRoute", PLACE);
  const { sql, signIn, folder } = options;
  yield* checkWithoutEntity(sql, "`sql` of explorerRoute", PLACE);
  if (Array.isArray(sql) && sql.length === 0) {
    const message = "`sql` of explorerRoute contains no rule, so everybody could read statements.";
    yield { ...PLACE, message, fix: 'Give a rule, such as role("admin"), or omit `sql`.' };
  }
  if (isObject(signIn)) yield* checkSignIn(signIn, PLACE);
  if (folder !== undefined && typeof folder !== "string" && !(folder instanceof URL)) {
    const message = `\`folder\` of explorerRoute cannot be ${describe(folder)}.`;
    yield { ...PLACE, message, fix: "Give the path of a folder, or its URL." };
    return;
  }
  const files = readExplorerFiles(folder);
  if ("message" in files) yield files;
}

function openRoute(service: ServiceDescription, options: ExplorerRouteOptions): readonly RouteResource[] {
  const { definition, findings } = service;
  const { signIn, sql, public: isPublic = true, warnings = () => [], folder } = options;
  const files = readExplorerFiles(folder);
  if ("message" in files) throw new Error(files.message);
  const traces = new Traces();
  const ownerOf = CAN_TRACE ? traceOwners(sql === undefined ? null : requirementsOf(sql), definition) : null;
  const about = aboutService(service, warnings);
  return [
    ...pageResources({ title: definition.name ?? "Explorer", files, signIn, isPublic }),
    { path: ABOUT, answer: (request) => about(request.user, (ownerOf?.(request) ?? null) !== null) },
    {
      path: `${TRACE}*`,
      answer: async (request) => {
        const owner = ownerOf?.(request) ?? null;
        if (owner === null) throw refusal(request.user, "read traces");
        // Request ids need no escapes.
        const [path = ""] = request.target.split("?", 1);
        return traces.read(owner, path.slice(path.lastIndexOf("/") + 1), await findings());
      },
      follow:
        ownerOf === null
          ? undefined
          : (request) => {
              const owner = ownerOf(request);
              return owner === null ? null : traces.begin(owner, request);
            },
    },
  ];
}
